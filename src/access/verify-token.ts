import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { Clock } from '../kernel/clock.ts'
import { bearerToken, looksLike, refusedToken } from '../http/bearer.ts'
import { AppError } from '../kernel/errors.ts'
import { isStorable, storableText } from '../kernel/text.ts'
import type { Identity } from '../organizations/index.ts'

/** Asymmetric signatures only: a shared secret could be forged by whoever verifies (RFC 8725, section 3.1). */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const CLOCK_TOLERANCE_SECONDS = 5
const ISSUER_TIMEOUT_MS = 5_000

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

/** Takes an Authorization header. */
export type VerifyToken = (authorization: string | undefined) => Promise<Identity>

/**
 * Checks bearer tokens of one OpenID Connect issuer: signature by its published keys, issuer, audience, expiry,
 * algorithm (OpenID Connect Core 3.1.3.7, RFC 9068).
 * The function throws AppError `unauthenticated`, or `upstream_error` when the issuer's keys cannot be had.
 */
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
    try {
      const { payload } = await jwtVerify(bearer, keys, {
        // Settings lose the slash that some providers' issuers end with.
        issuer: [issuer, `${issuer}/`],
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: clock.now(),
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
      throw explain(error)
    }
  }
}

function refuseOtherTokens(bearer: string): void {
  switch (looksLike(bearer)) {
    case 'JWT':
      return
    case 'API key':
      throw refusedToken(
        'API keys are not accepted below /v1/console; sign in at the identity provider and send its token',
      )
    case 'something else':
      throw refusedToken("This does not look like an identity provider's token, which is a signed JWT")
  }
}

function explain(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof errors.JWTExpired) return refusedToken('The token has expired; sign in again', error)
  return refusedToken('The token is not valid for this service', error)
}

function unreachable(cause: unknown): AppError {
  return new AppError(
    'upstream_error',
    'The identity provider cannot be reached to check the token; try again',
    { cause },
  )
}

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

/** The published keys of an issuer, found by its discovery document (OpenID Connect Discovery 1.0) at the first use. */
export function publishedKeys(issuer: string, fetchFrom: typeof fetch): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined
  const discover = async (): Promise<JWTVerifyGetKey> => {
    const response = await fetchFrom(`${issuer}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(ISSUER_TIMEOUT_MS),
    })
    if (!response.ok) throw new Error(`discovery answered ${response.status}`)
    const document = Discovery.parse(await response.json())
    if (document.issuer.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
      throw new Error('discovery names another issuer')
    return createRemoteJWKSet(new URL(document.jwks_uri), {
      timeoutDuration: ISSUER_TIMEOUT_MS,
      [customFetch]: fetchFrom,
    })
  }
  return async (header, token) => {
    found ??= discover()
    let keys: JWTVerifyGetKey
    try {
      keys = await found
    } catch (error) {
      found = undefined
      throw unreachable(error)
    }
    try {
      return await keys(header, token)
    } catch (error) {
      throw isFaultOfToken(error) ? error : unreachable(error)
    }
  }
}

/** The key set was had, but has no key for this token. All else (no answer, an error page) is the issuer's fault. */
function isFaultOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  )
}
