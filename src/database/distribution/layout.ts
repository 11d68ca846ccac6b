import type { Schema } from '../schema.ts'

/**
 * Where a distributed PostgreSQL (Citus) stores the rows of a table.
 * - `reference`: a full copy on every server, so that any row can refer to it. Writes reach all servers: for rows that
 *   rarely change.
 * - `tenant`: sharded by `organization_id`, with an organization's rows on one server. Every statement names the
 *   organization.
 * - `coordinator`: on the coordinator and known to Citus, so that its rows can refer to a reference table. For rows
 *   looked up by something other than the organization.
 * - `plain`: on the coordinator and unknown to Citus: plain PostgreSQL runs its statements.
 */
export type Placement = 'reference' | 'tenant' | 'coordinator' | 'plain'

/** Every table's placement, in the order of distribution: after those it refers to. Deletion goes in reverse. */
export const LAYOUT = {
  embedding_models: 'reference',
  named_providers: 'reference',
  organizations: 'reference',
  users: 'reference',

  subscriptions: 'tenant',
  credit_reservations: 'tenant',
  payment_accounts: 'tenant',
  payment_events: 'tenant',
  overage_reports: 'tenant',
  audit_events: 'tenant',
  connector_access: 'tenant',
  sources: 'tenant',
  sync_runs: 'tenant',
  sync_run_failures: 'tenant',
  source_credentials: 'tenant',
  grant_revocations: 'tenant',
  push_events: 'tenant',
  access_policies: 'tenant',
  access_policy_principals: 'tenant',
  source_items: 'tenant',
  synced_items: 'tenant',
  chunks: 'tenant',
  chunk_embeddings: 'tenant',
  ingest_parts: 'tenant',
  item_revisions: 'tenant',
  item_changes: 'tenant',
  canvas_work: 'tenant',
  entities: 'tenant',
  item_entities: 'tenant',
  entity_totals: 'tenant',
  entity_names: 'tenant',
  reembeddings: 'tenant',
  evidence_calibrations: 'tenant',
  approximate_indexes: 'tenant',
  outgoing_webhooks: 'tenant',
  webhook_deliveries: 'tenant',
  credit_notices: 'tenant',
  daily_usage: 'tenant',
  people: 'tenant',
  person_groups: 'tenant',
  principal_members: 'tenant',
  permission_polls: 'tenant',
  threads: 'tenant',
  request_log: 'tenant',
  evaluation_questions: 'tenant',
  evaluation_runs: 'tenant',
  evaluation_results: 'tenant',

  // Looked up by the hash of a secret, by user, or by the hash of a state.
  api_keys: 'coordinator',
  memberships: 'coordinator',
  former_members: 'coordinator',
  invitations: 'coordinator',
  oauth_states: 'coordinator',
  scim_tokens: 'coordinator',

  // Its one statement reads the clock in an update under the row's lock, which Citus refuses on distributed tables.
  rate_windows: 'plain',
} as const satisfies Record<keyof Schema, Placement>
