import { hashSecret, newSecret } from '../kernel/secret.ts'

const PREFIX_LENGTH = 12

export interface NewSecret {
  secret: string
  prefix: string
  sha256: Buffer
}

export function newApiKeySecret(): NewSecret {
  return describeSecret(newSecret('svc_'))
}

export function describeSecret(secret: string): NewSecret {
  return { secret, prefix: secret.slice(0, PREFIX_LENGTH), sha256: hashSecret(secret) }
}
