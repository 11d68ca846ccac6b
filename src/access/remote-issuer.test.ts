import { exportJWK, generateKeyPair, type CryptoKey, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createIssuer, type Issuer } from './remote-issuer.ts'

async function rotatingIssuer(url: string): Promise<{
  issuer: Issuer
  keyRequests: () => number
  rotate(kid: string): Promise<void>
  verify(kid: string): Promise<unknown>
}> {
  let published: { kid: string; jwk: object; key: CryptoKey }
  let requests = 0
  const rotate = async (kid: string): Promise<void> => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    published = { kid, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256' }, key: privateKey }
  }
  await rotate('first')
  const issuer = createIssuer(url, async (input) => {
    if (!String(input).endsWith('/keys')) return Response.json({ issuer: url, jwks_uri: `${url}/keys` })
    requests++
    return Response.json({ keys: [published.jwk] })
  })
  return {
    issuer,
    keyRequests: () => requests,
    rotate,
    async verify(kid) {
      const token = await new SignJWT().setProtectedHeader({ alg: 'ES256', kid }).sign(published.key)
      return await jwtVerify(token, issuer.keys)
    },
  }
}

describe('the keys of an issuer', () => {
  it('are fetched again soon when a token names an unknown key', async () => {
    const { rotate, verify } = await rotatingIssuer('https://id.example.com')
    await verify('first')
    await rotate('second')
    const startedAt = performance.now()
    await verify('second')
    // jose alone would wait half a minute.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  it('are fetched at most once a second, however many tokens name unknown keys', async () => {
    const flooded = await rotatingIssuer('https://id.example.com')
    const other = await rotatingIssuer('https://other.example.com')
    await flooded.verify('first')
    const startedAt = performance.now()
    const flood = Array.from({ length: 200 }, (_, at) => flooded.verify(`made-up-${at}`).catch(() => null))
    const ended = Promise.all(flood).then(() => 'the flood')
    expect(await Promise.race([ended, other.verify('first').then(() => 'another issuer')])).toBe(
      'another issuer',
    )
    await ended
    const seconds = (performance.now() - startedAt) / 1_000
    expect(flooded.keyRequests()).toBeLessThanOrEqual(2 + seconds)
    expect(other.keyRequests()).toBe(1)
  })
})
