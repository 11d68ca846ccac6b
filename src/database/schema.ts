import type { ColumnType, Generated, Insertable, Selectable } from 'kysely'
import type { Action, ActorType, ChargedAction, Role } from '../kernel/actions.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { Computed, Json, Leased, Nullable, NullableJson, TenantRow } from './schema-columns.ts'
import type { PeopleSchema } from './schema-people.ts'
import type {
  SubscriptionStatus,
  Tier,
  BillingInterval,
  PaymentRemark,
  SourceStatus,
  SourceKind,
  StoredEntityType,
  DeliveryStatus,
  WebhookDisabledReason,
  DeliveryError,
  SyncRunStatus,
} from './schema-words.ts'

export type * from './schema-words.ts'

/** The tables as the migrations leave them. JSON is written as `JSON.stringify` text and read parsed, on both drivers. */
export interface Schema extends PeopleSchema {
  embedding_models: {
    id: Generated<number>
    name: string
    dimensions: number
    settings: NullableJson
    ciphertext: Nullable<Buffer>
  }
  organizations: {
    id: string
    name: string
    embedding_model_id: Nullable<number>
    is_local: Generated<boolean>
    permissions: Generated<'off' | 'enforced'>
    /** Increases whenever a person's principals change. */
    permissions_revision: Generated<number>
    created_at: Date
    /** When its removal began. */
    removed_at: Nullable<Date>
    removal_lease_id: Nullable<string>
    removal_lease_expires_at: Nullable<Date>
  }
  users: {
    id: string
    issuer: string
    subject: string
    email: string | null
    name: string | null
    email_verified: Generated<boolean>
    created_at: Date
    seen_at: Nullable<Date>
  }
  memberships: { organization_id: string; user_id: string; role: Role; created_at: Date }
  former_members: { organization_id: string; user_id: string; left_at: Date }
  invitations: TenantRow & {
    secret_sha256: Buffer
    role: Role
    /** Lowercase; null: anyone with the link. */
    email: Nullable<string>
    created_by_user_id: string
    accepted_by_user_id: Nullable<string>
    created_at: Date
    expires_at: Date
  }
  subscriptions: {
    organization_id: string
    status: SubscriptionStatus
    tier: Nullable<Tier>
    credits_included: Nullable<number>
    agents_included: Nullable<number>
    connectors_included: Nullable<number>
    period_anchor: Date
    period_started_at: Date
    period_ends_at: Date
    credits_used: Generated<number>
    is_contract: Generated<boolean>
    over_cap: Nullable<'block' | 'metered'>
    extra_answer_micro_usd: Nullable<number>
    billing_interval: Nullable<BillingInterval>
    trial_ends_at: Nullable<Date>
    cancel_at_period_end: Generated<boolean>
    payment_method_missing: Generated<boolean>
    overage_answers: Generated<number>
    planned_at: Nullable<Date>
    planned_tier: Nullable<Tier>
    planned_interval: Nullable<BillingInterval>
    retrieves: Computed<boolean>
    credit_limit: Computed<number | null>
    blocks_over_cap: Computed<boolean>
    updated_at: Date
  }
  payment_accounts: Leased & {
    organization_id: string
    customer_id: Nullable<string>
    processor_subscription_id: Nullable<string>
    notices: Generated<number>
    notices_read: Generated<number>
    read_at: Nullable<Date>
    attempts: Generated<number>
    not_before: Nullable<Date>
    remarks: Generated<PaymentRemark[]>
    last_error: Nullable<string>
    created_at: Date
  }
  payment_events: { organization_id: string; event_id: string; type: string; received_at: Date }
  overage_reports: Leased &
    TenantRow & {
      period_started_at: Date
      window_started_at: Date
      answers: number
      sealed_at: Nullable<Date>
      customer_id: Nullable<string>
      attempts: Generated<number>
      unknown_since: Nullable<Date>
      next_attempt_at: Nullable<Date>
      last_error: Nullable<string>
      sent_at: Nullable<Date>
    }
  daily_usage: {
    organization_id: string
    /** ISO 8601, as it is written; PostgreSQL's driver reads it as a date of JavaScript. */
    day: ColumnType<Date, string, string>
    period_started_at: Date
    subject_id: string
    is_user: boolean
    surface: ChargedAction
    is_mcp: boolean
    requests: number
    credits: number
  }
  credit_reservations: { organization_id: string; id: string; period_started_at: Date; expires_at: Date }
  api_keys: TenantRow & {
    name: string
    prefix: string
    secret_sha256: Buffer
    actor_type: ActorType
    allowed_actions: Action[]
    allowed_providers: Nullable<ProviderId[]>
    is_bootstrap: Generated<boolean>
    last_used_at: Nullable<Date>
    created_at: Date
    revoked_at: Nullable<Date>
    beyond_plan: Generated<boolean>
    requires_user: Generated<boolean>
  }
  rate_windows: {
    organization_id: string
    subject_id: string
    action: string
    admitted_at: Date[]
    admitted_count: number[]
    /** How many requests the last statement counted. */
    last_admitted: Generated<number>
  }
  audit_events: TenantRow & {
    actor_user_id: string | null
    actor_api_key_id: string | null
    /** Only from the audit slice's closed list. */
    action: string
    target_type: string
    target_id: string
    metadata: Json
    /** The providers whose items, sources or query results it names; null: unknown. */
    providers: Nullable<ProviderId[]>
    created_at: Date
  }
  sources: TenantRow & {
    provider: ProviderId
    push_only: boolean
    status: SourceStatus
    display_name: string
    external_account_id: string
    last_synced_at: Nullable<Date>
    error_message: Nullable<string>
    channel_allowlist: Nullable<string[]>
    policy_health: NullableJson
    /** JSON; null asks the provider for everything. */
    sync_cursor: Nullable<string>
    last_snapshot: Nullable<string>
    next_poll_at: Nullable<Date>
    push_since: Nullable<Date>
    /** JSON: who may read what it brought, where its provider cannot tell; null: the person who connected it. */
    audience: Nullable<string>
    /** The verified address of the person who connected it. */
    connected_by: Nullable<string>
    /** What it brought is being deleted and is shown to nobody. */
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
      error_message: Nullable<string>
      not_before: Nullable<Date>
      takes: Generated<number>
      needs_reconnection: Generated<boolean>
      created_at: Date
    }
  sync_run_failures: {
    organization_id: string
    run_id: string
    external_id: string
    message: string
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
    /** The source's that is gone; one of its own where the source lives on another grant. */
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
    /** Of what the cookie of the browser holds where the flow began. */
    browser_sha256: Nullable<Buffer>
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
  source_items: TenantRow & {
    provider: ProviderId
    external_id: string
    source_id: string
    source_kind: SourceKind
    title: string
    body: string
    url: Nullable<string>
    author_name: Nullable<string>
    source_created_at: Nullable<Date>
    source_updated_at: Nullable<Date>
    metadata: Json
    content_sha256: Buffer
    /** Hash of the content that the memory canvas has read. */
    canvas_sha256: Nullable<Buffer>
    /** 0: nobody may read it; null: nobody until it is derived from the item. */
    policy_id: Nullable<number>
    synced_at: Date
    created_at: Date
    updated_at: Date
  }
  /** An organization's distinct policies. Rows never change. */
  access_policies: { organization_id: string; id: number; sha256: Buffer }
  access_policy_principals: {
    organization_id: string
    principal: string
    policy_id: number
    denies: boolean
  }
  chunks: {
    organization_id: string
    source_item_id: string
    position: number
    heading: Nullable<string>
    content: string
  }
  chunk_embeddings: {
    organization_id: string
    embedding_model_id: number
    source_item_id: string
    position: number
    provider: ProviderId
    /** A halfvec, written as the bytes of `encodeHalfvec` or as text `[0.1,0.2,…]`. */
    embedding: string
  }
  /** Documents of an ingest that takes several transactions, as JSON. The last part decides the ingest. */
  ingest_parts: { organization_id: string; ingest_id: string; part: number; items: string; decides: boolean }
  /** How often an organization's items changed. */
  item_revisions: { organization_id: string; revision: number }
  /** What each of the latest revisions changed: item ids as JSON; null: too many to list. */
  item_changes: { organization_id: string; revision: number; item_ids: Nullable<string> }
  canvas_work: Leased & { organization_id: string; revision: Nullable<string> }
  entities: TenantRow & {
    type: StoredEntityType
    key: string
    alias: Nullable<string>
    rank: number
  }
  item_entities: {
    organization_id: string
    source_item_id: string
    entity_id: string
    source_id: string
    role: 'author' | 'recipient' | 'channel' | 'mention' | 'source'
    names: string[]
    seen_at: Date
  }
  entity_totals: {
    organization_id: string
    source_id: string
    entity_id: string
    type: StoredEntityType
    items: number
    authored: number
  }
  entity_names: {
    organization_id: string
    source_id: string
    entity_id: string
    name: string
    alias: Nullable<string>
    words: string
    items: number
  }
  approximate_indexes: Leased & {
    organization_id: string
    embedding_model_id: number
    status: 'building' | 'ready' | 'failed'
    requested_at: Date
    finished_at: Nullable<Date>
    error_message: Nullable<string>
  }
  evidence_calibrations: Leased & {
    organization_id: string
    embedding_model_id: number
    provider: ProviderId
    chunks: Generated<number>
    level: Nullable<number>
    threshold: Nullable<number>
  }
  outgoing_webhooks: TenantRow & {
    url: string
    description: Nullable<string>
    event_types: Nullable<string[]>
    status: 'active' | 'disabled'
    disabled_reason: Nullable<WebhookDisabledReason>
    secret_ciphertext: Buffer
    previous_secret_ciphertext: Nullable<Buffer>
    previous_secret_expires_at: Nullable<Date>
    failing_since: Nullable<Date>
    created_at: Date
    updated_at: Date
  }
  webhook_deliveries: Leased &
    TenantRow & {
      webhook_id: string
      event_id: string
      type: string
      payload: string
      status: Generated<DeliveryStatus>
      attempts: Generated<number>
      next_attempt_at: Date
      last_attempt_at: Nullable<Date>
      response_status: Nullable<number>
      error: Nullable<DeliveryError>
      created_at: Date
    }
  credit_notices: { organization_id: string; period_started_at: Date; credit_limit: number; percent: number }
  reembeddings: TenantRow & {
    embedding_model_id: number
    status: 'running' | 'succeeded'
    after_item_id: Nullable<string>
    chunks_total: Nullable<number>
    started_at: Date
    finished_at: Nullable<Date>
    error_message: Nullable<string>
    lease_id: Nullable<string>
    lease_expires_at: Nullable<Date>
  }
}

export type Row<T extends keyof Schema> = Selectable<Schema[T]>
export type NewRow<T extends keyof Schema> = Insertable<Schema[T]>
