import { beyondPlanError } from '../billing/index.ts'
import { authenticateApiKey, createAdmitAgent, enterWorkspace, type VerifyToken } from '../access/index.ts'
import type { Db } from '../database/database.ts'
import type { Gates } from '../http/gates.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Caller } from '../kernel/caller.ts'
import type { AuthenticateOperator } from '../operator/index.ts'
import { ensureUser } from '../organizations/index.ts'
import { authenticateScim } from '../people/index.ts'
import { createViewers } from '../permissions/index.ts'
import { type Credits, requireSubscription } from '../credits/index.ts'
import type { MessageLimit, RateLimit } from '../rate-limits/index.ts'

export function createGates(deps: {
  db: Db
  clock: Clock
  verifyToken: VerifyToken
  onSignIn: (userId: string) => Promise<void>
  authenticateOperator: AuthenticateOperator
  rateLimit: RateLimit
  messageLimits: Record<'mcp' | 'scim', MessageLimit>
  credits: Credits
}): Gates {
  const { db, clock, verifyToken, rateLimit, messageLimits, credits } = deps
  const signIn = async (authorization: string | undefined): Promise<string> => {
    const userId = await ensureUser(db, clock, await verifyToken(authorization))
    await deps.onSignIn(userId)
    return userId
  }
  const { viewerOf } = createViewers({ db, clock })
  return {
    authenticateAgent: (authorization) => authenticateApiKey(db, clock, authorization),
    admitAgent: createAdmitAgent({ db, clock, rateLimit }),
    authenticateConsole: async (authorization, organizationId) =>
      enterWorkspace(db, await signIn(authorization), organizationId),
    reenter: ({ userId, organizationId }) => enterWorkspace(db, userId, organizationId),
    authenticateUser: async (authorization) => ({ kind: 'user', userId: await signIn(authorization) }),
    authenticateOperator: deps.authenticateOperator,
    async admitScim(authorization) {
      const caller = await authenticateScim(db, clock, authorization)
      messageLimits.scim({ organizationId: caller.organizationId, subjectId: caller.tokenId })
      return caller
    },
    admit: (caller, action) => rateLimit.admit(subjectOf(caller), action),
    admitMessage: (caller) => messageLimits.mcp(subjectOf(caller)),
    rateState: (caller, action) => rateLimit.state(subjectOf(caller), action),
    viewerOf,
    async requireRoom(caller) {
      if (caller.kind !== 'agent' || !caller.isBeyondPlan) return
      await requireSubscription(db, caller.organizationId)
      throw await beyondPlanError(db, caller.organizationId, 'agents')
    },
    reserveCredit: (use, requestId) => credits.reserve(use, requestId),
  }
}

function subjectOf(caller: Caller): { organizationId: string; subjectId: string } {
  const subjectId = caller.kind === 'agent' ? caller.apiKeyId : caller.userId
  return { organizationId: caller.organizationId, subjectId }
}
