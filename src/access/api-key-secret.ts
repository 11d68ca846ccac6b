import { hash, randomBytes } from 'node:crypto'

const PREFIX_LENGTH = 12

export interface NewSecret {
  /** `svc_` and 32 random bytes in base64url; shown once and never stored. */
  secret: string
  /** The public leading part. */
  prefix: string
  sha256: Buffer
}

/** Makes an API key's secret. */
export function newApiKeySecret(random: (bytes: number) => Buffer = randomBytes): NewSecret {
  return describeSecret(`svc_${random(32).toString('base64url')}`)
}

/** Prefix and hash of a secret that is already there. */
export function describeSecret(secret: string): NewSecret {
  return { secret, prefix: secret.slice(0, PREFIX_LENGTH), sha256: hashSecret(secret) }
}

/** SHA-256 of a secret: all that is stored of it. The secret has 256 bits of its own, so no salt or stretching. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
