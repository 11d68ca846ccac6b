import type { Json, Leased, Nullable, TenantRow } from './schema-columns.ts'

/** Who may read items: people, groups, their memberships, and how fresh those are. */
export interface PeopleSchema {
  people: TenantRow & {
    login: string
    email: Nullable<string>
    external_id: Nullable<string>
    active: boolean
    resource: Json
    created_at: Date
    updated_at: Date
    deleted_at: Nullable<Date>
  }
  person_groups: TenantRow & {
    key: string
    name: Nullable<string>
    origin: 'api' | 'scim'
    external_id: Nullable<string>
    created_at: Date
    updated_at: Date
  }
  principal_members: {
    organization_id: string
    principal: string
    member: string
    source_id: Nullable<string>
  }
  scim_tokens: TenantRow & {
    name: string
    prefix: string
    secret_sha256: Buffer
    created_by_user_id: string
    last_used_at: Nullable<Date>
    created_at: Date
    revoked_at: Nullable<Date>
  }
  /** What a person asked in the console. */
  threads: TenantRow & {
    user_id: string
    title: string
    content: Json
    turn_count: number
    created_at: Date
    updated_at: Date
  }
  /** Requests of API keys, without contents. */
  request_log: {
    organization_id: string
    answered_at: Date
    request_id: string
    api_key_id: string
    method: string
    path: string
    status: number
    duration_ms: number
    credits: number
    is_mcp: boolean
  }
  permission_polls: Leased & {
    organization_id: string
    source_id: string
    checked_at: Nullable<Date>
    next_at: Date
    error_message: Nullable<string>
  }
}
