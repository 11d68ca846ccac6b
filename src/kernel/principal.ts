import type { Action, ActorType, Role } from './actions.ts'
import type { ProviderId } from './providers.ts'

/** A live API key that made the request. */
export interface AgentPrincipal {
  kind: 'agent'
  organizationId: string
  apiKeyId: string
  actorType: ActorType
  allowedActions: readonly Action[]
  /** null: every provider. */
  allowedProviders: readonly ProviderId[] | null
  /** The plan has room for fewer agents: search, context and ask answer this key 402 until there is room again. */
  isBeyondPlan?: boolean
  /** The key reads on behalf of people only. */
  requiresUser?: boolean
  /** The revision of the organization's items when the key was looked up; left out where it was not asked for. */
  seenRevision?: number
}

/** A person, signed in at the identity provider, inside one of their workspaces. */
export interface ConsolePrincipal {
  kind: 'console'
  organizationId: string
  userId: string
  role: Role
  allowedProviders: null
}

/** A person, signed in, on a route that belongs to no workspace. */
export interface UserPrincipal {
  kind: 'user'
  userId: string
}

/** An organization's identity provider, which provisions its people and groups over SCIM. */
export interface ScimPrincipal {
  kind: 'scim'
  organizationId: string
  tokenId: string
  /** The person who created the token. */
  userId: string
}

/** Whoever acts for an organization: what slices take. */
export type Caller = AgentPrincipal | ConsolePrincipal

/** Who an audit event names; exactly one of the two is set. */
export interface Actor {
  userId: string | null
  apiKeyId: string | null
}

/** The actor of the audit trail for a caller. */
export function actorOf(caller: Caller): Actor {
  return caller.kind === 'agent'
    ? { userId: null, apiKeyId: caller.apiKeyId }
    : { userId: caller.userId, apiKeyId: null }
}
