import { decodeJwt, decodeProtectedHeader, errors } from 'jose'
import { refusedToken } from '../http/bearer.ts'
import { AppError } from '../kernel/errors.ts'

/** Logged claims and headers come from the caller. */
const LOGGED_CHARACTERS_MAX = 200

interface Expected {
  issuer: string
  audience: string
  now: Date
}

interface Fault {
  cause: 'audience' | 'issuer' | 'key' | 'clock' | 'algorithm' | 'claims' | 'format'
  message: string
  facts?: Record<string, unknown>
}

/** The 401 of an invalid token: its message says what to check; the details go to the log. */
export function explainRefusal(error: unknown, token: string, expected: Expected): AppError {
  if (error instanceof AppError) return error
  const { cause, message, facts } = faultOf(error, token, expected)
  return refusedToken(message, error, { signInFailure: cause, ...facts })
}

function faultOf(error: unknown, token: string, expected: Expected): Fault {
  if (error instanceof errors.JWTExpired) {
    return {
      cause: 'clock',
      message:
        'The token has expired; sign in again. If it is new, compare the clocks of this service and of the identity provider',
      facts: { expiredAt: timeOf(error.payload.exp), now: expected.now.toISOString() },
    }
  }
  if (error instanceof errors.JWTClaimValidationFailed) return faultOfClaim(error, expected)
  if (error instanceof errors.JWKSNoMatchingKey) return faultOfKey(token, expected)
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return {
      cause: 'key',
      message: "The token's signature does not match the issuer's published key; sign in again",
      facts: headerOf(token),
    }
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return {
      cause: 'algorithm',
      message:
        'The token is not signed with an asymmetric algorithm (RS, PS, ES or EdDSA); change the signing algorithm of the client at the identity provider',
      facts: headerOf(token),
    }
  }
  if (error instanceof errors.JOSEError)
    return { cause: 'format', message: 'The token is not a readable JWT' }
  return {
    cause: 'claims',
    message: 'The token has claims that cannot be used; "sub" must have 1 to 255 characters of plain text',
  }
}

function faultOfClaim(
  { claim, payload, reason }: errors.JWTClaimValidationFailed,
  expected: Expected,
): Fault {
  switch (claim) {
    case 'aud':
      return {
        cause: 'audience',
        message:
          'The token is for another audience; set OIDC_AUDIENCE to what the identity provider writes into "aud"',
        facts: { expected: expected.audience, received: logged(payload.aud) },
      }
    case 'iss':
      return faultOfIssuer(payload.iss, expected)
    case 'nbf':
      return {
        cause: 'clock',
        message:
          'The token is not valid yet; compare the clocks of this service and of the identity provider',
        facts: { notBefore: timeOf(payload.nbf), now: expected.now.toISOString() },
      }
    default:
      return {
        cause: 'claims',
        message: `The token has no usable claim "${claim}"; the identity provider must add it`,
        facts: { claim, reason },
      }
  }
}

/** A token of another issuer also has an unknown key; the issuer is the fault to name. */
function faultOfKey(token: string, expected: Expected): Fault {
  const iss = issuerIn(token)
  if (iss !== expected.issuer && iss !== `${expected.issuer}/`) return faultOfIssuer(iss, expected)
  return {
    cause: 'key',
    message:
      'The token is signed with a key that the issuer does not publish; sign in again, and check the keys at its "jwks_uri"',
    facts: headerOf(token),
  }
}

/** Not verified yet: only for the log and the message. */
function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

function faultOfIssuer(received: unknown, { issuer }: Expected): Fault {
  return {
    cause: 'issuer',
    message:
      'The token is from another issuer; set OIDC_ISSUER to what the identity provider writes into "iss"',
    facts: { expected: issuer, received: logged(received) },
  }
}

function headerOf(token: string): Record<string, unknown> {
  const { alg, kid } = decodeProtectedHeader(token)
  return { algorithm: logged(alg), keyId: logged(kid) }
}

function logged(value: unknown): string | null {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.slice(0, LOGGED_CHARACTERS_MAX).toWellFormed()
}

function timeOf(seconds: number | undefined): string | null {
  const date = new Date((seconds ?? Number.NaN) * 1000)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
