import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryAfterMs } from '../kernel/retry-after.ts'
import { createProviderCaller } from './retried-calls.ts'
import { cutToBytes } from '../text/cut-to-bytes.ts'
import { DEFAULT_PROVIDER_LIMITS, ProviderError, type ProviderSession } from './adapter.ts'

const caller = () =>
  createProviderCaller({
    curedByNewToken: (error) => error.code === 'expired',
  })

function sessionAt(start: number, change: Partial<ProviderSession> = {}) {
  const time = { now: start, waits: [] as number[] }
  const session: ProviderSession = {
    accessToken: async (refused) => (refused === undefined ? 'old' : 'new'),
    account: { externalAccountId: 'A', displayName: 'A' },
    extra: {},
    signal: new AbortController().signal,
    clock: { now: () => new Date(time.now) },
    wait: async (ms) => {
      time.now += ms
      time.waits.push(ms)
    },
    random: () => 0,
    limits: DEFAULT_PROVIDER_LIMITS,
    storedIds: async () => [],
    ...change,
  }
  return { session, time }
}

/** Throws these errors one after another, then returns the token it was called with. */
function failing(...errors: ProviderError[]) {
  return async (token: string) => {
    const error = errors.shift()
    if (error) throw error
    return token
  }
}

const limited = (retryAfter?: number) =>
  new ProviderError('rate_limited', 'slow down', retryAfter === undefined ? {} : { retryAfterMs: retryAfter })
const down = () => new ProviderError('unavailable', 'down')
const expired = () => new ProviderError('auth', 'token expired', { code: 'expired' })

describe('calling a provider', () => {
  it('waits out a rate limit for the time the provider names, plus up to a tenth', async () => {
    for (const [random, waited] of [
      [0, 30_000],
      [0.999, 32_997],
    ] as const) {
      const { session, time } = sessionAt(0, { random: () => random })
      await caller()(session, failing(limited(30_000)))
      expect(time.waits).toEqual([waited])
    }
  })

  it('does not spin when the provider names a wait of zero', async () => {
    const { session, time } = sessionAt(0)
    await caller()(session, failing(limited(0), limited(0), limited(0)))
    expect(time.now).toBe(3_000)
  })

  it('gives up when the waits exceed the budget, and reports when to come back', async () => {
    const { session, time } = sessionAt(0)
    const errors = Array.from({ length: 20 }, () => limited(120_000))
    await expect(caller()(session, failing(...errors))).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 120_000,
    })
    expect(time.now).toBe(600_000)
  })

  it('holds back other calls of the same account, and of no other account', async () => {
    const call = caller()
    const { session } = sessionAt(0, { limits: { ...DEFAULT_PROVIDER_LIMITS, maxRateLimitWaitMs: 1_000 } })
    await expect(call(session, failing(limited(60_000)))).rejects.toMatchObject({ kind: 'rate_limited' })
    const same = sessionAt(10_000)
    await call(same.session, failing())
    expect(same.time.waits).toEqual([50_000])
    const other = sessionAt(10_000, { account: { externalAccountId: 'B', displayName: 'B' } })
    await call(other.session, failing())
    expect(other.time.waits).toEqual([])
  })

  it("retries an outage with growing waits, then throws the provider's message", async () => {
    const { session, time } = sessionAt(0)
    expect(await caller()(session, failing(down(), down()))).toBe('old')
    expect(time.waits).toEqual([500, 1_000])
    await expect(caller()(session, failing(down(), down(), down(), down(), down()))).rejects.toThrow('down')
  })

  it('asks once for another token when the old one has expired', async () => {
    const { session } = sessionAt(0)
    expect(await caller()(session, failing(expired()))).toBe('new')
    await expect(caller()(session, failing(expired(), expired()))).rejects.toMatchObject({ kind: 'auth' })
  })

  it("throws the provider's message when no other token exists", async () => {
    const { session } = sessionAt(0, {
      accessToken: async (refused) => {
        if (refused !== undefined) throw new ProviderError('auth', 'no refresh token')
        return 'old'
      },
    })
    await expect(caller()(session, failing(expired()))).rejects.toThrow('token expired')
  })

  it("stops with the run's abort reason", async () => {
    const { session } = sessionAt(0, { signal: AbortSignal.abort(new Error('drained')) })
    await expect(caller()(session, failing())).rejects.toThrow('drained')
  })
})

describe('Retry-After', () => {
  const now = new Date('2026-01-20T12:00:00Z')
  it.each([
    ['30', 30_000],
    ['0', 0],
    ['Tue, 20 Jan 2026 12:01:00 GMT', 60_000],
    ['Tue, 20 Jan 2026 11:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('%s', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected)
  })
})

describe('cutting text to a byte limit', () => {
  it('returns a prefix of whole characters, as long as the limit allows', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, most) => {
        const cut = cutToBytes(text, most)
        expect(text.startsWith(cut)).toBe(true)
        expect(cut.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
        const next = Array.from(text.slice(cut.length))[0] ?? ''
        expect(next === '' || Buffer.byteLength(cut + next) > most).toBe(true)
      }),
    )
  })
})
