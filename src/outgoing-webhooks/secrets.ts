import { createHmac, randomBytes } from 'node:crypto'
import type { SecretCipher } from '../kernel/secret-cipher.ts'

const PREFIX = 'whsec_'
/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32

/** Looks up the cipher on first need; null: this deployment has no encryption key. */
export type FindCipher = () => Promise<SecretCipher | null>

/** A webhook's signing secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Binds a ciphertext to its webhook. */
export function contextOf(organizationId: string, webhookId: string): string {
  return `outgoing_webhooks:${organizationId}:${webhookId}`
}

/** The `webhook-…` headers of one attempt, with one signature per secret (Standard Webhooks). */
export function signedHeaders(
  message: { id: string; at: Date; payload: string },
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000))
  const content = `${message.id}.${timestamp}.${message.payload}`
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
