import { hash, randomBytes } from 'node:crypto'

/** The secret of an invitation link: `inv_` and 32 random bytes in base64url. Shown once and never stored. */
export function newInvitationSecret(random: (bytes: number) => Buffer = randomBytes): string {
  return `inv_${random(32).toString('base64url')}`
}

/** Only this hash is stored. A secret has 256 random bits, so it needs no salt or stretching. */
export function hashInvitationSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
