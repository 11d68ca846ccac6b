import type { Schemas } from '../../api/client.ts'
import { providerIds } from '../../api/provider-list.ts'
import { ALL_ACTIONS } from './key-actions.ts'

type ApiKey = Schemas['ApiKey']
type AuditEvent = Schemas['AuditEvent']

/** A live key, or what the audit trail has of a revoked one, with who created and revoked it. */
export interface ShownKey extends Pick<ApiKey, 'id' | 'name' | 'prefix' | 'allowedProviders'> {
  /** Null: revoked. */
  live: ApiKey | null
  allowedActions: ApiKey['allowedActions']
  created: Act | null
  revoked: Act | null
}

export interface Act {
  at: string
  /** Null: the deployment created the key. */
  event: AuditEvent | null
}

/** The key of this ID from the live keys and the events about it; null if both lack it. */
export function shownKey(
  id: string,
  live: ApiKey | undefined,
  events: readonly AuditEvent[],
): ShownKey | null {
  const creation = events.find(({ action }) => action === 'api_key.create')
  const revocation = events.find(({ action }) => action === 'api_key.revoke')
  const created = creation ? { at: creation.createdAt, event: creation } : null
  if (live !== undefined)
    return { ...live, live, created: created ?? { at: live.createdAt, event: null }, revoked: null }
  if (revocation === undefined) return null
  const { name, prefix } = revocation.metadata
  const { allowedActions, allowedProviders = null } = creation?.metadata ?? {}
  return {
    id,
    live: null,
    name: String(name),
    prefix: String(prefix),
    allowedActions: ALL_ACTIONS.filter((one) => includes(allowedActions, one)),
    allowedProviders:
      allowedProviders === null ? null : providerIds().filter((one) => includes(allowedProviders, one)),
    created,
    revoked: { at: revocation.createdAt, event: revocation },
  }
}

function includes(list: unknown, value: string): boolean {
  return Array.isArray(list) && list.includes(value)
}
