/** The actions that an API key can be allowed, in the order of the API document. */
export const ACTIONS = [
  'admin',
  'search',
  'context',
  'ask',
  'memory:read',
  'sources:read',
  'sources:write',
  'sync:read',
  'sync:write',
  'ingest',
] as const
export type Action = (typeof ACTIONS)[number]

export const CHARGED_ACTIONS = ['search', 'context', 'ask'] as const satisfies readonly Action[]
export type ChargedAction = (typeof CHARGED_ACTIONS)[number]

/** Whether a key with these actions can spend credits. Such keys count toward the plan's number of agents. */
export function isAgent(actions: readonly Action[]): boolean {
  return CHARGED_ACTIONS.some((charged) => actions.includes(charged))
}

export const ACTOR_TYPES = ['agent', 'application', 'admin'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]
