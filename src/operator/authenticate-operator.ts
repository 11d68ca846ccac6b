import { hash, timingSafeEqual } from 'node:crypto'
import { bearerToken, looksLike, refusedToken } from '../http/bearer.ts'
import { AppError } from '../kernel/errors.ts'

/** @throws AppError `unauthenticated`, or `not_found` when there is no operator surface */
export type AuthenticateOperator = (authorization: string | undefined) => void

/** Compares in constant time. Without a token the surface does not exist, so the function throws `not_found`. */
export function createOperatorAuthenticator(token: string | undefined): AuthenticateOperator {
  const expected = token === undefined ? undefined : hash('sha256', token, 'buffer')
  return (authorization) => {
    if (!expected) {
      throw new AppError(
        'not_found',
        'This deployment has no operator routes; set OPERATOR_TOKEN to enable them',
      )
    }
    const bearer = bearerToken(authorization, 'operator token')
    if (timingSafeEqual(hash('sha256', bearer, 'buffer'), expected)) return
    throw refusedToken(
      looksLike(bearer) === 'API key'
        ? "API keys are not accepted here; send the operator's token, OPERATOR_TOKEN"
        : 'The operator token is wrong; send OPERATOR_TOKEN of the service or, if it is not set, the content of operator-token in its DATA_DIR',
    )
  }
}
