import { CANVAS_REQUIREMENTS } from './canvas-requirements.ts'
import { CONSOLE_REQUIREMENTS } from './console-requirements.ts'
import { PAYMENT_REQUIREMENTS } from './payment-requirements.ts'
import { WEBHOOK_REQUIREMENTS } from './webhook-requirements.ts'

/** A requirement of the service. Tests cite its id in their title: `… [KEY-3]`. */
export interface Requirement {
  id: string
  section: string
  text: string
}

/** `id: text` for each requirement, by section. The letters of its ids name the section. */
const SECTIONS: Record<string, Record<string, string>> = {
  'Surfaces and conventions': {
    'SURF-1': 'Routes under /v1 outside /v1/console accept only API keys.',
    'SURF-2': 'Routes under /v1/console accept tokens of the identity provider, never API keys.',
    'SURF-3': 'Bodies are JSON in UTF-8, and a request with a body says so in Content-Type.',
    'SURF-4': 'Timestamps are ISO 8601 in UTC.',
    'SURF-5': 'Identifiers are version 4 UUIDs.',
    'SURF-6': 'The providers are slack, google_drive, notion and gmail.',
    'SURF-7': 'The same query over the same data gets the same answer.',
    'SURF-8':
      'Web pages from other origins cannot call any route: there is no CORS, and a preflight gets 405.',
  },
  'API keys': {
    'KEY-1':
      'A key has only id, name, prefix, actorType, allowedActions, allowedProviders, lastUsedAt and createdAt.',
    'KEY-2': 'A secret is svc_ and 43 characters of base64url.',
    'KEY-3': 'The prefix is the first 12 characters of the secret and begins with svc_.',
    'KEY-4': 'The secret is shown only in the response that creates the key.',
    'KEY-5': "Only the secret's SHA-256 is stored.",
    'KEY-6':
      'actorType is agent (the default), application or admin, and changes no permission or plan limit.',
    'KEY-7':
      'allowedProviders is null or has at least one provider. The default is that of the creating key, or null for a person.',
    'KEY-8': 'allowedActions has at least one action and no duplicates.',
    'KEY-9': 'Creating a key returns 201 with apiKey and secret.',
    'KEY-10': "The list contains the organization's live keys, newest first.",
    'KEY-11': 'Revoking a key returns the key and revokedAt.',
    'KEY-12': 'A revoked key is refused from the next request on.',
    'KEY-13': 'Revocation applies on every instance of the service.',
    'KEY-14': 'A key cannot revoke itself: 409.',
    'KEY-15': 'lastUsedAt is null until the first use, then exact to the minute.',
    'KEY-16': 'The key routes need the action admin.',
    'KEY-17':
      'A key with a provider scope creates and revokes only keys with the same or a narrower scope: 403.',
    'KEY-18':
      'An organization has at most 1,000 live keys, also under concurrent creation: 409 with the number.',
    'KEY-19': 'A key with a provider scope is refused if a job reaches beyond the scope: 403.',
    'KEY-20': 'No route lets a key with a provider scope see or change anything of another provider.',
  },
  Sources: {
    'SRC-1':
      'A source has only id, provider, status, displayName, externalAccountId, lastSyncedAt, errorMessage, channelAllowlist, sourceItemCount, policyHealth, createdAt and updatedAt.',
    'SRC-2': "GET /v1/sources returns the organization's sources.",
    'SRC-3': "sourceItemCount is the number of the source's items.",
    'SRC-4': 'An API key can change only the channel allowlist of a Slack source.',
    'SRC-5': 'channelAllowlist is required there, and is an array of channel ids or null.',
    'SRC-6': 'The change returns id, provider, displayName and channelAllowlist.',
    'SRC-7': 'A person can create a push-only source, which is active immediately: 201.',
    'SRC-8': 'A person can rename, pause and resume a source.',
    'SRC-9': 'Removing a source removes all of its items.',
    'SRC-10': 'A key sees only sources of providers in its scope.',
    'CHN-1': 'Requesting the channels of a source other than Slack returns 400.',
    'CHN-2': 'Requesting the channels of a Slack source returns channels and channelAllowlist.',
  },
  'Connecting accounts': {
    'OAUTH-1':
      "Authorize returns the provider's authorization page, with a state and, if the provider supports it, a PKCE challenge that the exchange must meet.",
    'OAUTH-2': 'A callback with a missing, malformed or unknown state returns 400 malformed_state.',
    'OAUTH-3': 'A state works once, within ten minutes.',
    'OAUTH-4': 'A state is bound to its provider.',
    'OAUTH-5':
      'A state is bound to the person and workspace that began: the source is created there, and only while that person may connect one.',
    'OAUTH-6': 'The callback needs neither an API key nor a token.',
    'OAUTH-7': "The callback redirects to the console, with the source or the provider's error.",
    'OAUTH-8': 'The first sync starts automatically after OAuth completes.',
    'OAUTH-9':
      "If the provider refuses or fails, the callback returns 502 upstream_error with the provider's message.",
    'OAUTH-10': 'Connecting an account again renews the grant of its source and creates no second source.',
    'OAUTH-11': 'A reader of the database learns no usable state.',
    'OAUTH-12':
      'The callback connects directly only in the browser that began, which a cookie from authorize identifies: HttpOnly, SameSite=Lax.',
    'OAUTH-13':
      'In any other browser, the callback returns 200 with a page that works without scripts, names the workspace and the person who asked, and connects with one click, once. Nothing is stored before the click.',
    'OAUTH-14': "Another page can neither forge nor steal that click, nor read the provider's code.",
    'OAUTH-15': 'A failed callback returns a page to browsers and JSON to programs.',
    'CONN-1':
      "slack and notion need no approval; google_drive and gmail need the operator's, unless GATED_PROVIDERS says otherwise.",
    'CONN-2':
      'Requesting a gated provider returns 201 with id, provider, status and createdAt; a repeated request creates no second one.',
    'CONN-3': 'Only the first request records connector_access.request.',
    'CONN-4': 'Without approval, authorize and callback of a gated provider return 403.',
    'CONN-5': 'A provider that is not configured returns 503 not_configured with the names of its settings.',
    'CONN-6': 'Tokens are encrypted at rest, and a ciphertext decrypts only in its own row.',
    'CONN-7':
      'In a list of keys, the first encrypts and all decrypt; data encrypted with an older key is re-encrypted.',
    'CONN-8': 'A token is renewed before it expires, by one worker even if many need it.',
    'CONN-9': 'Deleting a source removes all of its items and revokes its grant at the provider.',
    'CONN-10':
      'A grant that another source needs is not revoked; if the provider is down, revocation is retried later.',
    'CONN-11': 'Only Google Drive has policyHealth: how many files lack an access policy, and how to fix it.',
    'CONN-12': 'connector.authorize and connector.connect are recorded.',
    'CONN-13':
      "If a provider refuses to list its channels, the route returns 502 upstream_error with the provider's message.",
  },
  'Sync runs': {
    'RUN-1':
      'A run has only id, connectorId, status, fullResync, startedAt, finishedAt, itemsDiscovered, itemsIngested, itemsDeleted, errorMessage and createdAt.',
    'RUN-2': "The list contains the organization's runs, newest first.",
    'RUN-3': 'Starting a run returns 201 with a queued run and alreadyActive false.',
    'RUN-4': 'While a run is queued or running, it is returned with alreadyActive true and 202.',
    'RUN-5': 'A source has at most one active run, also under concurrent requests.',
    'RUN-6': 'After a run has ended, the next request creates a new one.',
    'RUN-7': 'fullResync defaults to false.',
    'RUN-8': 'A push-only source refuses runs with 409.',
    'RUN-9': 'A disabled source refuses runs with 409.',
    'SYNC-1': 'A source is polled about every SYNC_INTERVAL_MINUTES, with a jitter of up to 5 percent.',
    'SYNC-2': 'If many sources are due at once, only some start at a time.',
    'SYNC-3': 'Disabled and push-only sources are not polled.',
    'SYNC-4':
      'After a worker dies, another continues its run from the saved cursor, and every item is stored once.',
    'SYNC-5': 'A source is pending until its first run succeeds, then active.',
    'SYNC-6':
      'A failed run sets its source to error with a message; a successful run sets it to active again.',
    'SYNC-7': 'Pausing a source disables it: its run ends, and it stays disabled until it is resumed.',
    'SYNC-8':
      'itemsDiscovered counts the items that the provider returned; itemsIngested counts those that were new or changed and were stored.',
    'SYNC-9': 'itemsDeleted counts the items that the run removed.',
    'SYNC-10': "errorMessage contains the provider's message unchanged, and nothing about internal errors.",
    'SYNC-11':
      'fullResync drops the cursor, ingests every item again (counted in itemsIngested), and removes items that the provider no longer has.',
    'SYNC-12':
      'A changed allowlist takes effect with the next run, which deletes items of removed channels; no other public channel is joined.',
    'SYNC-13':
      'An item that cannot be read, chunked or stored, whatever the error, is recorded with its run and counted once, and fails neither the run nor other items.',
    'SYNC-14': 'The next run deletes items removed at the provider, by ID and from search.',
    'SYNC-15':
      'The service waits for a rate limit as long as the provider says; each refusal costs one extra request.',
    'SYNC-16': 'A token that expires during a run is renewed, and the run continues.',
    'SYNC-17':
      "A revoked grant ends the run with the provider's message, and the source is polled rarely until it is reconnected.",
    'SYNC-18':
      'A run waits out a short outage. A long outage fails the run without data loss, and the next run catches up.',
    'SYNC-19': 'A run never removes a pushed document.',
    'SYNC-20': 'A worker that stops releases its runs, and another worker continues them immediately.',
    'SYNC-21': 'Only one worker works on a run, and a worker that lost its lease writes nothing.',
    'SYNC-22': 'A stuck source delays no other source.',
    'SYNC-23': 'A cursor that the provider rejects makes the run a full resync.',
    'SYNC-24': 'A run started by a poll records no audit event.',
    'SYNC-25':
      'A failed run shows whether the account must be reconnected, and when its source is synced next.',
  },
  Webhooks: {
    'HOOK-1':
      "Slack's events need no API key, but a Slack signature from the last 5 minutes; otherwise they get 401.",
    'HOOK-2': 'The challenge of a URL verification is returned.',
    'HOOK-3': 'A repeated event is dropped by its ID.',
    'HOOK-4': 'A change announced by an event is read without waiting for the poll.',
    'HOOK-5': 'If the app is removed, its source goes to error.',
  },
  Maintenance: {
    'MAINT-1':
      'POST /v1/maintenance/slack/cleanup-system-events accepts dryRun (default false) and returns scanned, deleted and dryRun.',
    'MAINT-2':
      "It deletes only Slack's system messages that were stored as content; a dry run deletes nothing.",
    'MAINT-3': 'It records maintenance.slack.cleanup_system_events with these numbers.',
    'MAINT-4': 'It requires the action admin.',
    'MAINT-5': "It checks only the organization's messages, and refuses a key without access to Slack.",
  },
  Ingest: {
    'ING-1': 'A document needs connectorId, provider, sourceKind, externalId, title and body.',
    'ING-2':
      'url, authorName, sourceCreatedAt, sourceUpdatedAt and metadata are optional; metadata defaults to {}.',
    'ING-3': 'documents has at least one entry and at most 1,000.',
    'ING-4': 'Organization, provider and externalId identify an item; posting it again updates it.',
    'ING-5': 'ingested counts new and updated documents, skipped those with identical content.',
    'ING-6':
      'A request is all or nothing: if an entry is invalid, the error names its index and nothing is stored.',
    'ING-7': 'Two entries with the same key in one request return 400.',
    'ING-8': 'A connector of another organization returns 404.',
    'ING-9': 'A connector of another provider returns 400.',
    'ING-10': 'Documents are searchable when the call returns.',
    'ING-11': 'metadata is free-form, and its accessPolicy is returned with retrieval.',
    'ING-12': 'A request over 10 MiB returns 413 with the limit.',
    'ING-13': 'A body over 1 MiB of text returns 400 with the limit.',
    'ING-14': 'An item can be read, and deleted by ID or by provider and externalId, with all derived data.',
    'ING-15': 'NUL and lone surrogates are cleaned and do not fail a batch.',
    'ING-16': 'sourceKind is message, document or file.',
    'ING-17':
      'A url must be absolute; a url that a browser would execute or read locally is refused with 400.',
    'ING-18': 'A document with an empty body is found by its title, which is the content of its hit.',
  },
  Retrieval: {
    'HIT-1': 'A hit has only sourceItemId, title, content, url, provider, score, metadata and syncedAt.',
    'HIT-2': 'url is an empty string if the item has none.',
    'HIT-3': 'Hits are ordered by score, from 0 to 1, best first.',
    'HIT-4': 'Hits are chunks: an item can appear with several.',
    'HIT-5': 'A chunk with a score of 0 is not a hit.',
    'SEA-1': 'query is required: 1 to 8,192 characters after trimming.',
    'SEA-2': 'limit is an integer from 1 to 25, 8 by default.',
    'SEA-3': 'The response contains the query and hits.',
    'SEA-4': "Hits of providers outside the key's scope are excluded, and nothing reveals them.",
    'SEA-5': 'A key scoped to a rare provider gets its full limit of hits.',
    'SEA-6': 'The embedding model receives the query exactly as sent.',
    'SEA-8':
      'Vectors of two models are never mixed: if the stored model cannot answer, the request is refused with 409.',
    'SEA-9': 'No caller gets data of another organization or of a provider outside the scope.',
    'SEA-10':
      'rank is vector by default. Hits in hybrid order also have relevance, from 1 down to 0; scope, filter and limit apply.',
    'SEA-7': 'filter narrows by provider, kind, author, dates, connector and metadata.',
  },
  'The list of what is stored': {
    'LIST-1':
      'GET /v1/source-items returns sourceItems and nextCursor; an item has only id, provider, connectorId, sourceKind, externalId, title, url, authorName, sourceUpdatedAt, updatedAt and syncedAt.',
    'LIST-2': 'Items are ordered by updatedAt, newest first, then by id.',
    'LIST-3': 'updatedAt is when the stored content last changed in the service, and changes only then.',
    'LIST-4': 'provider, connectorId and sourceKind filter the list.',
    'LIST-5': 'limit is an integer from 1 to 200, 50 by default.',
    'LIST-6': 'Across all pages, every unchanged item appears exactly once, even during writes.',
    'LIST-7': 'A cursor that is malformed or belongs to another list returns 400.',
    'LIST-8': "The list is limited to the key's scope and excludes items of removed sources.",
    'LIST-9':
      'The list requires the action search or any role, shares the rate window of search, and costs no credit.',
  },
  'Memory canvas': CANVAS_REQUIREMENTS,
  'Context Contract': {
    'CTX-1': 'The response has contract, query, hits, citations, exclusions and limitations.',
    'CTX-2': "contract has version 1.0, requestId, endpoint, issuedAt, and the caller's actor type and key.",
    'CTX-3': 'requestId is the targetId of the audit event that the call emits.',
    'CTX-4': 'query contains the query as sent and the applied limit.',
    'CTX-5': 'Hits have the shape and order of search.',
    'CTX-6': 'Each hit has one citation, numbered from 1 in order.',
    'CTX-7': 'exclusions has one provider_scope for each provider outside the scope, stored or not.',
    'CTX-8': 'limitations has provider_scope_applied only if the key has a scope.',
    'CTX-9': 'limitations has source_stale if a source in scope failed or last synced over an hour ago.',
    'CTX-11': 'limitations has embedding_fallback if a model other than the configured one was used.',
    'CTX-12':
      'limitations has weak_evidence if even the nearest passage is too far from the question to answer it, as in ask.',
    'CTX-13': 'limitations has approximate_search only if an approximate index was searched, as in ask.',
    'CTX-10': 'limitations has source_sync_incomplete while a first sync is unfinished.',
  },
  Ask: {
    'ASK-1': 'The response has question, answer, citations, context and limitations.',
    'ASK-2': 'Each [N] in the answer has a citation, and each citation appears in the answer.',
    'ASK-3': 'limit is the number of hits that the language model receives.',
    'ASK-4':
      'Without a language model, or if it fails, the answer is a deterministic synthesis of the top hits.',
    'ASK-5':
      'If nothing relevant is found, the answer begins "I could not find company context for:" and contains the query; citations and context are empty.',
    'ASK-6': 'A marker without a hit is removed.',
    'ASK-7': 'Context items have sourceItemId, title, content, url, provider and score.',
    'ASK-8': 'Accept: text/event-stream streams context, delta, citations and done.',
    'ASK-9': 'A broken stream reports the error and is not charged.',
    'ASK-12':
      'A stream that reaches its time limit after text was sent ends with answer_truncated, citations and done, and is charged.',
    'ASK-11':
      'Where the evidence is weak, limitations has weak_evidence, and an answer from relevant passages without a language model begins "Nothing stored answers this directly." and cites the closest passages; it costs what any answer costs.',
    'ASK-10': "Only items in the key's scope are used.",
  },
  Audit: {
    'AUD-1':
      'An event has only id, organizationId, actorUserId, actorApiKeyId, action, targetType, targetId, metadata and createdAt.',
    'AUD-2': 'Exactly one of actorUserId and actorApiKeyId is not null.',
    'AUD-3': 'limit is 1 to 500, 100 by default.',
    'AUD-4': "Events are newest first, and only the organization's.",
    'AUD-5':
      'Every /v1/context call records context.retrieve with requestId, query, hitCount, citationCount, exclusionCount and providers.',
    'AUD-17':
      'Every retrieval, in the API, the console and over MCP, records search.retrieve, context.retrieve or ask.retrieve when it is charged; refused and failed retrievals record none.',
    'AUD-6':
      'api_key.create has targetType api_key and name, prefix, actorType, allowedActions and allowedProviders.',
    'AUD-7': 'Revoking a key records api_key.revoke.',
    'AUD-8': 'Changing an allowlist records connector.allowlist.update.',
    'AUD-9': 'Creating a workspace records organization.create.',
    'AUD-10':
      'Starting a run as a person or with a key records sync_run.create, unless a run is already active.',
    'AUD-11': 'Every change records its own event.',
    'AUD-12': 'No event, log line or error contains a key secret, a token, item content or an answer.',
    'AUD-13': 'The audit route requires the action admin.',
    'AUD-15':
      'People filter the trail by action, actor, target, from and to, and page through all of it, without gaps or duplicates.',
    'AUD-16':
      'People export filtered events as CSV that spreadsheets do not read as formulas, or as JSON lines; the export is streamed and recorded.',
    'AUD-14':
      'A key with a provider scope sees no event that names an item, source or query result of another provider, and still gets as many events as limit says.',
  },
  Authentication: {
    'AUTH-1':
      'Every agent route requires Authorization: Bearer with an API key; a missing or invalid key is 401.',
    'AUTH-2': "A valid key without the route's action is 403.",
    'AUTH-3': 'Each action grants exactly its routes.',
    'AUTH-4': 'Provider scope null means no restriction.',
    'AUTH-5': 'A console token is checked for issuer, audience, expiry, algorithm and signature.',
    'AUTH-6': 'Without a configured issuer, and only on loopback, a development issuer signs people in.',
    'AUTH-7':
      'The development issuer does not exist if HOST or PUBLIC_URL is not loopback, or for requests through a proxy or from another page.',
  },
  Errors: {
    'ERR-1': 'Every error is a JSON body with error and code, and code is from a closed list.',
    'ERR-2':
      'A validation error lists issues with path and message, in sentences that name the field; unknown fields come first, with the nearest known name.',
    'ERR-3': 'A 500 reveals nothing about internals.',
    'ERR-4': 'Every response carries X-Request-Id, and so does its log line.',
    'ERR-5': 'An unknown route or resource returns 404.',
    'ERR-6': 'A resource of another organization looks exactly like a missing one.',
    'ERR-7': 'A wrong method returns 405 with the allowed methods in Allow.',
    'ERR-8': 'A body that is too large returns 413.',
    'ERR-9': 'A body whose Content-Type is not JSON returns 415.',
    'ERR-10': 'Unknown fields in a body are refused with 400.',
    'ERR-11': 'Hostile input never causes a 5xx and stores nothing.',
    'ERR-12': 'Routes whose settings are missing return 503 not_configured.',
    'ERR-13': 'Checks come in this order: 401, 403, 429 for rate, 400, 402, 429 for credits.',
    'ERR-14':
      'While the database is unavailable or the service is overloaded, every surface returns 503 not_ready or overloaded with Retry-After, and recovers automatically.',
    'ERR-15': 'A request that does not arrive in time returns 408 request_timeout.',
    'ERR-16': "Unknown query parameters are refused with 400, which names the route's parameters.",
    'ERR-17': 'A request without a body counts as an empty object if every field is optional.',
    'ERR-18':
      'A 401 says what is wrong with the Authorization header, but never why a key is invalid: unknown, malformed and revoked keys get the same response. WWW-Authenticate follows RFC 6750.',
    'ERR-19': "Every error body links to its code's entry in the error reference.",
    'ERR-20':
      'A trailing slash in a path changes nothing; an unknown route suggests the nearest one and reveals nothing that is stored.',
  },
  'Rate limit': {
    'RATE-1': 'Each key and action has 60 requests per minute, unless API_RATE_LIMIT_PER_MIN says otherwise.',
    'RATE-2': 'The window is a rolling minute.',
    'RATE-3': 'Instances share the count.',
    'RATE-4':
      'Each action has its own window: 50 searches and 50 contexts pass, but the 61st call of one action does not.',
    'RATE-5':
      'A refusal has Retry-After and X-RateLimit-Limit, -Remaining (0) and -Reset, and a body with error, action, limit, retryAfterSeconds and resetAt.',
    'RATE-6': 'Every /v1 response to an authenticated key has the X-RateLimit headers.',
    'RATE-7': 'A refused request is not counted.',
  },
  Credits: {
    'CRED-1': 'Search, context, ask and their console counterparts cost 1 credit when they succeed.',
    'CRED-2': 'Nothing else costs credits.',
    'CRED-3': 'A refused or failed request costs nothing.',
    'CRED-4': 'Credits reset at the start of a period.',
    'CRED-5':
      'Over the cap of a hard-block tier, requests return 429 quota_exceeded with creditsUsed, creditsIncluded and resetAt.',
    'CRED-6': 'Over the cap of a metered tier, requests are served.',
    'CRED-7': 'The cap is exact under concurrency, also across instances.',
    'CRED-8':
      'GET /v1/console/billing returns creditsUsed, creditsIncluded and creditsRemaining of the current period.',
    'CRED-9':
      'trialing, active, past_due and internal allow retrieval; any other status, or none, returns 402 subscription_required.',
    'CRED-10':
      "An agent (a live key with search, context or ask) or a connector beyond the tier's limit returns 402 plan_limit_reached.",
    'CRED-11': 'An internal workspace has no limits.',
    'CRED-12':
      'Charges are counted exactly by day, caller and kind of answer in the charging transaction, and shown to admins; no query is stored.',
  },
  Payments: PAYMENT_REQUIREMENTS,
  Console: CONSOLE_REQUIREMENTS,
  'Webhooks to workspaces': WEBHOOK_REQUIREMENTS,
  Operations: {
    'OPS-1':
      '/healthz returns 200 while the process runs, /readyz 200 once it can serve and 503 while it drains.',
    'OPS-2': '/openapi.json is the OpenAPI 3.1 document, /docs its page, /metrics Prometheus metrics.',
    'OPS-3': 'Operator routes require their own token, and do not exist without that setting.',
    'OPS-8':
      'Search is exact, unless the operator built an approximate index for the organization and its vectors are not in memory; /metrics shows which path was used.',
    'OPS-9':
      'A removed workspace is inaccessible immediately, and finally no table has a row of it; other workspaces do not change.',
    'OPS-10':
      'People without a present or former workspace are deleted: with the last workspace, or 30 days after their last sign-in.',
    'OPS-4': 'The version is in the path: /v1.',
    'OPS-5': 'While the process drains, every other route returns 503 not_ready with Retry-After.',
    'OPS-6': 'Without a terminal, all output of the process is JSON lines.',
    'LOAD-1': 'While a large or hostile body is processed, other requests are answered.',
    'LOAD-2': 'Sixty small concurrent ingests of one key all succeed.',
    'LOAD-3': "An organization that sends too much does not take the other organizations' turns.",
    'LOAD-4': 'A client that sends slowly is disconnected, and the memory of request bodies is bounded.',
    'OPS-7':
      'In a browser, / shows what the service is and where to begin, and an unknown path shows a page; neither runs scripts nor loads anything. Programs get JSON.',
  },
  Reference: {
    'REF-1': "Every agent operation's example succeeds unchanged, with existing IDs.",
    'REF-2': 'Every property of the reference has a description.',
    'REF-3': 'Every operation has valid examples of its request, its responses and its errors.',
    'REF-4':
      '/llms.txt gives language models the same information: each agent operation, the errors, the limits, the keys.',
  },
}

export const REQUIREMENTS: readonly Requirement[] = Object.entries(SECTIONS).flatMap(([section, texts]) =>
  Object.entries(texts).map(([id, text]) => ({ id, section, text })),
)
