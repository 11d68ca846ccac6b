import { z } from 'zod'
import type { ProviderId } from '../kernel/provider-id.ts'
import { malformedState } from './oauth-states.ts'
import { type SecretCipher, UndecryptableSecret } from '../kernel/secret-cipher.ts'

const Waiting = z.object({ state: z.string(), code: z.string() })

/** A flow that waits for the user's click: its state and the provider's code. */
export type WaitingCode = z.output<typeof Waiting>

/** Seals the code while the user decides; nothing is stored. It works once, with its state. */
export function sealCode(cipher: SecretCipher, provider: ProviderId, waiting: WaitingCode): string {
  return cipher.encrypt(JSON.stringify(waiting), contextOf(provider)).toString('base64url')
}

/** @throws AppError `malformed_state` unless this service sealed it for the provider */
export function openCode(cipher: SecretCipher, provider: ProviderId, sealed: string): WaitingCode {
  try {
    return Waiting.parse(JSON.parse(cipher.decrypt(Buffer.from(sealed, 'base64url'), contextOf(provider))))
  } catch (error) {
    throw error instanceof UndecryptableSecret ? malformedState() : error
  }
}

function contextOf(provider: ProviderId): string {
  return `oauth_confirmation:${provider}`
}
