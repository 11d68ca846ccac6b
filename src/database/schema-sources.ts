import type { Generated } from 'kysely'
import type { FailureCode, ItemFailureCode } from '../kernel/failure-codes.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Leased, Nullable, NullableJson, TenantRow } from './schema-columns.ts'
import type { SourceStatus, SyncRunStatus } from './schema-words.ts'

export interface SourcesSchema {
  /** The providers that every workspace has received a push-only source of. */
  named_providers: { provider: ProviderId }
  sources: TenantRow & {
    provider: ProviderId
    push_only: boolean
    status: SourceStatus
    display_name: string
    external_account_id: string
    last_synced_at: Nullable<Date>
    error_message: Nullable<string>
    error_code: Nullable<FailureCode>
    /** Counted when a run ends; null: not yet. */
    items_skipped: Nullable<number>
    channel_allowlist: Nullable<string[]>
    policy_health: NullableJson
    /** JSON; null asks the provider for everything. */
    sync_cursor: Nullable<string>
    last_snapshot: Nullable<string>
    next_poll_at: Nullable<Date>
    push_since: Nullable<Date>
    /** JSON: who may read what it brought, where its provider cannot tell; null: `connector`. */
    audience: Nullable<string>
    /** The verified address of the person who connected it. */
    connected_by: Nullable<string>
    /** Its items are being deleted and are no longer shown. */
    removed_at: Nullable<Date>
    beyond_plan: Generated<boolean>
    created_at: Date
    updated_at: Date
  }
  sync_runs: Leased &
    TenantRow & {
      source_id: string
      status: SyncRunStatus
      full_resync: boolean
      started_at: Nullable<Date>
      finished_at: Nullable<Date>
      items_discovered: Generated<number>
      items_ingested: Generated<number>
      items_deleted: Generated<number>
      items_failed: Generated<number>
      items_unchanged: Generated<number>
      items_skipped: Generated<number>
      error_message: Nullable<string>
      error_code: Nullable<FailureCode>
      not_before: Nullable<Date>
      waiting_since: Nullable<Date>
      takes: Generated<number>
      needs_reconnection: Generated<boolean>
      created_at: Date
    }
  sync_run_failures: {
    organization_id: string
    run_id: string
    external_id: string
    message: string
    code: Nullable<ItemFailureCode>
    title: Nullable<string>
    /** Left out, without a failure. */
    is_skip: Generated<boolean>
    created_at: Date
  }
  /** A source's claim on an item that its runs brought. */
  synced_items: {
    organization_id: string
    source_id: string
    /** The item's. */
    external_id: string
    source_item_id: string
    /** The full crawl that saw it last. */
    snapshot: Nullable<string>
    has_policy: Generated<boolean>
  }
  source_credentials: {
    organization_id: string
    source_id: string
    ciphertext: Buffer
    version: Generated<number>
    refresh_lease_expires_at: Nullable<Date>
    updated_at: Date
  }
  grant_revocations: {
    organization_id: string
    /** The removed source's ID; a new ID if the source has a newer grant. */
    id: string
    provider: ProviderId
    external_account_id: string
    ciphertext: Buffer
    attempts: Generated<number>
    next_attempt_at: Date
  }
  oauth_states: {
    state_sha256: Buffer
    organization_id: string
    user_id: string
    provider: ProviderId
    code_verifier_ciphertext: Buffer
    /** The hash of the cookie in the browser that started the flow. */
    browser_sha256: Nullable<Buffer>
    awaits_choice: Generated<boolean>
    expires_at: Date
  }
  push_events: {
    organization_id: string
    source_id: string
    event_id: string
    position: Generated<number>
    /** JSON. */
    hints: string
    received_at: Date
    read_at: Nullable<Date>
  }
  connector_access: {
    organization_id: string
    provider: ProviderId
    id: string
    status: 'pending' | 'granted' | 'denied'
    requested_by_user_id: string | null
    created_at: Date
    updated_at: Date
  }
}
