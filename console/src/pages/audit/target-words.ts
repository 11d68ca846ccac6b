import type { Schemas } from '../../api/client.ts'
import { providerName } from '../../api/provider-list.ts'

type AuditEvent = Schemas['AuditEvent']

/** Names by ID. */
export interface KnownNames {
  keys: ReadonlyMap<string, string>
  sources: ReadonlyMap<string, string>
  people: ReadonlyMap<string, string>
  groups: ReadonlyMap<string, string>
  webhooks: ReadonlyMap<string, string>
}

export type TargetPage =
  | { to: '/developers' }
  | { to: '/developers/keys/$keyId'; params: { keyId: string } }
  | { to: '/sources/$sourceId'; params: { sourceId: string } }
  | { to: '/sources/items'; search: { item: string } }
  | { to: '/members' | '/settings' | '/billing' | '/evaluation' }

export interface Target {
  name: string
  /** The target's page; null without one. */
  page: TargetPage | null
}

const NAME_CHARACTERS_MAX = 80
const ID_CHARACTERS = 8

/** A target's type in words: "Sync run". */
export function typeWords(type: string): string {
  const words = type.replaceAll('_', ' ').replace(/^(api|scim) /, (initials) => initials.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function targetOf({ targetType, targetId, metadata }: AuditEvent, known: KnownNames): Target {
  const recorded = recordedName(metadata)
  const type = typeWords(targetType)
  switch (targetType) {
    case 'api_key': {
      const name = known.keys.get(targetId) ?? recorded ?? 'Revoked key'
      return { name, page: { to: '/developers/keys/$keyId', params: { keyId: targetId } } }
    }
    case 'source': {
      const name = known.sources.get(targetId)
      return name === undefined
        ? { name: recorded ?? 'Removed source', page: null }
        : { name, page: { to: '/sources/$sourceId', params: { sourceId: targetId } } }
    }
    case 'user': {
      const name = known.people.get(targetId)
      return { name: name ?? 'A former member', page: name === undefined ? null : { to: '/members' } }
    }
    case 'group': {
      const name = known.groups.get(targetId)
      return { name: name ?? recorded ?? type, page: name === undefined ? null : { to: '/members' } }
    }
    case 'webhook': {
      const name = known.webhooks.get(targetId)
      return {
        name: name ?? recorded ?? type,
        page: name === undefined ? null : { to: '/developers' },
      }
    }
    case 'person':
      return { name: targetId.includes('@') ? targetId : type, page: { to: '/members' } }
    case 'connector':
    case 'connector_access': {
      const { provider } = metadata
      return { name: (typeof provider === 'string' && providerName(provider)) || type, page: null }
    }
    case 'evaluation_run':
    case 'evaluation_question':
      return { name: type, page: { to: '/evaluation' } }
    case 'source_item':
    case 'sync_run': {
      const source = typeof metadata.connectorId === 'string' ? metadata.connectorId : targetId
      const name = known.sources.get(source)
      const shownType = targetType === 'source_item' ? `${type} ${itemName(targetId, metadata)}` : type
      return name === undefined
        ? { name: recorded ?? shownType, page: null }
        : {
            name: `${shownType} of ${name}`,
            page: { to: '/sources/$sourceId', params: { sourceId: source } },
          }
    }
    case 'organization':
      return { name: 'This workspace', page: { to: '/settings' } }
    case 'invitation':
    case 'scim_token':
      return { name: recorded ?? type, page: { to: '/members' } }
    default:
      return { name: recorded ?? type, page: null }
  }
}

/** The trail stores no item titles, so items are identified by external ID or by the start of the ID. */
function itemName(id: string, { externalId }: AuditEvent['metadata']): string {
  return typeof externalId === 'string' ? shortened(externalId) : `${id.slice(0, ID_CHARACTERS)}…`
}

function recordedName(metadata: AuditEvent['metadata']): string | null {
  for (const field of ['name', 'displayName', 'query', 'url']) {
    const value = metadata[field]
    if (typeof value !== 'string' || value === '') continue
    return shortened(value)
  }
  return null
}

function shortened(value: string): string {
  return value.length > NAME_CHARACTERS_MAX ? `${value.slice(0, NAME_CHARACTERS_MAX - 1)}…` : value
}
