import { hash, timingSafeEqual } from 'node:crypto'
import { bearerToken, looksLike, refusedToken } from '../http/bearer.ts'
import { AppError } from '../kernel/errors.ts'

/** Takes an Authorization header. Throws AppError `unauthenticated`, or `not_found` where there is no operator surface. */
export type AuthenticateOperator = (authorization: string | undefined) => void

/**
 * Lets in who holds the operator's token, compared in constant time.
 * What it returns throws AppError `not_found` when no token is set, since the surface then does not exist, and `unauthenticated`.
 */
export function createOperatorAuthenticator(token: string | undefined): AuthenticateOperator {
  const expected = token === undefined ? undefined : hash('sha256', token, 'buffer')
  return (authorization) => {
    if (!expected) {
      throw new AppError('not_found', 'This deployment has no operator surface; OPERATOR_TOKEN turns it on')
    }
    const bearer = bearerToken(authorization, 'operator token')
    if (timingSafeEqual(hash('sha256', bearer, 'buffer'), expected)) return
    throw refusedToken(
      looksLike(bearer) === 'API key'
        ? "API keys are not accepted here; send the operator's token, OPERATOR_TOKEN"
        : "This is not the operator's token",
    )
  }
}
