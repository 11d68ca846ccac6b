import { hash, timingSafeEqual } from 'node:crypto'
import { AppError } from '../kernel/errors.ts'

/** Throws AppError `unauthenticated`, or `not_found` where there is no operator surface. */
export type AuthenticateOperator = (bearer: string | undefined) => void

/**
 * Lets in who holds the operator's token, compared in constant time.
 * The gate throws AppError `not_found` when no token is set, since the surface then does not exist, and `unauthenticated`.
 */
export function createOperatorGate(token: string | undefined): AuthenticateOperator {
  const expected = token === undefined ? undefined : hash('sha256', token, 'buffer')
  return (bearer) => {
    if (!expected) {
      throw new AppError('not_found', 'This deployment has no operator surface; OPERATOR_TOKEN turns it on')
    }
    if (bearer === undefined || !timingSafeEqual(hash('sha256', bearer, 'buffer'), expected)) {
      throw new AppError('unauthenticated', "Send the operator's token as Authorization: Bearer …", {
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    }
  }
}
