const RESET_AT = '2026-03-02T09:30:12.000Z'

/**
 * Every `code` of an error body, with its HTTP status and an example of its message and extra fields. The list is closed;
 * docs/reference/errors.md documents it.
 */
export const ERRORS = {
  validation_failed: {
    http: 400,
    error: 'limit must be from 1 to 25',
    issues: [{ path: 'limit', message: 'limit must be from 1 to 25' }],
  },
  malformed_json: { http: 400, error: 'The body is not valid JSON' },
  not_a_slack_source: { http: 400, error: 'Only Slack sources have channels' },
  audience_not_supported: {
    http: 400,
    error: 'Slack reports who may read each item, so its sources have no audience',
  },
  provider_mismatch: {
    http: 400,
    error: 'documents.0.provider: the connector belongs to google_drive, not to notion',
    index: 0,
    connectorProvider: 'google_drive',
  },
  duplicate_document: {
    http: 400,
    error: 'documents.1 has the same provider and externalId as documents.0; send each document once',
    index: 1,
    firstIndex: 0,
  },
  file_unreadable: {
    http: 400,
    error: 'The file has no text',
    reason: 'empty',
  },
  malformed_state: {
    http: 400,
    error: 'The state is unknown, already used or expired; connect again from the console',
  },
  invitation_invalid: {
    http: 400,
    error:
      'This invitation is no longer valid: it was used or revoked, or is over 7 days old; ask for another',
  },
  webhook_signature_invalid: {
    http: 400,
    error:
      "The request has no valid Stripe signature from the last 5 minutes; compare STRIPE_WEBHOOK_SECRET with the endpoint's signing secret",
  },
  unauthenticated: {
    http: 401,
    error: 'The Authorization header is missing; send an API key as Authorization: Bearer svc_…',
  },
  subscription_required: {
    http: 402,
    error:
      'Retrieval needs an active plan, but the subscription is canceled; fix it under Billing in the console',
    status: 'canceled',
  },
  plan_limit_reached: {
    http: 402,
    error:
      'The Builder plan covers 2 keys with search, context or ask and 2 are in use; revoke one or upgrade',
    resource: 'agents',
    tier: 'builder',
    used: 2,
    limit: 2,
  },
  action_not_allowed: {
    http: 403,
    error: 'This API key lacks the action "search"; create a key that has it',
  },
  role_required: { http: 403, error: 'This requires the role admin in the workspace' },
  provider_not_allowed: {
    http: 403,
    error: 'The new key covers gmail, but this API key is limited to slack; use a key without that limit',
    allowedProviders: ['slack'],
  },
  user_required: {
    http: 403,
    error: 'This API key reads on behalf of people only; name the person in onBehalfOf',
  },
  connector_access_required: {
    http: 403,
    error:
      "google_drive requires the approval of this deployment's operator; request it with POST /v1/console/connector-access",
  },
  invitation_for_another: {
    http: 403,
    error: 'This invitation is for another email address; sign in with the address that was invited',
  },
  origin_not_allowed: { http: 403, error: 'Web pages from other origins cannot call this service' },
  not_found: { http: 404, error: 'There is no such resource' },
  method_not_allowed: { http: 405, error: 'PUT is not allowed here; use GET or HEAD' },
  request_timeout: {
    http: 408,
    error: 'The request did not arrive in time; send it again on a faster connection or in smaller parts',
  },
  cannot_revoke_self: { http: 409, error: 'A key cannot revoke itself; use another key or the console' },
  key_limit_reached: {
    http: 409,
    error: 'An organization can have 1,000 active API keys and has 1,000; revoke one first',
    used: 1000,
    limit: 1000,
  },
  last_owner: {
    http: 409,
    error: 'A workspace needs at least one owner, and this is the last; make another member an owner first',
  },
  member_limit_reached: {
    http: 409,
    error: 'A workspace can have 1,000 members and has 1,000; remove one first',
    used: 1000,
    limit: 1000,
  },
  invitation_limit_reached: {
    http: 409,
    error: 'A workspace can have 100 open invitations and has 100; revoke one first',
    used: 100,
    limit: 100,
  },
  webhook_limit_reached: {
    http: 409,
    error: 'A workspace can have 20 webhooks and has 20; delete one first',
    used: 20,
    limit: 20,
  },
  webhook_disabled: { http: 409, error: 'The webhook is disabled; enable it first' },
  group_limit_reached: {
    http: 409,
    error: 'An organization can have at most 10,000 groups; delete one first',
    used: 10_000,
    limit: 10_000,
  },
  group_exists: { http: 409, error: 'A group with the name Finance already exists' },
  person_exists: { http: 409, error: 'A user with this userName already exists' },
  group_provisioned: {
    http: 409,
    error: 'Your identity provider manages the group "Finance"; change it there',
  },
  source_disabled: { http: 409, error: 'The source is paused; resume it in the console' },
  source_push_only: {
    http: 409,
    error: 'The source has no account to sync with; push documents to /v1/ingest',
  },
  item_not_synced: { http: 409, error: 'This item was pushed or imported; push or import it again' },
  plan_by_contract: {
    http: 409,
    error:
      "This workspace's plan is set by the operator of this deployment and cannot be bought or changed here; ask the operator",
    status: 'internal',
  },
  embedding_model_mismatch: {
    http: 409,
    error:
      'The stored vectors belong to a model that cannot be loaded; configure it again, or move to the new one',
  },
  approximate_index_refused: {
    http: 409,
    error:
      'Nothing is stored in this organization yet, so there are no vectors to index: store documents first',
  },
  removal_refused: {
    http: 409,
    error:
      'The payment processor still has a subscription for this workspace (sub_1Q2w3E): cancel it there, and delete the workspace after it ends',
    subscriptions: ['sub_1Q2w3E'],
  },
  body_too_large: { http: 413, error: 'The request body is larger than 262144 bytes', limitBytes: 262_144 },
  unsupported_media_type: { http: 415, error: 'Send the body as Content-Type: application/json' },
  rate_limited: {
    http: 429,
    error: 'Over the limit of 60 requests a minute for "search"; try again in 12 s',
    action: 'search',
    limit: 60,
    retryAfterSeconds: 12,
    resetAt: RESET_AT,
  },
  quota_exceeded: {
    http: 429,
    error: 'All 5000 credits of this period are used; upgrade, or wait until 2026-04-01T00:00:00.000Z',
    creditsUsed: 5000,
    creditsIncluded: 5000,
    resetAt: '2026-04-01T00:00:00.000Z',
  },
  headers_too_large: { http: 431, error: 'The request headers are larger than 16384 bytes' },
  internal: {
    http: 500,
    error:
      'Something went wrong on our side. Try again. If the error persists, report the X-Request-Id of this response',
  },
  upstream_error: { http: 502, error: 'The embedding model could not be reached; try again' },
  not_configured: {
    http: 503,
    error: 'This deployment does not offer slack: set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET',
  },
  not_ready: { http: 503, error: 'The service is stopping; try again in 5 s', retryAfterSeconds: 5 },
  overloaded: {
    http: 503,
    error: 'Too many searches are waiting in this workspace; try again in 30 s',
    retryAfterSeconds: 30,
  },
} as const satisfies Record<string, { http: number; error: string } & Record<string, unknown>>

export type ErrorCode = keyof typeof ERRORS

/** The HTTP status of each code. */
export const ERROR_CODES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(ERRORS).map(([code, { http }]) => [code, http]),
)
