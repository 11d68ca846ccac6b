import { jwtVerify, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { Clock } from '../kernel/clock.ts'
import { bearerToken, looksLike, refusedToken } from '../http/bearer.ts'
import { isStorable, storableText } from '../kernel/text.ts'
import type { Identity } from '../organizations/index.ts'
import { explainRefusal } from './token-faults.ts'

/** Asymmetric only: a verifier of shared-secret signatures could also forge them (RFC 8725, section 3.1). */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** Machines without time synchronization often differ by half a minute. */
const CLOCK_TOLERANCE_SECONDS = 60

const Claims = z.object({
  // Cleaning would turn one person's subject or address into another's.
  sub: z.string().min(1).max(255).refine(isStorable),
  email: z.string().max(320).refine(isStorable).optional().catch(undefined),
  // Some providers send it as text.
  email_verified: z
    .union([z.literal(true), z.literal('true')])
    .optional()
    .catch(undefined),
  name: z.string().max(200).transform(storableText).optional().catch(undefined),
})

export type VerifyToken = (authorization: string | undefined) => Promise<Identity>

/** Verifies bearer tokens of one OpenID Connect issuer. @throws AppError `unauthenticated`, `upstream_error` */
export function createTokenVerifier(options: {
  issuer: string
  audience: string
  keys: JWTVerifyGetKey
  clock: Clock
}): VerifyToken {
  const { issuer, audience, keys, clock } = options
  return async (authorization) => {
    const bearer = bearerToken(authorization, 'console token')
    refuseOtherTokens(bearer)
    const now = clock.now()
    try {
      const { payload } = await jwtVerify(bearer, keys, {
        // Settings drop the slash that some providers' issuers end with.
        issuer: [issuer, `${issuer}/`],
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: now,
        requiredClaims: ['sub', 'exp'],
      })
      const claims = Claims.parse(payload)
      return {
        issuer,
        subject: claims.sub,
        email: claims.email ?? null,
        emailVerified: claims.email !== undefined && claims.email_verified !== undefined,
        name: claims.name ?? null,
      }
    } catch (error) {
      throw explainRefusal(error, bearer, { issuer, audience, now })
    }
  }
}

function refuseOtherTokens(bearer: string): void {
  switch (looksLike(bearer)) {
    case 'JWT':
      return
    case 'API key':
      throw refusedToken(
        'API keys are not accepted under /v1/console; sign in at the identity provider and send its token',
      )
    case 'something else':
      throw refusedToken("This does not look like an identity provider's token, which is a signed JWT")
  }
}
