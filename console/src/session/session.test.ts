import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../api/errors.ts'
import type { Config } from './config.ts'
import { openSession } from './session.ts'

const ISSUER = 'https://issuer.test'
const CONFIG: Config = {
  publicUrl: 'https://memory.test',
  version: '1',
  signIn: {
    by: 'issuer',
    issuer: ISSUER,
    clientId: 'console',
    scope: 'openid offline_access',
    token: 'access_token',
    resource: null,
    metadataUrl: null,
  },
  hasLanguageModel: false,
  providers: [],
}

/** The answer of the issuer's token endpoint. */
let renew: () => Response | Promise<never>

beforeEach(() => {
  const stored = new Map<string, string>([
    [
      `oidc.user:${ISSUER}:console`,
      JSON.stringify({
        access_token: 'old',
        refresh_token: 'refresh',
        token_type: 'Bearer',
        scope: 'openid offline_access',
        profile: { sub: 'ada', iss: ISSUER, aud: 'console', exp: 1, iat: 1 },
        expires_at: Math.floor(Date.now() / 1000) + 3_600,
      }),
    ],
  ])
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    removeItem: (key: string) => void stored.delete(key),
    key: (at: number) => [...stored.keys()][at] ?? null,
    get length() {
      return stored.size
    },
  }
  vi.stubGlobal('sessionStorage', storage)
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('location', new URL('https://memory.test/console/'))
  vi.stubGlobal('fetch', async (url: string | URL) =>
    String(url).endsWith('/openid-configuration')
      ? Response.json({ issuer: ISSUER, token_endpoint: `${ISSUER}/token` })
      : await renew(),
  )
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A session whose token has expired. */
async function expiredSession() {
  const session = await openSession(CONFIG)
  expect(session.state()).toEqual({ is: 'signed-in' })
  vi.setSystemTime(Date.now() + 2 * 3_600_000)
  return session
}

describe('an expired session', () => {
  it('stays, and its request fails, while the issuer is unreachable', async () => {
    const session = await expiredSession()
    renew = () => Promise.reject(new TypeError('Failed to fetch'))
    await expect(session.token()).rejects.toBeInstanceOf(ApiError)
    expect(session.state()).toEqual({ is: 'signed-in' })
    renew = () =>
      Response.json({ access_token: 'new', refresh_token: 'r2', token_type: 'Bearer', expires_in: 3_600 })
    expect(await session.token()).toBe('new')
  })

  it('ends once the issuer refuses to renew it', async () => {
    const session = await expiredSession()
    renew = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    expect(await session.token()).toBeNull()
    expect(session.state()).toEqual({ is: 'signed-out', because: 'ended' })
  })
})
