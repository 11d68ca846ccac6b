import type { Generated, Insertable, Selectable } from 'kysely'
import type { Action, ActorType } from '../kernel/actions.ts'
import type { Role } from '../kernel/roles.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceKind } from '../kernel/source-kinds.ts'
import type { BillingSchema } from './schema-billing.ts'
import type { Json, Leased, Nullable, NullableJson, TenantRow } from './schema-columns.ts'
import type { EvaluationsSchema } from './schema-evaluations.ts'
import type { PeopleSchema } from './schema-people.ts'
import type { SourcesSchema } from './schema-sources.ts'
import type {
  StoredEntityType,
  DeliveryStatus,
  WebhookDisabledReason,
  DeliveryError,
} from './schema-words.ts'

export type * from './schema-words.ts'

/** The tables as the migrations leave them. JSON is written as `JSON.stringify` text and read parsed, on both drivers. */
export interface Schema extends BillingSchema, EvaluationsSchema, PeopleSchema, SourcesSchema {
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
    /** 0: no one may read it; null: no one, until it is derived from the item. */
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
