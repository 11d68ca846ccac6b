import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import { type Clock, MINUTE_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { ConnectRequest } from './store-account.ts'
import { type SecretCipher, UndecryptableSecret } from '../kernel/secret-cipher.ts'

/** The lifetime of a flow, including the user's time at the provider. */
export const STATE_TTL_MS = 10 * MINUTE_MS
const RANDOM_BYTES = 32
const STATE_FORM = /^[A-Za-z0-9_-]{43}$/

/** Who began an OAuth flow, and for what. */
export interface OAuthFlow extends Required<ConnectRequest> {
  /** RFC 7636, 4.1. */
  codeVerifier: string
}

/** A flow before its state is redeemed. */
export interface PendingFlow extends Omit<ConnectRequest, 'awaitsChoice'> {
  /** Whether the browser that sends `secret` began the flow. */
  isBrowser(secret: string | undefined): boolean
}

export interface OAuthStates {
  /** Begins a flow. Returns the `state` and the S256 challenge to send, and a secret for the browser's cookie. */
  begin(
    tx: Tx,
    flow: ConnectRequest,
  ): Promise<{ state: string; codeChallenge: string; browserSecret: string }>
  /** The flow of a callback of `provider`, without redeeming it. @throws AppError `malformed_state` */
  find(provider: ProviderId, state: string | undefined): Promise<PendingFlow>
  /** Redeems a callback's state, once, within ten minutes. @throws AppError `malformed_state` */
  redeem(provider: ProviderId, state: string | undefined): Promise<OAuthFlow>
}

/** OAuth states of 256 random bits, stored only as SHA-256 with what they are bound to (RFC 9700, 4.7). */
export function createOAuthStates(deps: { db: Db; clock: Clock; cipher: SecretCipher }): OAuthStates {
  const { db, clock, cipher } = deps
  return {
    async begin(tx, flow) {
      const state = randomBytes(RANDOM_BYTES).toString('base64url')
      const codeVerifier = randomBytes(RANDOM_BYTES).toString('base64url')
      const browserSecret = randomBytes(RANDOM_BYTES).toString('base64url')
      const hash = sha256(state)
      const now = clock.now()
      await tx.deleteFrom('oauth_states').where('expires_at', '<', now).execute()
      await tx
        .insertInto('oauth_states')
        .values({
          state_sha256: hash,
          organization_id: flow.organizationId,
          user_id: flow.userId,
          provider: flow.provider,
          code_verifier_ciphertext: cipher.encrypt(codeVerifier, contextOf(hash)),
          browser_sha256: sha256(browserSecret),
          awaits_choice: flow.awaitsChoice ?? false,
          expires_at: new Date(now.getTime() + STATE_TTL_MS),
        })
        .execute()
      return { state, codeChallenge: sha256(codeVerifier).toString('base64url'), browserSecret }
    },
    async find(provider, state) {
      const row = await db
        .selectFrom('oauth_states')
        .select(['organization_id', 'user_id', 'browser_sha256', 'expires_at'])
        .where('state_sha256', '=', hashOf(state))
        .where('provider', '=', provider)
        .executeTakeFirst()
      if (!row || row.expires_at.getTime() <= clock.now().getTime()) throw malformedState()
      const browser = row.browser_sha256
      return {
        organizationId: row.organization_id,
        userId: row.user_id,
        provider,
        isBrowser: (secret) =>
          secret !== undefined && browser !== null && timingSafeEqual(sha256(secret), browser),
      }
    },
    async redeem(provider, state) {
      const hash = hashOf(state)
      const row = await db
        .deleteFrom('oauth_states')
        .where('state_sha256', '=', hash)
        .where('provider', '=', provider)
        .returningAll()
        .executeTakeFirst()
      if (!row || row.expires_at.getTime() <= clock.now().getTime()) throw malformedState()
      return {
        organizationId: row.organization_id,
        userId: row.user_id,
        provider,
        awaitsChoice: row.awaits_choice,
        codeVerifier: openVerifier(cipher, row.code_verifier_ciphertext, contextOf(hash)),
      }
    },
  }
}

/** If its encryption key is missing, the flow must begin again. */
function openVerifier(cipher: SecretCipher, ciphertext: Uint8Array, context: string): string {
  try {
    return cipher.decrypt(ciphertext, context)
  } catch (error) {
    throw error instanceof UndecryptableSecret ? malformedState() : error
  }
}

/** @throws AppError `malformed_state` */
function hashOf(state: string | undefined): Buffer {
  if (state === undefined || !STATE_FORM.test(state)) throw malformedState()
  return sha256(state)
}

/** The error for a flow that does not exist or has ended. */
export function malformedState(): AppError {
  return new AppError(
    'malformed_state',
    'The state is unknown, already used or expired; connect again from the console',
  )
}

function contextOf(hash: Buffer): string {
  return `oauth_states:${hash.toString('hex')}`
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
