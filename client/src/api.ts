// Written by `npm run generate` from openapi/openapi.json: what an API key can call, and every error code.

/** Every operation that an API key can call, by its id. */
export const OPERATIONS = {
  search: { method: 'POST', path: '/v1/search' },
  context: { method: 'POST', path: '/v1/context' },
  ask: { method: 'POST', path: '/v1/ask' },
  ingest: { method: 'POST', path: '/v1/ingest' },
  listSourceItems: { method: 'GET', path: '/v1/source-items' },
  deleteSourceItemByExternalId: { method: 'DELETE', path: '/v1/source-items' },
  getSourceItem: { method: 'GET', path: '/v1/source-items/{id}' },
  deleteSourceItem: { method: 'DELETE', path: '/v1/source-items/{id}' },
  listItemReaders: { method: 'GET', path: '/v1/source-items/{id}/readers' },
  exportWorkspace: { method: 'POST', path: '/v1/export' },
  memoryCanvas: { method: 'GET', path: '/v1/memory-canvas' },
  memoryCanvasEntity: { method: 'GET', path: '/v1/memory-canvas/entities/{id}' },
  getReembedding: { method: 'GET', path: '/v1/maintenance/reembed' },
  startReembedding: { method: 'POST', path: '/v1/maintenance/reembed' },
  listApiKeys: { method: 'GET', path: '/v1/api-keys' },
  createApiKey: { method: 'POST', path: '/v1/api-keys' },
  revokeApiKey: { method: 'DELETE', path: '/v1/api-keys/{id}' },
  listSources: { method: 'GET', path: '/v1/sources' },
  listSourceChannels: { method: 'GET', path: '/v1/sources/{id}/channels' },
  updateSource: { method: 'PATCH', path: '/v1/sources/{id}' },
  listSyncRuns: { method: 'GET', path: '/v1/sync-runs' },
  createSyncRun: { method: 'POST', path: '/v1/sync-runs' },
  getSyncRun: { method: 'GET', path: '/v1/sync-runs/{id}' },
  cleanUpSlackSystemEvents: { method: 'POST', path: '/v1/maintenance/slack/cleanup-system-events' },
  listAuditEvents: { method: 'GET', path: '/v1/audit-events' },
  listGroups: { method: 'GET', path: '/v1/groups' },
  getGroup: { method: 'GET', path: '/v1/groups/{groupId}' },
  putGroup: { method: 'PUT', path: '/v1/groups/{groupId}' },
  deleteGroup: { method: 'DELETE', path: '/v1/groups/{groupId}' },
} as const

/** Every `code` of an error body. */
export const ERROR_CODES = [
  'validation_failed',
  'malformed_json',
  'not_a_slack_source',
  'audience_not_supported',
  'provider_mismatch',
  'duplicate_document',
  'file_unreadable',
  'malformed_state',
  'invitation_invalid',
  'webhook_signature_invalid',
  'unauthenticated',
  'subscription_required',
  'plan_limit_reached',
  'action_not_allowed',
  'role_required',
  'provider_not_allowed',
  'user_required',
  'connector_access_required',
  'invitation_for_another',
  'origin_not_allowed',
  'not_found',
  'method_not_allowed',
  'request_timeout',
  'cannot_revoke_self',
  'key_limit_reached',
  'last_owner',
  'member_limit_reached',
  'invitation_limit_reached',
  'webhook_limit_reached',
  'webhook_disabled',
  'group_limit_reached',
  'group_exists',
  'person_exists',
  'group_provisioned',
  'source_disabled',
  'source_push_only',
  'item_not_synced',
  'plan_by_contract',
  'embedding_model_mismatch',
  'approximate_index_refused',
  'removal_refused',
  'body_too_large',
  'unsupported_media_type',
  'rate_limited',
  'quota_exceeded',
  'headers_too_large',
  'internal',
  'upstream_error',
  'not_configured',
  'not_ready',
  'overloaded',
] as const

/** The limits of a request of ingest. */
export const INGEST_LIMITS = {
  documents: 1000,
  requestBytes: 10485760,
  textBytes: 1048576,
} as const

/** Errors of ingest about a document. Any other error would occur for the next request too. */
export const DOCUMENT_FAULTS = [
  'validation_failed',
  'malformed_json',
  'duplicate_document',
  'provider_mismatch',
  'body_too_large',
] as const

/** The providers of a deployment that does not name others, in the order of the API. */
export const PROVIDERS = [
  { id: 'slack', name: 'Slack', hasChannels: true, isForFiles: false },
  { id: 'google_drive', name: 'Google Drive', hasChannels: false, isForFiles: true },
  { id: 'notion', name: 'Notion', hasChannels: false, isForFiles: false },
  { id: 'gmail', name: 'Gmail', hasChannels: false, isForFiles: false },
] as const

/** A provider: one of these, or another that the deployment names. */
export type Provider = (typeof PROVIDERS)[number]['id'] | (string & {})

