import { hash, randomBytes } from 'node:crypto'

const PREFIX_LENGTH = 12

export interface NewSecret {
  /** `svc_` and 32 random bytes in base64url. Shown once and never stored. */
  secret: string
  prefix: string
  sha256: Buffer
}

export function newApiKeySecret(random: (bytes: number) => Buffer = randomBytes): NewSecret {
  return describeSecret(`svc_${random(32).toString('base64url')}`)
}

export function describeSecret(secret: string): NewSecret {
  return { secret, prefix: secret.slice(0, PREFIX_LENGTH), sha256: hashSecret(secret) }
}

/** Only this hash is stored. A secret has 256 random bits, so it needs no salt or stretching. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}
