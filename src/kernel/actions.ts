/** What an API key may be allowed to do, in the API document's order. */
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

/** What a credit is charged for. */
export const CHARGED_ACTIONS = ['search', 'context', 'ask'] as const satisfies readonly Action[]
export type ChargedAction = (typeof CHARGED_ACTIONS)[number]

/** Whether a key with these actions can spend credits, and so counts toward the plan's number of agents. */
export function isAgent(actions: readonly Action[]): boolean {
  return CHARGED_ACTIONS.some((charged) => actions.includes(charged))
}

/** Roles of a workspace's members, the mightiest first. */
export const ROLES = ['owner', 'admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export const ACTOR_TYPES = ['agent', 'application', 'admin'] as const
export type ActorType = (typeof ACTOR_TYPES)[number]
