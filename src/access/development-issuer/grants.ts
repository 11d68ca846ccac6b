import { hash, randomBytes } from 'node:crypto'
import { type Clock, DAY_MS } from '../../kernel/clock.ts'
import type { ClientId } from './clients.ts'

const CODE_MS = 60_000
const REFRESH_TOKEN_MS = DAY_MS
/** Beyond this the oldest is dropped, so a caller that asks for thousands loses only its own. */
const KEPT_MAX = 1_000

/** A person who signed in at a client. */
export interface SignIn {
  client: ClientId
  /** An email address; a development user has nothing else. */
  subject: string
  scope: string
  nonce: string | undefined
  /** Epoch seconds. */
  at: number
}

interface Session extends SignIn {
  /** One of its codes or refresh tokens was used twice, so it may be stolen. */
  ended: boolean
  refreshToken: string | undefined
}

interface Code {
  session: Session
  redirectUri: string
  codeChallenge: string
  used: boolean
}

export interface Grants {
  /** Issues a code that is valid once, for a minute, with the client, address and S256 challenge of the request. */
  issueCode(signIn: SignIn, bound: { redirectUri: string; codeChallenge: string }): string
  /** Null for an invalid code. Any attempt spends the code. */
  redeemCode(given: { code: string; client: ClientId; redirectUri: string; verifier: string }): Session | null
  issueRefreshToken(session: Session): string
  /** Null for an invalid token. A token that was already used ends its whole session (RFC 9700, 4.14.2). */
  redeemRefreshToken(given: { token: string; client: ClientId }): Session | null
}

/** Keeps everything in memory: after a restart people sign in again, which costs a redirect. */
export function createGrants(clock: Clock): Grants {
  const codes = createShelf<Code>(clock, CODE_MS)
  const refreshTokens = createShelf<Session>(clock, REFRESH_TOKEN_MS)
  return {
    issueCode: (signIn, bound) =>
      codes.add({ session: { ...signIn, ended: false, refreshToken: undefined }, ...bound, used: false }),
    redeemCode({ code, client, redirectUri, verifier }) {
      const known = codes.find(code)
      if (!known) return null
      const { session, used } = known
      known.used = true
      if (used) session.ended = true
      const isBound =
        session.client === client &&
        known.redirectUri === redirectUri &&
        known.codeChallenge === hash('sha256', verifier, 'base64url')
      return isBound && !session.ended ? session : null
    },
    issueRefreshToken: (session) => (session.refreshToken = refreshTokens.add(session)),
    redeemRefreshToken({ token, client }) {
      const session = refreshTokens.find(token)
      if (!session || session.client !== client) return null
      if (session.refreshToken !== token) session.ended = true
      return session.ended ? null : session
    },
  }
}

/** Stores values under random 256-bit names for a limited time. */
function createShelf<T>(
  clock: Clock,
  lifetimeMs: number,
): { add(thing: T): string; find(name: string): T | undefined } {
  const things = new Map<string, { thing: T; expiresAt: number }>()
  return {
    add(thing) {
      const [oldest] = things.keys()
      if (things.size >= KEPT_MAX && oldest !== undefined) things.delete(oldest)
      const name = randomBytes(32).toString('base64url')
      things.set(name, { thing, expiresAt: clock.now().getTime() + lifetimeMs })
      return name
    },
    find(name) {
      const kept = things.get(name)
      return kept && kept.expiresAt > clock.now().getTime() ? kept.thing : undefined
    },
  }
}
