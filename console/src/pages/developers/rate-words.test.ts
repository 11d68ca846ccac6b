import { describe, expect, it } from 'vitest'
import { lookEveryMs, ratesByKey } from './rate-words.ts'

const windowOf = (apiKeyId: string, action: string, requests: number) => ({
  apiKeyId,
  action,
  requests,
  remaining: 60 - requests,
  resetAt: '2026-03-02T09:30:00.000Z',
})

describe('requests of keys in the last minute', () => {
  it("are shown for each key's busiest action, in any order of the windows", () => {
    const rates = ratesByKey([
      windowOf('a', 'ask', 3),
      windowOf('b', 'search', 60),
      windowOf('a', 'search', 12),
      windowOf('a', 'ingest', 1),
    ])
    expect(rates.get('a')).toEqual({ requests: 12, action: 'search', others: ['ask 3', 'ingest 1'] })
    expect(rates.get('b')).toEqual({ requests: 60, action: 'search', others: [] })
    expect(rates.size).toBe(2)
  })

  it("are polled with at most a quarter of the person's own rate limit", () => {
    for (const limit of [1, 3, 10, 60, 100_000]) {
      const looks = 60_000 / lookEveryMs(limit)
      expect(looks).toBeLessThanOrEqual(Math.min(12, limit / 4))
    }
    expect(lookEveryMs(60)).toBe(5_000)
  })
})
