import type { AgentCaller, Caller, ConsoleCaller, ScimCaller, UserCaller } from '../kernel/caller.ts'
import type { AppError } from '../kernel/errors.ts'
import type { Action, ChargedAction } from '../kernel/actions.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { ProviderScope } from '../kernel/scope.ts'

export interface RateState {
  limit: number
  remaining: number
  resetAt: Date
}

/** What a credit pays for, as recorded for a charged answer. */
export interface CreditUse {
  caller: Caller
  surface: ChargedAction
  /** A tool of `/mcp` made the request. */
  isMcp: boolean
  /** When the subscription was last read to have no cap; null: it was not. */
  uncappedAt: Date | null
}

/** What a key's request does, and the providers that it always reaches: undefined none, null every one. */
export interface AgentRequest {
  action: Action
  reach: ProviderScope | undefined
}

export interface AdmittedAgent {
  caller: AgentCaller
  /** Null: the key may not do this; an error: its minute is full. Nothing was counted then. */
  rateState: RateState | AppError | null
  uncappedAt: Date | null
}

/** The metadata of a charged answer's audit event: counts and names, never hits, answers or content. */
export interface Retrieved {
  requestId: string
  query: string
  hitCount: number
  citationCount?: number
  exclusionCount?: number
  providers: readonly ProviderId[]
  /** The address of the person that the request acts for. */
  onBehalfOf?: string
}

/** A credit held for a request in flight. The pipeline calls exactly one of the two. */
export interface CreditReservation {
  /** The request succeeded: charges the credit and writes the audit event, both or neither. */
  settle(retrieved: Retrieved): Promise<void>
  /** The request failed: refunds the credit. */
  refund(): Promise<void>
}

/** The checks between a request and its handler. Each refuses by throwing an AppError. */
export interface Gates {
  /** The caller of this Authorization header. @throws `unauthenticated` */
  authenticateAgent(authorization: string | undefined): Promise<AgentCaller>
  /** Authenticates the token and counts the request in the key's window. @throws `unauthenticated` */
  admitAgent(authorization: string | undefined, request: AgentRequest): Promise<AdmittedAgent>
  /** @throws `unauthenticated`, or `not_found` for a workspace that is not the person's */
  authenticateConsole(
    authorization: string | undefined,
    organizationId: string | undefined,
  ): Promise<ConsoleCaller>
  /** The person as of now, whose token may have expired meanwhile. @throws `not_found` once they have left */
  reenter(caller: ConsoleCaller): Promise<ConsoleCaller>
  authenticateUser(authorization: string | undefined): Promise<UserCaller>
  /** Authenticates the SCIM token and counts the request. @throws `unauthenticated`, `rate_limited` */
  admitScim(authorization: string | undefined): Promise<ScimCaller>
  /** @throws `unauthenticated`, or `not_found` when the deployment has no operator surface */
  authenticateOperator(authorization: string | undefined): void
  /** Counts the request in the caller's window for the action. @throws `rate_limited`; it then counts nothing */
  admit(caller: Caller, action: Action): Promise<RateState>
  /** Counts an MCP message of the caller, whatever it asks for. @throws `rate_limited` */
  admitMessage(caller: Caller): void
  /** The state of that window, without counting. */
  rateState(caller: Caller, action: Action): Promise<RateState>
  /** The caller with what it may read, or for the person `email`. @throws `user_required`, `role_required` */
  viewerOf(caller: Caller, email: string | undefined): Promise<Viewer>
  /**
   * Refuses an agent beyond the plan; only routes that cost a credit call it.
   * @throws `plan_limit_reached`, or `subscription_required` if there is no active plan
   */
  requireRoom(caller: Caller): Promise<void>
  /** @throws `subscription_required` or `quota_exceeded` */
  reserveCredit(use: CreditUse, requestId: string): Promise<CreditReservation>
}
