import type { Action, ActorType } from './actions.ts'
import type { Role } from './roles.ts'
import type { ProviderId } from './provider-id.ts'

export interface AgentCaller {
  kind: 'agent'
  organizationId: string
  apiKeyId: string
  actorType: ActorType
  allowedActions: readonly Action[]
  /** Null: every provider. */
  allowedProviders: readonly ProviderId[] | null
  /** The key exceeds the plan's number of agents: search, context and ask return 402 until the plan has room. */
  isBeyondPlan?: boolean
  /** The key can only read on behalf of a person. */
  requiresUser?: boolean
  /** The revision of the organization's items when the key was looked up; absent when the lookup did not ask for it. */
  seenRevision?: number
}

export interface ConsoleCaller {
  kind: 'console'
  organizationId: string
  userId: string
  role: Role
  allowedProviders: null
}

/** A person on a route that belongs to no workspace. */
export interface UserCaller {
  kind: 'user'
  userId: string
}

/** An organization's identity provider, which provisions people and groups over SCIM. */
export interface ScimCaller {
  kind: 'scim'
  organizationId: string
  tokenId: string
  userId: string
}

/** A caller that acts for an organization. */
export type Caller = AgentCaller | ConsoleCaller

/** The actor of an audit event; exactly one of the two is set. */
interface Actor {
  userId: string | null
  apiKeyId: string | null
}

export function actorOf(caller: Caller): Actor {
  return caller.kind === 'agent'
    ? { userId: null, apiKeyId: caller.apiKeyId }
    : { userId: caller.userId, apiKeyId: null }
}
