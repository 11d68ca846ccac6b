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
    'SURF-1': 'Routes under /v1 that are not under /v1/console take API keys and nothing else.',
    'SURF-2': 'Routes under /v1/console take bearer tokens of the identity provider, never API keys.',
    'SURF-3': 'Bodies are JSON in UTF-8, and a request with a body says so in Content-Type.',
    'SURF-4': 'Timestamps are ISO 8601 in UTC.',
    'SURF-5': 'Identifiers are version 4 UUIDs.',
    'SURF-6': 'The providers are slack, google_drive, notion and gmail, and no other.',
    'SURF-7': 'The same query over the same data gets the same answer.',
    'SURF-8': 'No web page of another origin may call any route: there is no CORS, and a preflight gets 405.',
  },
  'API keys': {
    'KEY-1':
      'A key has id, name, prefix, actorType, allowedActions, allowedProviders, lastUsedAt, createdAt, and nothing else.',
    'KEY-2': 'A secret is svc_ and 43 characters of base64url.',
    'KEY-3': 'The prefix is the first 12 characters of the secret and begins with svc_.',
    'KEY-4': 'The secret is shown once: in the answer that makes the key, and never again.',
    'KEY-5': "Only the secret's SHA-256 is stored.",
    'KEY-6':
      'actorType is agent, application or admin, agent when not said, and changes no permission and no plan limit.',
    'KEY-7':
      'allowedProviders is null or has at least one provider; when not said, it is that of the key that mints, and null where a person does.',
    'KEY-8': 'allowedActions has at least one action and none twice.',
    'KEY-9': 'Making a key answers 201 with apiKey and secret.',
    'KEY-10': 'The list has the live keys of the organization, newest first.',
    'KEY-11': 'Revoking answers the key and revokedAt.',
    'KEY-12': 'A revoked key is refused from the very next request on.',
    'KEY-13': 'That holds on every instance of the service.',
    'KEY-14': 'The key that authenticates a request cannot be revoked by it: 409.',
    'KEY-15': 'lastUsedAt is null until the key is first used, and then exact to the minute.',
    'KEY-16': 'The key routes need the action admin.',
    'KEY-17':
      'A key with a provider scope mints, and revokes, keys of the same or a narrower scope only: 403.',
    'KEY-18':
      'An organization has at most 1,000 live keys, however many are minted at once: 409 with the number.',
    'KEY-19': 'A key with a provider scope is refused where a job reaches further than it does: 403.',
    'KEY-20': 'A key with a provider scope sees and touches nothing of another provider through any route.',
  },
  Sources: {
    'SRC-1':
      'A source has id, provider, status, displayName, externalAccountId, lastSyncedAt, errorMessage, channelAllowlist, sourceItemCount, policyHealth, createdAt, updatedAt, and nothing else.',
    'SRC-2': 'GET /v1/sources answers the sources of the organization.',
    'SRC-3': 'sourceItemCount is the number of items that the source brought.',
    'SRC-4': 'An API key can change the channel allowlist of a Slack source and nothing else about a source.',
    'SRC-5': 'channelAllowlist is required there, and is an array of channel ids or null.',
    'SRC-6': 'The change answers id, provider, displayName and channelAllowlist.',
    'SRC-7': 'A person can make a push-only source, which is active at once: 201.',
    'SRC-8': 'A person can rename, pause and resume a source.',
    'SRC-9': 'Removing a source removes everything that it brought.',
    'SRC-10': 'Only the sources of the providers in scope are shown to a key.',
    'CHN-1': 'Channels of a source that is not Slack: 400.',
    'CHN-2': 'Channels of a Slack source answer channels and channelAllowlist.',
  },
  'Connecting accounts': {
    'OAUTH-1':
      "Authorize answers the provider's page to send the browser to, with a state and, where the provider takes one, a PKCE challenge that the exchange has to meet.",
    'OAUTH-2': 'A callback whose state is missing, malformed or unknown: 400 malformed_state.',
    'OAUTH-3': 'A state serves once, and for ten minutes.',
    'OAUTH-4': 'A state is bound to the provider that it was made for.',
    'OAUTH-5':
      'A state is bound to the person and the workspace that began: the source comes into that workspace, and only while that person may connect one.',
    'OAUTH-6': 'The callback needs neither an API key nor a token.',
    'OAUTH-7':
      "The callback sends the browser back to the console, with the source or with the provider's error.",
    'OAUTH-8': 'The first sync starts by itself once OAuth has completed.',
    'OAUTH-9': 'A provider that refuses or fails meanwhile: 502 upstream_error in its words.',
    'OAUTH-10': 'Connecting an account again renews the grant of its source and makes no second one.',
    'OAUTH-11': 'Whoever reads the database learns no state that could be used.',
    'OAUTH-12':
      'The callback connects at once only in the browser that began, known by a cookie that authorize sets: HttpOnly, SameSite=Lax.',
    'OAUTH-13':
      'In any other browser it answers 200 with a page that works without script, names the workspace and who asked, and connects with one click, once; nothing is stored before.',
    'OAUTH-14':
      "That click can be neither forged nor stolen by another page, which cannot read the provider's code either.",
    'OAUTH-15': 'A callback that fails answers a page to a browser and JSON to programs.',
    'CONN-1':
      "slack and notion are connected without asking; google_drive and gmail need the operator's leave, unless GATED_PROVIDERS says otherwise.",
    'CONN-2':
      'Asking for a gated provider answers 201 with id, provider, status and createdAt; asking twice asks once.',
    'CONN-3': 'The first asking, and no other, records connector_access.request.',
    'CONN-4': 'Authorize and callback of a gated provider answer 403 without the leave.',
    'CONN-5': 'A provider that is not configured answers 503 not_configured with the names of its settings.',
    'CONN-6': 'Tokens are encrypted at rest, and a ciphertext decrypts in its own row only.',
    'CONN-7':
      'Of a list of keys the first encrypts and all decrypt; what an older one has encrypted is encrypted anew.',
    'CONN-8': 'A token is renewed ahead of its end, by one worker however many need it.',
    'CONN-9': 'Deleting a source removes all that it brought and ends its grant at the provider.',
    'CONN-10':
      'A grant that another source lives on is not ended; a provider that is down is asked again later.',
    'CONN-11':
      'policyHealth is there for Google Drive alone: how many files lack their access policy, and how to fix it.',
    'CONN-12': 'connector.authorize and connector.connect are recorded.',
    'CONN-13': "A provider that refuses to list its channels: 502 upstream_error in the provider's words.",
  },
  'Sync runs': {
    'RUN-1':
      'A run has id, connectorId, status, fullResync, startedAt, finishedAt, itemsDiscovered, itemsIngested, itemsDeleted, errorMessage, createdAt, and nothing else.',
    'RUN-2': "The list has the organization's runs, newest first.",
    'RUN-3': 'Asking for a run answers 201 with a queued run and alreadyActive false.',
    'RUN-4': 'While one is queued or running, that one is returned with alreadyActive true and 202.',
    'RUN-5': 'At most one run of a source is active, however many ask at once.',
    'RUN-6': 'Once a run has ended, the next request makes a new one.',
    'RUN-7': 'fullResync is false when not said.',
    'RUN-8': 'A push-only source refuses runs with 409.',
    'RUN-9': 'A disabled source refuses runs with 409.',
    'SYNC-1':
      'A source is polled about every SYNC_INTERVAL_MINUTES, each time up to a twentieth earlier or later.',
    'SYNC-2': 'Of many sources that are due at once, some start at a time.',
    'SYNC-3': 'Disabled and push-only sources are not polled.',
    'SYNC-4':
      'After a worker dies, another continues its run from the saved cursor, and every item is stored once.',
    'SYNC-5': 'A source is pending until its first run succeeds, and active then.',
    'SYNC-6':
      'A run that fails makes its source error with its message, and one that succeeds makes it active again.',
    'SYNC-7': 'A source that a person pauses is disabled: its run ends, and it stays so until it is resumed.',
    'SYNC-8':
      'itemsDiscovered counts the items that the provider returned, itemsIngested those that were new or changed and stored.',
    'SYNC-9': 'itemsDeleted counts the items that the run removed.',
    'SYNC-10':
      "errorMessage has the provider's words as they came, and nothing of what broke inside the service.",
    'SYNC-11':
      'fullResync drops the cursor, ingests every item anew, counted in itemsIngested, and removes what the provider no longer has.',
    'SYNC-12':
      'A changed allowlist takes effect with the next run, which deletes what left it; no other public channel is joined.',
    'SYNC-13':
      'An item that cannot be read, cut or stored, whatever is thrown, is recorded with its run, counted once, and fails neither the run nor the others.',
    'SYNC-14': 'The next run deletes what was removed at the provider, by its id and from search.',
    'SYNC-15':
      'A rate limit is waited out for as long as the provider says, and each refusal costs one request more.',
    'SYNC-16': 'A token that expires in the middle of a run is renewed, and the run continues.',
    'SYNC-17':
      "A grant that is gone ends the run in the provider's words, and the source is asked rarely until it is connected again.",
    'SYNC-18':
      'A short outage is waited out; a long one fails the run, loses nothing, and is caught up with by the next.',
    'SYNC-19': 'A run never removes a document that was pushed.',
    'SYNC-20': 'A worker that stops hands its runs back, to be gone on with at once.',
    'SYNC-21': 'One worker works on a run, and one that lost its lease writes nothing.',
    'SYNC-22': 'A source that is stuck holds up no other.',
    'SYNC-23': 'A cursor that the provider no longer takes makes the run a full resync.',
    'SYNC-24': 'A run that a poll started records no audit event.',
    'SYNC-25':
      'A failed run shows whether the account has to be connected again, and when its source is synced next.',
  },
  Webhooks: {
    'HOOK-1': "Slack's events need no API key, but Slack's signature of the last 5 minutes: 401 without it.",
    'HOOK-2': 'The challenge of a URL verification is answered.',
    'HOOK-3': 'An event that comes again is dropped by its id.',
    'HOOK-4': 'A change that an event announces is read without waiting for the poll.',
    'HOOK-5': 'An app that was removed puts its source in error.',
  },
  Maintenance: {
    'MAINT-1':
      'POST /v1/maintenance/slack/cleanup-system-events takes dryRun, false when not said, and answers scanned, deleted and dryRun.',
    'MAINT-2':
      "It removes Slack's system messages that were stored as content, and nothing else; on a dry run nothing.",
    'MAINT-3': 'It records maintenance.slack.cleanup_system_events with these numbers.',
    'MAINT-4': 'It needs the action admin.',
    'MAINT-5': 'It looks at the messages of the organization, and refuses a key that may not see Slack.',
  },
  Ingest: {
    'ING-1': 'A document needs connectorId, provider, sourceKind, externalId, title and body.',
    'ING-2':
      'url, authorName, sourceCreatedAt, sourceUpdatedAt and metadata may be left out; metadata is {} then.',
    'ING-3': 'documents has at least one entry and at most 1,000.',
    'ING-4': 'Organization, provider and externalId make an item; posting it again updates it.',
    'ING-5': 'ingested counts new and updated documents, skipped those with identical content.',
    'ING-6': 'A request is all or nothing: one bad entry, and its index is named and nothing is stored.',
    'ING-7': 'Two entries with one key in one request: 400.',
    'ING-8': "A connector that is not the organization's own: 404.",
    'ING-9': 'A connector of another provider: 400.',
    'ING-10': 'Documents are searchable when the call returns.',
    'ING-11': 'metadata is free-form, and its accessPolicy comes back with retrieval.',
    'ING-12': 'A request over 10 MiB: 413 with the limit named.',
    'ING-13': 'A body over 1 MiB of text: 400 with the limit named.',
    'ING-14':
      'An item can be shown, and removed by id or by provider and externalId, with all that was made of it.',
    'ING-15': 'NUL and lone surrogates are cleaned and fail no batch.',
    'ING-16': 'sourceKind is message, document or file.',
    'ING-17': 'A url is absolute; one that a browser would execute or read locally is refused with 400.',
    'ING-18': 'A document whose body shows nothing is found by its title, and its hit has that for content.',
  },
  Retrieval: {
    'HIT-1':
      'A hit has sourceItemId, title, content, url, provider, score, metadata, syncedAt, and nothing else.',
    'HIT-2': 'url is an empty string when the item has none.',
    'HIT-3': 'Hits are ordered by score, which is between 0 and 1, the best first.',
    'HIT-4': 'Hits are chunks: an item can appear with several.',
    'HIT-5': 'A chunk with a score of 0 is not a hit.',
    'SEA-1': 'query is required: 1 to 8,192 characters after trimming.',
    'SEA-2': 'limit is an integer from 1 to 25, 8 when not said.',
    'SEA-3': 'The answer echoes the query and has hits.',
    'SEA-4': "Hits of providers out of the key's scope are not there, and nothing tells of them.",
    'SEA-5': 'A key scoped to a rare provider gets its full limit of hits.',
    'SEA-6': 'The query goes to the embedding model exactly as it was sent.',
    'SEA-8':
      'Vectors of two models are never mixed: what cannot be answered by the stored one is refused with 409.',
    'SEA-9': 'No caller gets anything of another organization, or of a provider out of scope.',
    'SEA-10':
      'rank is vector, unless hybrid is asked for; hits in hybrid order carry relevance, 0 to 1 and descending, beside score; scope, filter and limit hold.',
    'SEA-7': 'filter narrows by provider, kind, author, dates, connector and metadata.',
  },
  'The list of what is stored': {
    'LIST-1':
      'GET /v1/source-items answers sourceItems and nextCursor; an item has id, provider, connectorId, sourceKind, externalId, title, url, authorName, sourceUpdatedAt, updatedAt, syncedAt, and nothing else.',
    'LIST-2': 'Items come by updatedAt, the newest first, and by id where it is equal.',
    'LIST-3':
      'updatedAt is when the content of the stored item last changed here, and moves with nothing else.',
    'LIST-4': 'provider, connectorId and sourceKind narrow the list.',
    'LIST-5': 'limit is an integer from 1 to 200, 50 when not said.',
    'LIST-6': 'Over all pages every item that stays as it is comes once, whatever is written meanwhile.',
    'LIST-7': 'A cursor that is malformed, or of another list: 400.',
    'LIST-8': "The list is within the key's scope, and items of removed sources are not in it.",
    'LIST-9':
      'The list needs the action search or any role, shares the window of search, and costs no credit.',
  },
  'Memory canvas': CANVAS_REQUIREMENTS,
  'Context Contract': {
    'CTX-1': 'The answer has contract, query, hits, citations, exclusions and limitations.',
    'CTX-2': "contract has version 1.0, requestId, endpoint, issuedAt, and the caller's actor type and key.",
    'CTX-3': 'requestId is the targetId of the audit event that the call emits.',
    'CTX-4': 'query has the query as sent and the limit applied.',
    'CTX-5': 'Hits have the shape and order of search.',
    'CTX-6': 'There is one citation for each hit, numbered from 1 in their order.',
    'CTX-7': 'exclusions has one provider_scope for each provider out of scope, stored or not.',
    'CTX-8': 'limitations has provider_scope_applied when, and only when, the key has a scope.',
    'CTX-9':
      'limitations has source_stale for a source in scope that failed or last synced over an hour ago.',
    'CTX-11': 'limitations has embedding_fallback when another model than the configured one answered.',
    'CTX-12':
      'limitations has weak_evidence where even the nearest passage is too far from the question to answer it; ask agrees.',
    'CTX-13':
      'limitations has approximate_search where, and only where, an approximate index was searched; ask agrees.',
    'CTX-10': 'limitations has source_sync_incomplete while the first sync is unfinished.',
  },
  Ask: {
    'ASK-1': 'The answer has question, answer, citations, context and limitations.',
    'ASK-2': 'Each [N] in the answer is a citation, and each citation stands in the answer.',
    'ASK-3': 'limit is the number of hits that the language model is given.',
    'ASK-4':
      'Without a language model, or when it fails, the answer is a synthesis of the top hits, the same every time.',
    'ASK-5':
      'When nothing relevant is found, the answer begins "I could not find company context for:" and has the query; citations and context are empty.',
    'ASK-6': 'A marker that points nowhere is removed.',
    'ASK-7': 'Context items have sourceItemId, title, content, url, provider and score.',
    'ASK-8': 'Accept: text/event-stream streams context, delta, citations and done.',
    'ASK-9': 'A stream that breaks says so and is not charged.',
    'ASK-12':
      'A stream that reaches its time limit after text was sent ends with answer_truncated, citations and done, and is charged.',
    'ASK-11':
      'Where the evidence is weak, limitations has weak_evidence, and an answer from relevant passages without a language model begins "Nothing stored answers this directly." and cites the closest passages; it costs what any answer costs.',
    'ASK-10': "Only what is in the key's scope is used.",
  },
  Audit: {
    'AUD-1':
      'An event has id, organizationId, actorUserId, actorApiKeyId, action, targetType, targetId, metadata, createdAt, and nothing else.',
    'AUD-2': 'Exactly one of actorUserId and actorApiKeyId is not null: people and keys are recorded apart.',
    'AUD-3': 'limit is 1 to 500, 100 when not said.',
    'AUD-4': 'Events come newest first, and only those of the organization.',
    'AUD-5':
      'context.retrieve is recorded for every /v1/context call with requestId, query, hitCount, citationCount, exclusionCount and providers.',
    'AUD-17':
      'Every retrieval records search.retrieve, context.retrieve or ask.retrieve in the act of charging it, in the API, the console and over MCP; one that is refused or fails records none.',
    'AUD-6':
      'api_key.create has targetType api_key and name, prefix, actorType, allowedActions, allowedProviders.',
    'AUD-7': 'Revoking a key records api_key.revoke.',
    'AUD-8': 'A changed allowlist records connector.allowlist.update.',
    'AUD-9': 'A new workspace records organization.create.',
    'AUD-10':
      'A run asked for by a person or a key records sync_run.create; one that is already active does not.',
    'AUD-11': 'Everything that changes something records an event of its own.',
    'AUD-12': 'No event, log line or error has a key secret, a token, content of an item or an answer.',
    'AUD-13': 'The audit route needs the action admin.',
    'AUD-15':
      'People filter the trail by action, actor, target, from and to, and page through it without end, missing nothing and seeing nothing twice.',
    'AUD-16':
      'People export what a filter lets through as CSV that no spreadsheet takes for formulas, or as JSON lines; it is read as it is taken, and recorded.',
    'AUD-14':
      'A key with a provider scope sees no event that names an item, source or query result of another provider, and as many of the others as limit says.',
  },
  Authentication: {
    'AUTH-1': 'Each agent route needs Authorization: Bearer and an API key; missing or invalid is 401.',
    'AUTH-2': "A valid key without the route's action is 403.",
    'AUTH-3': 'Each action grants exactly its routes.',
    'AUTH-4': 'Provider scope null means no restriction.',
    'AUTH-5': 'A console token is checked for issuer, audience, expiry, algorithm and signature.',
    'AUTH-6': 'Without a configured issuer and on loopback, a development issuer signs people in.',
    'AUTH-7':
      'It is there neither where HOST or PUBLIC_URL is not loopback, nor for a request that came through a proxy or from another page.',
  },
  Errors: {
    'ERR-1': 'Every error is a JSON body with error and code, and code is one of a closed list.',
    'ERR-2':
      'A validation error lists issues with path and message, in sentences that name the field; unknown fields come first, with the nearest name.',
    'ERR-3': 'A 500 tells nothing of the inside.',
    'ERR-4': 'Every response carries X-Request-Id, and so does its log line.',
    'ERR-5': 'An unknown route or resource: 404.',
    'ERR-6': 'A resource of another organization answers exactly as one that does not exist.',
    'ERR-7': 'A wrong method: 405 with the right ones in Allow.',
    'ERR-8': 'A body that is too large: 413.',
    'ERR-9': 'A body that is not JSON by its Content-Type: 415.',
    'ERR-10': 'Unknown fields in a body are refused with 400.',
    'ERR-11': 'Hostile input is never a 5xx, and stores nothing.',
    'ERR-12': 'Routes whose settings are missing return 503 not_configured.',
    'ERR-13': 'Checks come in this order: 401, 403, 429 for rate, 400, 402, 429 for credits.',
    'ERR-14':
      'While the database is away or too much is going on, every surface answers 503 not_ready or overloaded with Retry-After, and serves again by itself.',
    'ERR-15': 'A request that does not arrive in time: 408 request_timeout.',
    'ERR-16': 'Unknown query parameters are refused with 400 that names those the route has.',
    'ERR-17':
      'A request without a body counts as one with an empty object where every field may be left out.',
    'ERR-18':
      'A 401 says what is wrong with the Authorization header, but never why a key is not valid: unknown, malformed and revoked ones answer alike. WWW-Authenticate is as RFC 6750 has it.',
    'ERR-19': 'Every error body links to the entry of its code in the reference of errors.',
    'ERR-20':
      'A slash at the end of a path changes nothing; an unknown route suggests the nearest one, and tells nothing of what is stored.',
  },
  'Rate limit': {
    'RATE-1': '60 requests a minute for each key and action, unless API_RATE_LIMIT_PER_MIN says otherwise.',
    'RATE-2': 'The minute rolls.',
    'RATE-3': 'Instances share the count.',
    'RATE-4':
      'Each action has a bucket of its own: 50 searches and 50 contexts pass, the 61st call of one does not.',
    'RATE-5':
      'A refusal has Retry-After and X-RateLimit-Limit, -Remaining (0) and -Reset, and a body with error, action, limit, retryAfterSeconds and resetAt.',
    'RATE-6': 'Every /v1 answer to an authenticated key has the X-RateLimit headers.',
    'RATE-7': 'A refused request is not counted.',
  },
  Credits: {
    'CRED-1': 'Search, context, ask and their console twins cost 1 credit when they succeed.',
    'CRED-2': 'Nothing else costs.',
    'CRED-3': 'A request that is refused or fails costs nothing.',
    'CRED-4': 'Credits reset at the start of a period.',
    'CRED-5':
      'Over the cap of a hard-block tier: 429 quota_exceeded with creditsUsed, creditsIncluded and resetAt.',
    'CRED-6': 'Over the cap of a metered tier requests are served.',
    'CRED-7': 'The cap is exact under concurrency, on several instances too.',
    'CRED-8':
      'GET /v1/console/billing has creditsUsed, creditsIncluded and creditsRemaining of the current period.',
    'CRED-9':
      'trialing, active, past_due and internal retrieve; every other status, or none, is 402 subscription_required.',
    'CRED-10':
      "An agent (a live key that holds search, context or ask) or a connector beyond the tier's number: 402 plan_limit_reached.",
    'CRED-11': 'internal is unlimited.',
    'CRED-12':
      'Charges are counted exactly by day, caller and kind of answer in the charging transaction, and shown to admins; no query is stored.',
  },
  Payments: PAYMENT_REQUIREMENTS,
  Console: CONSOLE_REQUIREMENTS,
  'Webhooks to workspaces': WEBHOOK_REQUIREMENTS,
  Operations: {
    'OPS-1':
      '/healthz answers 200 while the process lives, /readyz 200 once it can serve and 503 while it drains.',
    'OPS-2': '/openapi.json is the OpenAPI 3.1 document, /docs its page, /metrics Prometheus metrics.',
    'OPS-3': 'The operator surface needs its own token, and without that setting does not exist.',
    'OPS-8':
      "Search is exact, unless the organization's operator asked for an approximate index and memory does not answer; /metrics tells which path did.",
    'OPS-9':
      'A removed workspace is inaccessible at once, and in the end no table has a row of it; other workspaces do not change.',
    'OPS-10':
      'People without a present or former workspace are deleted: with the last workspace, or 30 days after their last sign-in.',
    'OPS-4': 'The version is in the path: /v1.',
    'OPS-5': 'While the process drains, every other route answers 503 not_ready with Retry-After.',
    'OPS-6': 'Without a terminal, all that the process writes is lines of JSON.',
    'LOAD-1': 'While a large or hostile body is handled, other requests are answered.',
    'LOAD-2': 'Sixty small ingests at once of one key are all taken.',
    'LOAD-3': 'One organization that sends more than can be handled leaves the others their turn.',
    'LOAD-4': 'A client that sends slowly is cut off, and what bodies hold in memory is bounded.',
    'OPS-7':
      'In a browser, / shows what the service is and where to begin, and an unknown path a page; they run and load nothing. Programs get JSON.',
  },
  Reference: {
    'REF-1': "Every agent operation's example succeeds as it stands, with ids of things that there are.",
    'REF-2': 'Every property of the reference has a description.',
    'REF-3': 'Every operation has examples of its request, its answers and its errors, and they are valid.',
    'REF-4':
      '/llms.txt tells language models the same: each agent operation, the errors, the limits, the keys.',
  },
}

export const REQUIREMENTS: readonly Requirement[] = Object.entries(SECTIONS).flatMap(([section, texts]) =>
  Object.entries(texts).map(([id, text]) => ({ id, section, text })),
)
