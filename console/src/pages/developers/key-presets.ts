import type { Schemas } from '../../api/client.ts'
import { ALL_ACTIONS, type KeyAction } from './key-actions.ts'

export type ActorType = Schemas['ApiKey']['actorType']

export type PresetId = 'reader' | 'ingester' | 'admin' | 'custom'

interface Preset {
  name: string
  text: string
  actions: readonly KeyAction[]
  actorType: ActorType
}

/** The most common kinds of key. */
export const PRESETS: Record<Exclude<PresetId, 'custom'>, Preset> = {
  reader: {
    name: 'Agent that reads',
    text: 'Search, context and answers. Cannot write.',
    actions: ['search', 'context', 'ask'],
    actorType: 'agent',
  },
  ingester: {
    name: 'Ingester',
    text: 'Pushes documents. Cannot read.',
    actions: ['ingest'],
    actorType: 'application',
  },
  admin: {
    name: 'Admin',
    text: 'All actions, including keys and the audit trail.',
    actions: ALL_ACTIONS,
    actorType: 'admin',
  },
}

/** The preset with exactly these actions, else `custom`. */
export function presetOf(actions: readonly KeyAction[]): PresetId {
  const isSame = (others: readonly KeyAction[]): boolean =>
    others.length === actions.length && others.every((action) => actions.includes(action))
  if (isSame(PRESETS.reader.actions)) return 'reader'
  if (isSame(PRESETS.ingester.actions)) return 'ingester'
  return isSame(PRESETS.admin.actions) ? 'admin' : 'custom'
}
