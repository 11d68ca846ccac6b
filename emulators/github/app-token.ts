import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { EmulatorReply } from '../kit/server.ts'
import { refusal } from './reply.ts'

const LONGEST_SECONDS = 600

/**
 * Refuses an app's JSON web token unless GitHub would accept it: RS256, the app as its issuer, valid for at most ten
 * minutes
 * (docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app).
 */
export function appTokenFault(
  token: string,
  { issuers, privateKey, now }: { issuers: readonly unknown[]; privateKey: KeyObject; now: number },
): EmulatorReply | null {
  const [header = '', body = '', signature = ''] = token.split('.')
  const claims = fieldsOf(body)
  if (fieldsOf(header)['alg'] !== 'RS256') return unreadable()
  if (!issuers.includes(claims['iss'])) return refusal(404, 'Integration not found')
  const signed = Buffer.from(`${header}.${body}`)
  const publicKey = createPublicKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  if (!verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))) return unreadable()
  return timeFault(claims, Math.floor(now / 1000))
}

function timeFault({ iat, exp }: Record<string, unknown>, seconds: number): EmulatorReply | null {
  if (typeof iat !== 'number' || iat > seconds)
    return refusal(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    )
  if (typeof exp !== 'number' || exp <= seconds)
    return refusal(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    )
  if (exp - seconds > LONGEST_SECONDS)
    return refusal(401, "'Expiration time' claim ('exp') is too far in the future")
  return null
}

const unreadable = (): EmulatorReply => refusal(401, 'A JSON web token could not be decoded')

function fieldsOf(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
  } catch {
    return {}
  }
}
