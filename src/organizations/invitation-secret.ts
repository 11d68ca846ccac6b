import { hash, randomBytes } from 'node:crypto'

/** What a link carries: `inv_` and 32 random bytes in base64url, 256 bits; shown once and never stored. */
export function newInvitationSecret(random: (bytes: number) => Buffer = randomBytes): string {
  return `inv_${random(32).toString('base64url')}`
}

/** SHA-256 of an invitation's secret: all that is stored of it. It has 256 bits of its own, so no salt or stretching. */
export function hashInvitationSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
