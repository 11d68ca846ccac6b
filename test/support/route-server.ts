import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { createServer } from '../../src/http/create-server.ts'
import type { Gates } from '../../src/http/gates.ts'
import type { Route } from '../../src/http/route.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { AgentCaller, ConsoleCaller } from '../../src/kernel/caller.ts'
import { Readable } from '../../src/kernel/viewer.ts'
import { isWithin } from '../../src/kernel/scope.ts'

/**
 * The real HTTP pipeline around some routes, without access checks: a bearer token is the name of one of `callers`.
 * For tests of request handling; the gates have their own tests.
 */
export async function createRouteServer<S>(
  routes: readonly Route<S>[],
  services: S,
  callers: ReadonlyMap<string, AgentCaller | ConsoleCaller>,
): Promise<FastifyInstance> {
  const rateState = { limit: 60, remaining: 60, resetAt: new Date(0) }
  const find = (authorization: string | undefined): AgentCaller | ConsoleCaller => {
    const caller = callers.get(authorization?.replace('Bearer ', '') ?? '')
    if (!caller) throw new AppError('unauthenticated', 'Who are you?')
    return caller
  }
  const authenticateAgent = async (authorization: string | undefined): Promise<AgentCaller> => {
    const caller = find(authorization)
    if (caller.kind !== 'agent') throw new AppError('unauthenticated', 'An API key is needed')
    return caller
  }
  const gates: Gates = {
    authenticateAgent,
    async admitAgent(authorization, { action, reach }) {
      const caller = await authenticateAgent(authorization)
      const may =
        caller.allowedActions.includes(action) &&
        (reach === undefined || isWithin(reach, caller.allowedProviders))
      return { caller, rateState: may ? rateState : null, uncappedAt: null }
    },
    async authenticateConsole(authorization) {
      const caller = find(authorization)
      if (caller.kind !== 'console') throw new AppError('unauthenticated', 'A person is needed')
      return caller
    },
    reenter: async (caller) => caller,
    async authenticateUser() {
      throw new AppError('unauthenticated', 'Nobody is a user here')
    },
    async admitScim() {
      throw new AppError('unauthenticated', 'Nobody provisions people here')
    },
    authenticateOperator() {
      throw new AppError('not_found', 'There is no operator here')
    },
    admit: async () => rateState,
    admitMessage: () => {},
    rateState: async () => rateState,
    viewerOf: async (caller) => ({ ...caller, readable: Readable.everything }),
    requireRoom: async () => {},
    reserveCredit: async () => ({ settle: async () => {}, refund: async () => {} }),
  }
  const publicUrl = (): string => 'http://127.0.0.1'
  return await createServer({ routes, services, gates, publicUrl, logger: pino({ level: 'silent' }) })
}
