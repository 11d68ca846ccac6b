import type {
  AgentPrincipal,
  Caller,
  ConsolePrincipal,
  ScimPrincipal,
  UserPrincipal,
} from '../kernel/principal.ts'
import type { Action, ChargedAction } from '../kernel/actions.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { Reader } from '../kernel/reader.ts'
import type { ProviderScope } from '../kernel/scope.ts'

/** Where a caller stands in its rolling minute. */
export interface RateStanding {
  limit: number
  remaining: number
  resetAt: Date
}

/** What a credit is for: what is kept of an answer that was charged. */
export interface CreditUse {
  caller: Caller
  surface: ChargedAction
  /** A tool of `/mcp` asked for it. */
  isMcp: boolean
  /** When the subscription was last seen to have no cap; null: it was not. */
  uncappedAt: Date | null
}

/** What a key's request is for, and the providers that it reaches whatever it asks for: undefined none, null every one. */
export interface AgentRequest {
  action: Action
  reach: ProviderScope | undefined
}

/** Who asks, by which key. */
export interface AdmittedAgent {
  principal: AgentPrincipal
  /** null: the key may not do this, and nothing was counted. */
  standing: RateStanding | null
  uncappedAt: Date | null
}

/** What a charged answer found: the metadata of its audit event. Counts and names, never hits, answers or contents. */
export interface Retrieved {
  requestId: string
  /** As it was sent. */
  query: string
  hitCount: number
  citationCount?: number
  exclusionCount?: number
  /** Whose items were found. */
  providers: readonly ProviderId[]
  /** The address of the person on whose behalf was asked. */
  onBehalfOf?: string
}

/** A credit held for a request in flight. Exactly one of the two is called. */
export interface CreditHold {
  /** The request succeeded: the credit is spent and the audit event written, both or neither. */
  settle(retrieved: Retrieved): Promise<void>
  /** The request failed: the credit is given back. */
  refund(): Promise<void>
}

/** What stands between a request and its handler. Each gate throws an AppError to refuse. */
export interface Gates {
  /** Who holds the token of this Authorization header. Throws `unauthenticated`. */
  authenticateAgent(authorization: string | undefined): Promise<AgentPrincipal>
  /**
   * Who holds the token, and the request counted against the key's window for the action, where the key may do it. Throws
   * `unauthenticated`, or `rate_limited` with the standing, and then counts nothing.
   */
  admitAgent(authorization: string | undefined, request: AgentRequest): Promise<AdmittedAgent>
  /** Throws `unauthenticated`, or `not_found` for a workspace that is not the person's. */
  authenticateConsole(
    authorization: string | undefined,
    organizationId: string | undefined,
  ): Promise<ConsolePrincipal>
  authenticateUser(authorization: string | undefined): Promise<UserPrincipal>
  /** Who holds the SCIM token, and the request counted. Throws `unauthenticated`, `rate_limited`. */
  admitScim(authorization: string | undefined): Promise<ScimPrincipal>
  /** Throws `unauthenticated`, or `not_found` where the deployment has no operator surface. */
  authenticateOperator(authorization: string | undefined): void
  /** Counts the request against the caller's window for the action. Throws `rate_limited`, and then counts nothing. */
  admit(caller: Caller, action: Action): Promise<RateStanding>
  /** Counts an MCP message of the caller, whatever it asks for. Throws `rate_limited`. */
  admitMessage(caller: Caller): void
  /** The same standing without counting. */
  standing(caller: Caller, action: Action): Promise<RateStanding>
  /**
   * The caller with what it may read.
   * @param email on whose behalf it asks. Throws `user_required` or `role_required`.
   */
  readerOf(caller: Caller, email: string | undefined): Promise<Reader>
  /** Throws `plan_limit_reached` for an agent that the plan has no room for. Only routes that cost a credit ask. */
  requireRoom(caller: Caller): Promise<void>
  /** Throws `subscription_required` or `quota_exceeded`. */
  holdCredit(use: CreditUse, requestId: string): Promise<CreditHold>
}
