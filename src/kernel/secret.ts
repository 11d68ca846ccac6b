import { hash, randomBytes } from 'node:crypto'

/** A prefix and 32 random bytes in base64url, shown once and never stored. */
export function newSecret(prefix: string): string {
  return `${prefix}${randomBytes(32).toString('base64url')}`
}

/** Only this hash is stored. A secret has 256 random bits, so it needs no salt or stretching. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
