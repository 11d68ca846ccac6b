import { hash, randomBytes } from 'node:crypto'
import type { Clock } from '../../kernel/clock.ts'
import type { ClientId } from './clients.ts'

const CODE_MS = 60_000
const REFRESH_TOKEN_MS = 24 * 60 * 60_000
/** The oldest goes when there would be more: whoever asks for thousands only spoils their own. */
const KEPT_MAX = 1_000

/** Somebody who signed in at a client. */
export interface SignIn {
  client: ClientId
  /** An e-mail address, which is all that a development user is. */
  subject: string
  scope: string
  nonce: string | undefined
  /** Epoch seconds. */
  at: number
}

interface Session extends SignIn {
  /** A code or refresh token of it was used twice: somebody else has it. */
  ended: boolean
  /** The one that is good now. */
  refreshToken: string | undefined
}

interface Code {
  session: Session
  redirectUri: string
  codeChallenge: string
  used: boolean
}

export interface Grants {
  /** A code for one use within a minute, at the client, address and S256 challenge that it was asked for. */
  issueCode(signIn: SignIn, bound: { redirectUri: string; codeChallenge: string }): string
  /** null for a code that is not good. Whatever is wrong about the attempt, the code is spent. */
  redeemCode(given: { code: string; client: ClientId; redirectUri: string; verifier: string }): Session | null
  /** A refresh token in place of the one that the session had. */
  issueRefreshToken(session: Session): string
  /** null for one that is not good. One that was used already ends its whole session (RFC 9700, 4.14.2). */
  redeemRefreshToken(given: { token: string; client: ClientId }): Session | null
}

/** Codes and refresh tokens in memory: after a restart people sign in anew, which on their own machine costs a redirect. */
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

/** What is found by a random name of 256 bits, for some time. */
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
