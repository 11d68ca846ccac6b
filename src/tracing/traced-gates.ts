import type { Gates } from '../http/gates.ts'
import { traced, type Tracer } from '../kernel/tracer.ts'

export function tracedGates(gates: Gates, tracer: Tracer): Gates {
  const through = <Result>(gate: string, work: () => Promise<Result>): Promise<Result> =>
    traced(tracer, gate, {}, work)
  return {
    authenticateAgent: (authorization) => through('authorize', () => gates.authenticateAgent(authorization)),
    admitAgent: (authorization, request) =>
      through('authorize', () => gates.admitAgent(authorization, request)),
    authenticateConsole: (authorization, organizationId) =>
      through('authorize', () => gates.authenticateConsole(authorization, organizationId)),
    reenter: (caller) => through('authorize', () => gates.reenter(caller)),
    authenticateUser: (authorization) => through('authorize', () => gates.authenticateUser(authorization)),
    admitScim: (authorization) => through('authorize', () => gates.admitScim(authorization)),
    authenticateOperator: (authorization) => gates.authenticateOperator(authorization),
    admit: (caller, action) => through('rate limit', () => gates.admit(caller, action)),
    admitMessage: (caller) => gates.admitMessage(caller),
    rateState: (caller, action) => through('rate limit', () => gates.rateState(caller, action)),
    viewerOf: (caller, email) => through('permissions', () => gates.viewerOf(caller, email)),
    requireRoom: (caller) => gates.requireRoom(caller),
    reserveCredit: (use, requestId) => through('credits', () => gates.reserveCredit(use, requestId)),
  }
}