export interface paths {
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Search */
        post: operations["search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retrieve a Context Contract */
        post: operations["context"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ask": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer a question, with citations */
        post: operations["ask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ingest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Push documents */
        post: operations["ingest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List stored items */
        get: operations["listSourceItems"];
        put?: never;
        post?: never;
        /** Delete a source item by its provider and external ID */
        delete: operations["deleteSourceItemByExternalId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-items/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show one source item */
        get: operations["getSourceItem"];
        put?: never;
        post?: never;
        /** Delete a source item with its chunks and vectors */
        delete: operations["deleteSourceItem"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/source-items/{id}/readers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show who may read an item, and why */
        get: operations["listItemReaders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Export all items with their vectors */
        post: operations["exportWorkspace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory-canvas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the memory canvas */
        get: operations["memoryCanvas"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/memory-canvas/entities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an entity of the memory canvas */
        get: operations["memoryCanvasEntity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/maintenance/reembed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the progress of a move to another embedding model */
        get: operations["getReembedding"];
        put?: never;
        /** Move all chunks to the configured embedding model */
        post: operations["startReembedding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List active API keys, newest first */
        get: operations["listApiKeys"];
        put?: never;
        /** Mint a key */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a key */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sources */
        get: operations["listSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a Slack source's channels */
        get: operations["listSourceChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a Slack source's channel allowlist */
        patch: operations["updateSource"];
        trace?: never;
    };
    "/v1/sync-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sync runs, newest first */
        get: operations["listSyncRuns"];
        put?: never;
        /** Queue a sync run */
        post: operations["createSyncRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync-runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a sync run and the items that it could not read */
        get: operations["getSyncRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/maintenance/slack/cleanup-system-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete Slack system messages that were stored as content */
        post: operations["cleanUpSlackSystemEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List audit events, newest first */
        get: operations["listAuditEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List groups, newest first */
        get: operations["listGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/groups/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a group with all its members */
        get: operations["getGroup"];
        /** Create or replace a group */
        put: operations["putGroup"];
        post?: never;
        /** Delete a group */
        delete: operations["deleteGroup"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The body of search and context. */
        SearchRequest: {
            /**
             * @description What to search for, in your own words. The embedding model receives it unchanged.
             * @example How many vacation days do I get?
             */
            query: string;
            /**
             * @description Maximum number of hits.
             * @default 8
             */
            limit?: number;
            filter?: components["schemas"]["SearchFilter"];
            /** @description Limits the response to what this person may read. An unknown person can read only public items. */
            onBehalfOf?: {
                /**
                 * @description The person's email address.
                 * @example ada@example.com
                 */
                email: string;
            };
            /**
             * @description A half-life in days, to prefer newer items. An item loses up to 35% of its relevance with age, half of that after one half-life.
             * @example 30
             */
            recency?: number;
            /**
             * @description The order of hits: `vector` orders by score; `hybrid` combines the query's words with the vectors and returns `relevance`.
             * @default vector
             * @enum {string}
             */
            rank?: "vector" | "hybrid";
        };
        /** @description Conditions that the item of each hit must meet. */
        SearchFilter: {
            /** @description Only items of these providers. */
            providers?: (Provider)[];
            /** @description Only items of these kinds. */
            sourceKinds?: ("message" | "document" | "file")[];
            /** @description Only items by exactly this author. */
            authorName?: string;
            /**
             * Format: date-time
             * @description Only items that changed at the source at this time or later.
             */
            updatedAfter?: string;
            /**
             * Format: date-time
             * @description Only items that changed at the source before this time.
             */
            updatedBefore?: string;
            /**
             * Format: uuid
             * @description Only items of this source.
             */
            connectorId?: string;
            /**
             * Format: uuid
             * @description Only items that name this entity of the memory canvas. Items that the canvas has not read yet are excluded.
             */
            entityId?: string;
            /** @description Only items with exactly these values at these metadata keys. */
            metadata?: {
                [key: string]: string | number | boolean | null;
            };
        };
        /** @description The body of ask. */
        AskRequest: {
            /**
             * @description What to search for, in your own words. The embedding model receives it unchanged.
             * @example How many vacation days do I get?
             */
            query: string;
            /**
             * @description Number of passages to read for the answer.
             * @default 8
             */
            limit?: number;
            /** @description The questions and answers before this one, oldest first. They give a follow-up ("And in Germany?", "Who wrote it?") its context and are not stored. */
            conversation?: {
                /**
                 * @description The question.
                 * @example How many vacation days do I get?
                 */
                question: string;
                /**
                 * @description The answer.
                 * @example Employees get 25 days of paid vacation a year [1].
                 */
                answer: string;
            }[];
            /**
             * @description A half-life in days, to prefer newer items. An item loses up to 35% of its relevance with age, half of that after one half-life.
             * @example 30
             */
            recency?: number;
            /**
             * @description How thoroughly to search; default `normal`. With `high`, the language model rewrites and splits the question, reads the results and searches again, in at most four calls. Without a language model, the request returns 503 `not_configured`.
             * @enum {string}
             */
            effort?: "normal" | "high";
            /** @description Limits the response to what this person may read. An unknown person can read only public items. */
            onBehalfOf?: {
                /**
                 * @description The person's email address.
                 * @example ada@example.com
                 */
                email: string;
            };
        };
        /** @description The body of an ingest. */
        IngestRequest: {
            /** @description The documents. All are stored, or none. */
            documents: components["schemas"]["IngestDocument"][];
        };
        /** @description A document to store. */
        IngestDocument: {
            /**
             * Format: uuid
             * @description The `id` of one of your sources of the same provider, from `GET /v1/sources`. Every workspace starts with a push-only source for each provider.
             * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
             */
            connectorId: string;
            /**
             * @description The provider. It must match the source's provider.
             * @example notion
             * @enum {string}
             */
            provider: Provider;
            /**
             * @description What the item is: a message, a document or a file.
             * @example document
             * @enum {string}
             */
            sourceKind: "message" | "document" | "file";
            /**
             * @description The document's stable ID in your system. Provider and ID together identify the item.
             * @example handbook/vacation
             */
            externalId: string;
            /**
             * @description The title, shown in citations.
             * @example Vacation
             */
            title: string;
            /**
             * @description The whole text, plain or Markdown. If it is empty, searches find the document by its title.
             * @example Employees get 25 days of paid vacation a year. Unused days expire in March.
             */
            body: string;
            /**
             * @description The link to the original, returned with hits.
             * @example https://wiki.example.com/vacation
             */
            url?: string | null;
            /**
             * @description The author's name.
             * @example Ada Lovelace
             */
            authorName?: string | null;
            /**
             * @description When it was written, ISO 8601 with `Z` or an offset.
             * @example 2026-01-12T08:00:00Z
             */
            sourceCreatedAt?: string | null;
            /**
             * @description When it was last changed in your system.
             * @example 2026-03-01T16:45:00Z
             */
            sourceUpdatedAt?: string | null;
            /**
             * @description Any other fields, returned with hits. An `accessPolicy` defines who may read the document and is returned unchanged.
             * @default {}
             * @example {
             *       "team": "people"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            embedding?: components["schemas"]["GivenEmbedding"];
        };
        /** @description Vectors of the chunks from an export, so that they are not embedded again. */
        GivenEmbedding: {
            /**
             * @description The model of the vectors. It must match the workspace's model.
             * @example builtin-4
             */
            model: string;
            /**
             * @description SHA-256, in hex, of the JSON `[[heading, content], …]` of the chunks, without spaces. It must match how the service chunks the text.
             * @example d8f3a1c07e5b4926b0e4f7a9c2d1386590ab4ce17f2d3e6885c9b1a0f4d7e263
             */
            chunksSha256: string;
            /**
             * @description The chunks' vectors, concatenated, as little-endian 16-bit floats in base64. Each has length 1.
             * @example ADw=
             */
            vectors: string;
        };
        /** @description The key to create. */
        NewApiKey: {
            /**
             * @description Name of the key.
             * @example Support bot
             */
            name: string;
            /**
             * @description Who uses the key. For the audit trail only; it affects no permission or plan limit.
             * @default agent
             * @enum {string}
             */
            actorType?: "agent" | "application" | "admin";
            /**
             * @description The actions that the key can use.
             * @example [
             *       "search",
             *       "context",
             *       "ask"
             *     ]
             */
            allowedActions: ("admin" | "search" | "context" | "ask" | "memory:read" | "sources:read" | "sources:write" | "sync:read" | "sync:write" | "ingest")[];
            /** @description Providers whose items the key can read; null: all. Default: the scope of the key that creates it; all providers when a person does. */
            allowedProviders?: (Provider)[] | null;
            /** @description Whether every request must name a person in `onBehalfOf`. Default: the setting of the key that creates it; false when a person does. */
            requiresUser?: boolean;
        };
        /** @description A group with all its members. */
        NewGroup: {
            /**
             * @description Display name. Default: unchanged.
             * @example Finance
             */
            name?: string;
            /**
             * @description Addresses of all members.
             * @example [
             *       "ada@example.com",
             *       "grace@example.com"
             *     ]
             */
            members: string[];
        };
        /** @description The passages nearest to a query. */
        SearchResponse: {
            /**
             * @description The query, unchanged.
             * @example How many vacation days do I get?
             */
            query: string;
            /** @description The hits, best first. */
            hits: components["schemas"]["Hit"][];
        };
        /** @description A passage found by a search. */
        Hit: {
            /**
             * Format: uuid
             * @description The passage's item.
             * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
             */
            sourceItemId: string;
            /**
             * @description The item's title.
             * @example Vacation
             */
            title: string;
            /**
             * @description The passage.
             * @example Employees get 25 days of paid vacation a year. Unused days expire in March.
             */
            content: string;
            /**
             * @description The link to the original; empty: none.
             * @example https://wiki.example.com/vacation
             */
            url: string;
            /**
             * @description The item's provider.
             * @example notion
             * @enum {string}
             */
            provider: Provider;
            /**
             * @description Cosine similarity to the query, at most 1.
             * @example 0.62
             */
            score: number;
            /**
             * @description How well the hit matches, which determines the order. Only in hybrid order and in searches with `recency`.
             * @example 0.81
             */
            relevance?: number;
            /**
             * @description The item's other fields.
             * @example {
             *       "team": "people"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the provider or the caller last confirmed the item.
             * @example 2026-03-02T09:30:00.000Z
             */
            syncedAt: string;
        };
        /** @description Hits with citations, exclusions and limitations. */
        ContextContract: {
            /** @description The origin of the contract. */
            contract: {
                /**
                 * @description The version of the contract.
                 * @constant
                 */
                version: "1.0";
                /**
                 * Format: uuid
                 * @description The request's ID, which is also the `targetId` of its audit event.
                 * @example e8d5a2f1-6c3b-4b97-a1d4-0f9c7e5b2d83
                 */
                requestId: string;
                /**
                 * @description The path of the request.
                 * @example /v1/context
                 */
                endpoint: string;
                /**
                 * Format: date-time
                 * @description When the contract was created.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                issuedAt: string;
                /**
                 * @description The kind of caller; `user` in the console.
                 * @example agent
                 * @enum {string}
                 */
                callerActorType: "agent" | "application" | "admin" | "user";
                /**
                 * @description The caller's key; null in the console.
                 * @example 9e2d4c61-7b3a-4f58-8d1c-a04b6f3e5c27
                 */
                callerApiKeyId: string | null;
            };
            /** @description The request. */
            query: {
                /**
                 * @description The query, unchanged.
                 * @example How many vacation days do I get?
                 */
                raw: string;
                /**
                 * @description The limit that was applied.
                 * @example 8
                 */
                limit: number;
            };
            /** @description The hits, as in a search. */
            hits: components["schemas"]["Hit"][];
            /** @description Citations, one for each hit, in the same order. */
            citations: components["schemas"]["Citation"][];
            /**
             * @description Exclusions, one for each provider that the key may not read.
             * @example []
             */
            exclusions: {
                /**
                 * @description Why it was excluded.
                 * @constant
                 */
                type: "provider_scope";
                /**
                 * @description The excluded provider.
                 * @example gmail
                 * @enum {string}
                 */
                provider: Provider;
                /**
                 * @description The reason in words.
                 * @example The calling key may not read gmail
                 */
                reason: string;
            }[];
            /**
             * @description Reasons to rely less on the hits. Each code appears at most once.
             * @example []
             */
            limitations: {
                /**
                 * @description The limitation, for programs.
                 * @enum {string}
                 */
                code: "provider_scope_applied" | "permissions_applied" | "source_stale" | "source_sync_incomplete" | "embedding_fallback" | "weak_evidence" | "nothing_cited" | "approximate_search" | "answer_truncated";
                /**
                 * @description The limitation in words.
                 * @example Recent changes may be missing
                 */
                message: string;
            }[];
        };
        /** @description The item that a marker cites. */
        Citation: {
            /**
             * @description The number N of a marker `[N]`.
             * @example 1
             */
            index: number;
            /**
             * Format: uuid
             * @description The cited item.
             * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
             */
            sourceItemId: string;
            /**
             * @description The item's title.
             * @example Vacation
             */
            title: string;
        };
        /** @description An answer with its citations. */
        AskResponse: {
            /**
             * @description The question as it was sent.
             * @example How many vacation days do I get?
             */
            question: string;
            /**
             * @description The answer, each statement with its marker `[N]`.
             * @example Employees get 25 days of paid vacation a year [1].
             */
            answer: string;
            /** @description Passages cited by the answer's markers. */
            citations: components["schemas"]["Citation"][];
            /** @description The passages that the answer is based on. */
            context: {
                /**
                 * Format: uuid
                 * @description The passage's item.
                 * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
                 */
                sourceItemId: string;
                /**
                 * @description The item's title.
                 * @example Vacation
                 */
                title: string;
                /**
                 * @description The passage.
                 * @example Employees get 25 days of paid vacation a year. Unused days expire in March.
                 */
                content: string;
                /**
                 * @description The link to the original; empty: none.
                 * @example https://wiki.example.com/vacation
                 */
                url: string;
                /**
                 * @description The item's provider.
                 * @example notion
                 * @enum {string}
                 */
                provider: Provider;
                /**
                 * @description Cosine similarity to the query, at most 1.
                 * @example 0.62
                 */
                score: number;
            }[];
            /**
             * @description `weak_evidence`: nothing stored seems to answer the question. `nothing_cited`: the language model cited no passage. `approximate_search`: an approximate index was searched. `answer_truncated`: the answer reached its limit and ends early. Empty otherwise.
             * @example []
             */
            limitations: {
                /**
                 * @description The limitation, for programs.
                 * @enum {string}
                 */
                code: "provider_scope_applied" | "permissions_applied" | "source_stale" | "source_sync_incomplete" | "embedding_fallback" | "weak_evidence" | "nothing_cited" | "approximate_search" | "answer_truncated";
                /**
                 * @description The limitation in words.
                 * @example Recent changes may be missing
                 */
                message: string;
            }[];
        };
        /** @description The result of an ingest. */
        IngestResponse: {
            /**
             * @description Documents that were new or had changed.
             * @example 1
             */
            ingested: number;
            /**
             * @description Documents already stored with the same content.
             * @example 0
             */
            skipped: number;
        };
        /** @description A stored item without its text. */
        ListedSourceItem: {
            /**
             * Format: uuid
             * @description The item's ID. It does not change with the content.
             * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
             */
            id: string;
            /**
             * Format: uuid
             * @description The item's source.
             * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
             */
            connectorId: string;
            /**
             * @description The item's provider.
             * @example notion
             * @enum {string}
             */
            provider: Provider;
            /**
             * @description What the item is: a message, a document or a file.
             * @example document
             * @enum {string}
             */
            sourceKind: "message" | "document" | "file";
            /**
             * @description The item's ID in the caller's or the provider's system.
             * @example handbook/vacation
             */
            externalId: string;
            /**
             * @description The title.
             * @example Vacation
             */
            title: string;
            /**
             * @description The link to the original.
             * @example https://wiki.example.com/vacation
             */
            url: string | null;
            /**
             * @description The author's name.
             * @example Ada Lovelace
             */
            authorName: string | null;
            /**
             * @description When it last changed at the source.
             * @example 2026-03-01T16:45:00.000Z
             */
            sourceUpdatedAt: string | null;
            /**
             * Format: date-time
             * @description When the provider or the caller last confirmed it.
             * @example 2026-03-02T09:30:00.000Z
             */
            syncedAt: string;
            /**
             * Format: date-time
             * @description When its stored content last changed.
             * @example 2026-03-02T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A deleted item. */
        DeletedSourceItem: {
            /** @description IDs of the deleted item. */
            sourceItem: {
                /**
                 * Format: uuid
                 * @description The item's ID. It does not change with the content.
                 * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
                 */
                id: string;
                /**
                 * Format: uuid
                 * @description The item's source.
                 * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
                 */
                connectorId: string;
                /**
                 * @description The item's provider.
                 * @example notion
                 * @enum {string}
                 */
                provider: Provider;
                /**
                 * @description The item's ID in the caller's or the provider's system.
                 * @example handbook/vacation
                 */
                externalId: string;
            };
            /**
             * Format: date-time
             * @description When it was deleted.
             * @example 2026-03-02T09:30:00.000Z
             */
            deletedAt: string;
        };
        /** @description A stored document, message or file. */
        SourceItem: {
            /**
             * Format: uuid
             * @description The item's ID. It does not change with the content.
             * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
             */
            id: string;
            /**
             * Format: uuid
             * @description The item's source.
             * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
             */
            connectorId: string;
            /**
             * @description The item's provider.
             * @example notion
             * @enum {string}
             */
            provider: Provider;
            /**
             * @description What the item is: a message, a document or a file.
             * @example document
             * @enum {string}
             */
            sourceKind: "message" | "document" | "file";
            /**
             * @description The item's ID in the caller's or the provider's system.
             * @example handbook/vacation
             */
            externalId: string;
            /**
             * @description The title.
             * @example Vacation
             */
            title: string;
            /**
             * @description The whole text.
             * @example Employees get 25 days of paid vacation a year. Unused days expire in March.
             */
            body: string;
            /**
             * @description The link to the original.
             * @example https://wiki.example.com/vacation
             */
            url: string | null;
            /**
             * @description The author's name.
             * @example Ada Lovelace
             */
            authorName: string | null;
            /**
             * @description When it was written at the source.
             * @example 2026-01-12T08:00:00.000Z
             */
            sourceCreatedAt: string | null;
            /**
             * @description When it last changed at the source.
             * @example 2026-03-01T16:45:00.000Z
             */
            sourceUpdatedAt: string | null;
            /**
             * @description The item's other fields.
             * @example {
             *       "team": "people"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description When the provider or the caller last confirmed it.
             * @example 2026-03-02T09:30:00.000Z
             */
            syncedAt: string;
            /**
             * Format: date-time
             * @description When it was first stored.
             * @example 2026-03-02T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When its stored content last changed.
             * @example 2026-03-02T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A principal in an access policy. */
        ItemReader: {
            /**
             * @description `everyone` on whose behalf requests are made, `member` for members of the organization, `source` for users of the source, or one `user`, `group` or `domain`.
             * @example group
             * @enum {string}
             */
            kind: "everyone" | "member" | "source" | "user" | "group" | "domain";
            /**
             * @description An address, a group or a domain; null for kinds without a name.
             * @example legal
             */
            name: string | null;
            /**
             * @description Number of members; null for kinds without members.
             * @example 12
             */
            memberCount: number | null;
            /**
             * @description Whether reading is denied, even if another entry grants it.
             * @example false
             */
            denied: boolean;
        };
        /** @description The people, organizations, channels and topics that stored items name. */
        MemoryCanvas: {
            /** @description The nodes, heaviest first. */
            nodes: components["schemas"]["CanvasNode"][];
            /** @description The strongest edges between these nodes, heaviest first. */
            edges: components["schemas"]["CanvasEdge"][];
            /**
             * Format: date-time
             * @description When the graph was generated.
             * @example 2026-03-02T09:30:00.000Z
             */
            generatedAt: string;
            /**
             * @description Whether it covers every stored item in scope.
             * @example true
             */
            complete: boolean;
            /**
             * @description Items in scope not yet covered.
             * @example 0
             */
            itemsWaiting: number;
        };
        /** @description An entity or a source. */
        CanvasNode: {
            /**
             * Format: uuid
             * @description The node's ID; for a source, the source's ID.
             * @example 4c1f7a90-3b6e-4d52-9e08-5a7d1c2f6b34
             */
            id: string;
            /**
             * @description What the node is.
             * @example entity
             * @enum {string}
             */
            kind: "entity" | "source";
            /**
             * @description The entity's kind; for a source, its provider.
             * @example person
             * @enum {string}
             */
            type: "person" | "organization" | "channel" | "topic" | Provider;
            /**
             * @description The most frequent name.
             * @example Ada Lovelace
             */
            label: string;
            /**
             * @description A source's provider; null for an entity.
             * @example null
             */
            provider: (Provider) | null;
            /**
             * @description Number of items that name it. An item counts once for each of the names it uses.
             * @example 42
             */
            weight: number;
        };
        /** @description A relation between two nodes. */
        CanvasEdge: {
            /**
             * @description The edge's ID.
             * @example mentions:4c1f7a90-3b6e-4d52-9e08-5a7d1c2f6b34:8a2d5f31-0c47-4be9-a163-d94e7b02c5f8
             */
            id: string;
            /**
             * Format: uuid
             * @description The node where it starts.
             * @example 4c1f7a90-3b6e-4d52-9e08-5a7d1c2f6b34
             */
            source: string;
            /**
             * Format: uuid
             * @description The node where it ends.
             * @example 8a2d5f31-0c47-4be9-a163-d94e7b02c5f8
             */
            target: string;
            /**
             * @description The relation.
             * @example mentions
             * @enum {string}
             */
            type: "authored" | "mentions" | "posted_in" | "co_occurs";
            /**
             * @description Number of items that support the relation.
             * @example 7
             */
            weight: number;
        };
        /** @description An entity with its neighbours and items. */
        CanvasEntity: {
            /** @description The entity. */
            entity: {
                /**
                 * Format: uuid
                 * @description The entity.
                 * @example 4c1f7a90-3b6e-4d52-9e08-5a7d1c2f6b34
                 */
                id: string;
                /**
                 * @description The kind of entity.
                 * @example person
                 * @enum {string}
                 */
                type: "person" | "organization" | "channel" | "topic";
                /**
                 * @description The entity's most frequent name.
                 * @example Ada Lovelace
                 */
                label: string;
                /**
                 * @description The entity's other names.
                 * @example [
                 *       "ada@corp.com",
                 *       "@ada",
                 *       "Lovelace, Ada"
                 *     ]
                 */
                aliases: string[];
                /**
                 * @description Number of items that name it. An item counts once for each of the names it uses.
                 * @example 42
                 */
                weight: number;
                /**
                 * Format: date-time
                 * @description When the first item that names it was last changed.
                 * @example 2025-11-03T08:15:00.000Z
                 */
                firstSeenAt: string;
                /**
                 * Format: date-time
                 * @description When the latest item that names it was changed.
                 * @example 2026-03-02T09:30:00.000Z
                 */
                lastSeenAt: string;
                /** @description Evidence for the names, most items first. */
                evidence: {
                    /**
                     * @description One of its names.
                     * @example Ada Lovelace
                     */
                    name: string;
                    /**
                     * @description Items with this name.
                     * @example 12
                     */
                    items: number;
                    /**
                     * Format: uuid
                     * @description The latest of them.
                     * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
                     */
                    sourceItemId: string;
                }[];
            };
            /** @description The neighbors, strongest first. */
            neighbours: {
                /**
                 * Format: uuid
                 * @description The neighbor's ID.
                 * @example 8a2d5f31-0c47-4be9-a163-d94e7b02c5f8
                 */
                id: string;
                /**
                 * @description The kind of entity.
                 * @example topic
                 * @enum {string}
                 */
                type: "person" | "organization" | "channel" | "topic";
                /**
                 * @description The entity's most frequent name.
                 * @example Orion
                 */
                label: string;
                /**
                 * @description Number of the latest items that name both.
                 * @example 7
                 */
                weight: number;
            }[];
            /** @description The latest items that name it. */
            items: {
                /**
                 * Format: uuid
                 * @description The item.
                 * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
                 */
                sourceItemId: string;
                /**
                 * @description The item's title.
                 * @example Vacation
                 */
                title: string;
                /**
                 * @description The link to the original.
                 * @example https://wiki.example.com/vacation
                 */
                url: string | null;
                /**
                 * @description The provider that the item is from.
                 * @example notion
                 * @enum {string}
                 */
                provider: Provider;
                /**
                 * @description The passage that names it, or else the beginning of the item.
                 * @example Ada Lovelace approves vacation.
                 */
                snippet: string;
            }[];
        };
        /** @description The progress of a move to another embedding model. */
        Reembedding: {
            /**
             * @description The status; `idle`: never requested.
             * @example running
             * @enum {string}
             */
            status: "idle" | "running" | "succeeded";
            /**
             * @description The model that the chunks move to.
             * @example openai:text-embedding-3-small:1536
             */
            model: string | null;
            /**
             * @description The model that queries use now.
             * @example builtin-4
             */
            answeringModel: string | null;
            /**
             * @description Chunks to move.
             * @example 8120
             */
            chunksTotal: number;
            /**
             * @description Chunks that have moved.
             * @example 3072
             */
            chunksDone: number;
            /**
             * @description When it began.
             * @example 2026-03-02T09:30:00.000Z
             */
            startedAt: string | null;
            /**
             * @description When it ended.
             * @example null
             */
            finishedAt: string | null;
            /**
             * @description Why the last attempt stopped; it is retried.
             * @example null
             */
            errorMessage: string | null;
        };
        /** @description An API key, without its secret. */
        ApiKey: {
            /**
             * Format: uuid
             * @description The key's ID.
             * @example 9e2d4c61-7b3a-4f58-8d1c-a04b6f3e5c27
             */
            id: string;
            /**
             * @description Name of the key.
             * @example Support bot
             */
            name: string;
            /**
             * @description The first characters of the secret, to recognize the key.
             * @example svc_Zk3vQ9aL
             */
            prefix: string;
            /**
             * @description Who uses the key. For the audit trail only; it affects no permission or plan limit.
             * @example agent
             * @enum {string}
             */
            actorType: "agent" | "application" | "admin";
            /**
             * @description The actions that the key can use.
             * @example [
             *       "search",
             *       "context",
             *       "ask"
             *     ]
             */
            allowedActions: ("admin" | "search" | "context" | "ask" | "memory:read" | "sources:read" | "sources:write" | "sync:read" | "sync:write" | "ingest")[];
            /**
             * @description Providers whose items the key can read; null: all.
             * @example null
             */
            allowedProviders: (Provider)[] | null;
            /**
             * @description Whether every request must name a person in `onBehalfOf`.
             * @example false
             */
            requiresUser: boolean;
            /**
             * @description Last use, to the minute; null: never.
             * @example null
             */
            lastUsedAt: string | null;
            /**
             * Format: date-time
             * @description Creation time.
             * @example 2026-03-02T09:30:00.000Z
             */
            createdAt: string;
        };
        /** @description Where documents come from: a provider account, or pushes. */
        Source: {
            /**
             * Format: uuid
             * @description The source's ID. Other endpoints call it `connectorId`.
             * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
             */
            id: string;
            /**
             * @description The source's provider.
             * @example notion
             * @enum {string}
             */
            provider: Provider;
            /**
             * @description `pending` until the first sync succeeds, `error` after a failed sync, `disabled` while the source is paused.
             * @example active
             * @enum {string}
             */
            status: "pending" | "active" | "error" | "disabled";
            /**
             * @description Display name.
             * @example Team wiki
             */
            displayName: string;
            /**
             * @description The account at the provider.
             * @example T0123456789
             */
            externalAccountId: string;
            /**
             * @description When a sync last succeeded; null: never, or the source is push-only.
             * @example 2026-03-02T09:30:00.000Z
             */
            lastSyncedAt: string | null;
            /**
             * @description Why the last sync failed, in the provider's words.
             * @example null
             */
            errorMessage: string | null;
            /**
             * @description Why the last sync failed; null: see `errorMessage`. Only for people in the console.
             * @example null
             */
            errorCode?: ("access_ended" | "missing_permission" | "app_blocked" | "api_disabled" | "access_refused" | "not_configured") | null;
            /**
             * @description Items that syncs could not read or that contain nothing to read, as of the last sync. Only for people in the console.
             * @example 4
             */
            itemsSkipped?: number;
            /**
             * @description Who may read the source's items, if its provider does not report this. Only for people in the console.
             * @example connector
             */
            audience?: ("everyone" | "connector") | string[];
            /**
             * @description Slack only: IDs of the channels to read; null: all channels that the bot is a member of.
             * @example null
             */
            channelAllowlist: string[] | null;
            /**
             * @description Number of stored items.
             * @example 128
             */
            sourceItemCount: number;
            /**
             * @description Google Drive only: how many files lack their access policy, and how to fix it.
             * @example null
             */
            policyHealth: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-03-02T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it last changed.
             * @example 2026-03-02T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A channel of a Slack workspace. */
        SlackChannel: {
            /**
             * @description The channel's ID, for the allowlist.
             * @example C0123456789
             */
            id: string;
            /**
             * @description The channel's name.
             * @example general
             */
            name: string;
            /**
             * @description Whether only members can see the channel.
             * @example false
             */
            isPrivate: boolean;
            /**
             * @description Number of members.
             * @example 42
             */
            memberCount: number;
        };
        /** @description A sync run of a source. */
        SyncRun: {
            /**
             * Format: uuid
             * @description The run's ID.
             * @example 71b3f6d8-e2a4-49c5-8f07-b5d1c3a9e642
             */
            id: string;
            /**
             * Format: uuid
             * @description The source that the run syncs.
             * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
             */
            connectorId: string;
            /**
             * @description The status.
             * @example succeeded
             * @enum {string}
             */
            status: "queued" | "running" | "succeeded" | "failed";
            /**
             * @description Whether the run reads everything again, not only changes.
             * @example false
             */
            fullResync: boolean;
            /**
             * @description When a worker started it.
             * @example 2026-03-02T09:30:00.000Z
             */
            startedAt: string | null;
            /**
             * @description When it ended.
             * @example 2026-03-02T09:31:12.000Z
             */
            finishedAt: string | null;
            /**
             * @description Items that the provider returned.
             * @example 69
             */
            itemsDiscovered: number;
            /**
             * @description Items that were new or had changed, and were stored.
             * @example 55
             */
            itemsIngested: number;
            /**
             * @description Items that were deleted.
             * @example 3
             */
            itemsDeleted: number;
            /**
             * @description Items that were already stored with the same content. Only for people in the console.
             * @example 10
             */
            itemsUnchanged?: number;
            /**
             * @description Items that could not be read or contain nothing to read, and were not deleted. Only for people in the console.
             * @example 4
             */
            itemsSkipped?: number;
            /**
             * @description Why it failed, in the provider's words.
             * @example null
             */
            errorMessage: string | null;
            /**
             * Format: date-time
             * @description When it was requested.
             * @example 2026-03-02T09:29:58.000Z
             */
            createdAt: string;
        };
        /** @description An item that a run did not read. */
        SyncRunFailure: {
            /**
             * @description The item's ID at the provider.
             * @example F0123456789
             */
            externalId: string;
            /**
             * @description The item's name, if known.
             * @example Price list.pdf
             */
            title: string | null;
            /**
             * @description Why it could not be read.
             * @example It cannot be stored: the text is too long
             */
            message: string;
            /**
             * @description `service_failed`: processing failed; the service's log has the cause. `not_storable`: over a limit, or rejected by the embedding model. null: see `message`.
             * @example not_storable
             */
            code: ("service_failed" | "not_storable") | null;
        };
        /** @description An action of a person or a key. */
        AuditEvent: {
            /**
             * Format: uuid
             * @description The event's ID.
             * @example 2a6f9c4e-b8d1-4e35-97a2-c3f0d5e8b174
             */
            id: string;
            /**
             * Format: uuid
             * @description The workspace.
             * @example b7c1a3de-2f64-4d0b-9a58-6e1f0c9d2a41
             */
            organizationId: string;
            /**
             * @description The person who acted; null for a key.
             * @example null
             */
            actorUserId: string | null;
            /**
             * @description The key that acted; null for a person.
             * @example 9e2d4c61-7b3a-4f58-8d1c-a04b6f3e5c27
             */
            actorApiKeyId: string | null;
            /**
             * @description The action.
             * @example context.retrieve
             */
            action: string;
            /**
             * @description Type of the changed object.
             * @example context_contract
             */
            targetType: string;
            /**
             * @description The object's ID.
             * @example e8d5a2f1-6c3b-4b97-a1d4-0f9c7e5b2d83
             */
            targetId: string;
            /**
             * @description Details that depend on the action; never content.
             * @example {
             *       "requestId": "e8d5a2f1-6c3b-4b97-a1d4-0f9c7e5b2d83",
             *       "query": "How many vacation days do I get?",
             *       "hitCount": 1,
             *       "citationCount": 1,
             *       "exclusionCount": 0,
             *       "providers": [
             *         "notion"
             *       ]
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @description Time of the action.
             * @example 2026-03-02T09:30:00.000Z
             */
            createdAt: string;
        };
        /** @description A group of people that access policies can name. */
        Group: {
            /**
             * @description The group's ID, as access policies name it.
             * @example finance
             */
            id: string;
            /**
             * @description Display name.
             * @example Finance
             */
            name: string | null;
            /**
             * @description Who manages it: `api`: you; `scim`: your identity provider.
             * @example api
             * @enum {string}
             */
            origin: "api" | "scim";
            /**
             * @description Number of members.
             * @example 2
             */
            memberCount: number;
            /**
             * @description Addresses of the members; a list shows the first 100 of each group.
             * @example [
             *       "ada@example.com",
             *       "grace@example.com"
             *     ]
             */
            members: string[];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-03-02T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Time of the last change.
             * @example 2026-03-02T09:30:00.000Z
             */
            updatedAt: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    search: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResponse"];
                };
            };
        };
    };
    context: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextContract"];
                };
            };
        };
    };
    ask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AskResponse"];
                };
            };
        };
    };
    ingest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IngestRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestResponse"];
                };
            };
        };
    };
    listSourceItems: {
        parameters: {
            query?: {
                /**
                 * @description Only items of this provider.
                 * @example notion
                 */
                provider?: Provider;
                /** @description Only items of this source. */
                connectorId?: string;
                /**
                 * @description Only items of this kind.
                 * @example document
                 */
                sourceKind?: "message" | "document" | "file";
                /**
                 * @description Only items whose title or external ID contains this text, ignoring case.
                 * @example vacation
                 */
                title?: string;
                /** @description `nextCursor` of the previous page, with the same filters; omit it for the first page. */
                cursor?: string;
                /** @description Maximum number of items. */
                limit?: number;
                /** @description A person's email address. Limits the response to what this person may read. */
                onBehalfOf?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The items of this page, without their texts. */
                        sourceItems: components["schemas"]["ListedSourceItem"][];
                        /**
                         * @description The cursor of the next page; null on the last page.
                         * @example null
                         */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    deleteSourceItemByExternalId: {
        parameters: {
            query: {
                /**
                 * @description The item's provider.
                 * @example notion
                 */
                provider: Provider;
                /**
                 * @description The document's stable ID in your system. Provider and ID together identify the item.
                 * @example handbook/vacation
                 */
                externalId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedSourceItem"];
                };
            };
        };
    };
    getSourceItem: {
        parameters: {
            query?: {
                /** @description A person's email address. Limits the response to what this person may read. */
                onBehalfOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The item's ID: `sourceItemId` of a hit, or `id` in the list.
                 * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The item with its text. */
                        sourceItem: components["schemas"]["SourceItem"];
                    };
                };
            };
        };
    };
    deleteSourceItem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The item's ID: `sourceItemId` of a hit, or `id` in the list.
                 * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedSourceItem"];
                };
            };
        };
    };
    listItemReaders: {
        parameters: {
            query?: {
                /** @description A person's email address. Limits the response to what this person may read. */
                onBehalfOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The item's ID: `sourceItemId` of a hit, or `id` in the list.
                 * @example c4a7e9b2-1f5d-4c83-9b60-7d2e8f1a3c59
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description At most 200 of them. */
                        readers: components["schemas"]["ItemReader"][];
                    };
                };
            };
        };
    };
    exportWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description Continues an interrupted export after the item with this `id`: the one in the last complete line.
                     */
                    after?: string;
                    /** @description Limits the response to what this person may read. An unknown person can read only public items. */
                    onBehalfOf?: {
                        /**
                         * @description The person's email address.
                         * @example ada@example.com
                         */
                        email: string;
                    };
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    memoryCanvas: {
        parameters: {
            query?: {
                /** @description Only entities with this name or alias. If there are none, entities that the nearest passages name, if any passage is near enough. */
                q?: string;
                /**
                 * @description Only items of this provider.
                 * @example notion
                 */
                provider?: Provider;
                /**
                 * @description Only entities of this kind, and no sources.
                 * @example topic
                 */
                entityType?: "person" | "organization" | "channel" | "topic";
                /** @description Only entities in the latest items of the node with this ID. */
                around?: string;
                /** @description Only entities in the latest items changed at or after this time. */
                since?: string;
                /** @description Maximum number of nodes. */
                limit?: number;
                /** @description A person's email address. Limits the response to what this person may read. */
                onBehalfOf?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryCanvas"];
                };
            };
        };
    };
    memoryCanvasEntity: {
        parameters: {
            query?: {
                /** @description A person's email address. Limits the response to what this person may read. */
                onBehalfOf?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The entity.
                 * @example 4c1f7a90-3b6e-4d52-9e08-5a7d1c2f6b34
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CanvasEntity"];
                };
            };
        };
    };
    getReembedding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reembedding"];
                };
            };
        };
    };
    startReembedding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reembedding"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Active keys. */
                        apiKeys: components["schemas"]["ApiKey"][];
                    };
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        apiKey: components["schemas"]["ApiKey"];
                        /**
                         * @description The secret. Store it now: it is shown only once.
                         * @example svc_…
                         */
                        secret: string;
                    };
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key's ID, from the list.
                 * @example 9e2d4c61-7b3a-4f58-8d1c-a04b6f3e5c27
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        apiKey: components["schemas"]["ApiKey"];
                        /**
                         * Format: date-time
                         * @description Revocation time.
                         * @example 2026-03-02T09:30:00.000Z
                         */
                        revokedAt: string;
                    };
                };
            };
        };
    };
    listSources: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The sources. */
                        sources: components["schemas"]["Source"][];
                    };
                };
            };
        };
    };
    listSourceChannels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The source's ID, from `GET /v1/sources`.
                 * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The channels that an allowlist can name. */
                        channels: components["schemas"]["SlackChannel"][];
                        /**
                         * @description Slack only: IDs of the channels to read; null: all channels that the bot is a member of.
                         * @example null
                         */
                        channelAllowlist: string[] | null;
                    };
                };
            };
        };
    };
    updateSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The source's ID, from `GET /v1/sources`.
                 * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description IDs of the channels to read, from `GET /v1/sources/{id}/channels`; null: all channels that the bot is a member of.
                     * @example [
                     *       "C0123456789"
                     *     ]
                     */
                    channelAllowlist: string[] | null;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: uuid
                         * @description The source's ID. Other endpoints call it `connectorId`.
                         * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
                         */
                        id: string;
                        /**
                         * @description The source's provider.
                         * @example notion
                         * @enum {string}
                         */
                        provider: Provider;
                        /**
                         * @description Display name.
                         * @example Team wiki
                         */
                        displayName: string;
                        /**
                         * @description Slack only: IDs of the channels to read; null: all channels that the bot is a member of.
                         * @example null
                         */
                        channelAllowlist: string[] | null;
                    };
                };
            };
        };
    };
    listSyncRuns: {
        parameters: {
            query?: {
                /** @description Only runs of this source. */
                connectorId?: string;
                /** @description `nextCursor` of the previous page, with the same filters; omit it for the first page. */
                cursor?: string;
                /** @description Maximum number of runs. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The runs, newest first. */
                        syncRuns: components["schemas"]["SyncRun"][];
                        /** @description The cursor of the next page; absent on the last page. */
                        nextCursor?: string;
                    };
                };
            };
        };
    };
    createSyncRun: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * Format: uuid
                     * @description The source to sync: the `id` of a connected source, from `GET /v1/sources`.
                     * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
                     */
                    connectorId: string;
                    /**
                     * @description Reads every item again, not only changes. Slower, and uses more of the provider's quota.
                     * @default false
                     */
                    fullResync?: boolean;
                };
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The run that was queued. */
                        syncRun: {
                            /**
                             * Format: uuid
                             * @description The run's ID.
                             * @example 71b3f6d8-e2a4-49c5-8f07-b5d1c3a9e642
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The source that the run syncs.
                             * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
                             */
                            connectorId: string;
                            /**
                             * @description The status.
                             * @example queued
                             * @enum {string}
                             */
                            status: "queued" | "running" | "succeeded" | "failed";
                            /**
                             * @description Whether the run reads everything again, not only changes.
                             * @example false
                             */
                            fullResync: boolean;
                            /**
                             * Format: date-time
                             * @description When it was requested.
                             * @example 2026-03-02T09:29:58.000Z
                             */
                            createdAt: string;
                        };
                        /**
                         * @description The run is new.
                         * @constant
                         */
                        alreadyActive: false;
                    };
                };
            };
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The run that is already queued or running. */
                        syncRun: {
                            /**
                             * Format: uuid
                             * @description The run's ID.
                             * @example 71b3f6d8-e2a4-49c5-8f07-b5d1c3a9e642
                             */
                            id: string;
                            /**
                             * Format: uuid
                             * @description The source that the run syncs.
                             * @example 5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60
                             */
                            connectorId: string;
                            /**
                             * @description The status.
                             * @example queued
                             * @enum {string}
                             */
                            status: "queued" | "running" | "succeeded" | "failed";
                            /**
                             * @description Whether the run reads everything again, not only changes.
                             * @example false
                             */
                            fullResync: boolean;
                            /**
                             * Format: date-time
                             * @description When it was requested.
                             * @example 2026-03-02T09:29:58.000Z
                             */
                            createdAt: string;
                        };
                        /**
                         * @description The run already existed.
                         * @constant
                         */
                        alreadyActive: true;
                    };
                };
            };
        };
    };
    getSyncRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The run's ID, from the list.
                 * @example 71b3f6d8-e2a4-49c5-8f07-b5d1c3a9e642
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        syncRun: components["schemas"]["SyncRun"];
                        /**
                         * @description Why it failed; null: see `errorMessage`.
                         * @example null
                         */
                        errorCode: ("access_ended" | "missing_permission" | "app_blocked" | "api_disabled" | "access_refused" | "not_configured") | null;
                        /**
                         * @description Number of items that could not be read.
                         * @example 1
                         */
                        itemsFailed: number;
                        /** @description The first hundred items that could not be read. */
                        failures: components["schemas"]["SyncRunFailure"][];
                        /** @description The first hundred items that contain nothing to read, such as files of types that are not read. */
                        skipped: components["schemas"]["SyncRunFailure"][];
                        /**
                         * @description When the wait that the provider asked for ends; null: no wait.
                         * @example null
                         */
                        waitingUntil: string | null;
                        /**
                         * @description Whether the run failed because the account's access has ended. Connect the account again.
                         * @example false
                         */
                        needsReconnection: boolean;
                        /**
                         * @description The source's next scheduled sync; null while the run is active or the source is paused.
                         * @example 2026-03-02T09:30:00.000Z
                         */
                        nextRunAt: string | null;
                    };
                };
            };
        };
    };
    cleanUpSlackSystemEvents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description Only count; delete nothing.
                     * @default false
                     */
                    dryRun?: boolean;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description Number of messages checked.
                         * @example 120
                         */
                        scanned: number;
                        /**
                         * @description Number of messages deleted; in a dry run, the number that would be.
                         * @example 4
                         */
                        deleted: number;
                        /**
                         * @description Whether it was a dry run.
                         * @example false
                         */
                        dryRun: boolean;
                    };
                };
            };
        };
    };
    listAuditEvents: {
        parameters: {
            query?: {
                /** @description Maximum number of events. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Events, newest first. */
                        auditEvents: components["schemas"]["AuditEvent"][];
                    };
                };
            };
        };
    };
    listGroups: {
        parameters: {
            query?: {
                /** @description `nextCursor` of the previous page, with the same filters; omit it for the first page. */
                cursor?: string;
                /** @description Maximum number of groups. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The groups. */
                        groups: components["schemas"]["Group"][];
                        /**
                         * @description The cursor of the next page; null on the last page.
                         * @example null
                         */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The group's ID, as access policies name it: 1 to 256 characters.
                 * @example finance
                 */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group: components["schemas"]["Group"];
                    };
                };
            };
        };
    };
    putGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The group's ID, as access policies name it: 1 to 256 characters.
                 * @example finance
                 */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGroup"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group: components["schemas"]["Group"];
                    };
                };
            };
        };
    };
    deleteGroup: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The group's ID, as access policies name it: 1 to 256 characters.
                 * @example finance
                 */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        group: components["schemas"]["Group"];
                        /**
                         * Format: date-time
                         * @description Time of the deletion.
                         * @example 2026-03-02T09:30:00.000Z
                         */
                        deletedAt: string;
                    };
                };
            };
        };
    };
}
