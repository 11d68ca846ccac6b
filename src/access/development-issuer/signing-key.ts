import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { z } from 'zod'
import { keptText } from '../../database/kept-text.ts'

const StoredKey = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string(),
  alg: z.literal('RS256'),
  n: z.string(),
  e: z.string(),
})

/** A private RSA key as a JWK (RFC 7517). */
export type SigningKey = z.output<typeof StoredKey>

/** The key that signs development tokens, created in `dataDir` on first use, so that tokens outlive a restart. */
export async function keptSigningKey(dataDir: string): Promise<SigningKey> {
  const file = join(dataDir, 'development-issuer-key.json')
  const stored = await keptText(file, async () => {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const key = { ...(await exportJWK(privateKey)), kid: 'development', alg: 'RS256' }
    return JSON.stringify(StoredKey.parse(key))
  })
  return StoredKey.parse(JSON.parse(stored))
}
