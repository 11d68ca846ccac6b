import type { Schema } from '../schema.ts'

/**
 * Where the rows of a table are on a distributed PostgreSQL (Citus).
 * - `reference`: whole on every server, so that any row may refer to it. Writes reach all servers: for what seldom changes.
 * - `tenant`: by `organization_id`, all of an organization on one server. Every statement names the organization.
 * - `coordinator`: on the coordinator and known to Citus, so that its rows may refer to a reference table. For what is looked
 *   up by something else than the organization.
 * - `plain`: on the coordinator and unknown to Citus: its statements are PostgreSQL's own.
 */
export type Placement = 'reference' | 'tenant' | 'coordinator' | 'plain'

/**
 * The placement of every table, and the only place that says it. In the order in which they are distributed: a table comes
 * after those it refers to. An organization's rows are deleted in the reverse order (src/organization-removal).
 */
export const LAYOUT = {
  embedding_models: 'reference',
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

  // Looked up by the hash of a secret, by the user, by the hash of a state.
  api_keys: 'coordinator',
  memberships: 'coordinator',
  former_members: 'coordinator',
  invitations: 'coordinator',
  oauth_states: 'coordinator',
  scim_tokens: 'coordinator',

  // Its one statement reads the clock in an update, under the row's lock; no distributed table takes that.
  rate_windows: 'plain',
} as const satisfies Record<keyof Schema, Placement>
