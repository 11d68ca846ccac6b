import type { Schemas } from '../../api/client.ts'

export type KeyAction = Schemas['ApiKey']['allowedActions'][number]
export type ActorType = Schemas['ApiKey']['actorType']

/** What each action opens, in words. In the order that people meet them. */
export const ACTIONS: Record<KeyAction, string> = {
  search: 'Find passages, and read what is stored',
  context: 'Get a Context Contract for a question',
  ask: 'Get answers with citations',
  ingest: 'Push documents, and delete them',
  'memory:read': 'See who and what the documents name',
  'sources:read': 'See sources and their channels',
  'sources:write': 'Choose the channels that sources read',
  'sync:read': 'See sync runs',
  'sync:write': 'Start sync runs',
  admin: 'Mint and revoke keys, read the audit trail, run maintenance',
}

export const ALL_ACTIONS = Object.keys(ACTIONS).filter((name): name is KeyAction => name in ACTIONS)

export type PresetId = 'reader' | 'ingester' | 'admin' | 'custom'

interface Preset {
  name: string
  text: string
  actions: readonly KeyAction[]
  actorType: ActorType
}

/** What keys are mostly for. */
export const PRESETS: Record<Exclude<PresetId, 'custom'>, Preset> = {
  reader: {
    name: 'Agent that reads',
    text: 'Search, context and answers. It can write nothing.',
    actions: ['search', 'context', 'ask'],
    actorType: 'agent',
  },
  ingester: {
    name: 'Ingester',
    text: 'Pushes documents. It can read none.',
    actions: ['ingest'],
    actorType: 'application',
  },
  admin: {
    name: 'Admin',
    text: 'Every action, keys and the audit trail too.',
    actions: ALL_ACTIONS,
    actorType: 'admin',
  },
}

/** The preset that a choice of actions is; `custom` where it is none. */
export function presetOf(actions: readonly KeyAction[]): PresetId {
  const isSame = (others: readonly KeyAction[]): boolean =>
    others.length === actions.length && others.every((action) => actions.includes(action))
  if (isSame(PRESETS.reader.actions)) return 'reader'
  if (isSame(PRESETS.ingester.actions)) return 'ingester'
  return isSame(PRESETS.admin.actions) ? 'admin' : 'custom'
}
