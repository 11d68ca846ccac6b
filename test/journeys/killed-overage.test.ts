import { describe, expect, it } from 'vitest'
import { killOverage } from '../support/killed-overage.ts'
import { seededRandom } from '../support/random.ts'

describe('a service killed while it serves answers over the cap', () => {
  it('finally meters exactly the answers that it charges for [PAY-28]', { timeout: 300_000 }, async () => {
    const result = await killOverage({ answers: 60, kills: 1, random: seededRandom('killed overage') })
    expect(result.counted).toBeGreaterThanOrEqual(60)
    expect(result.metered).toBe(result.counted)
    // Every answer was charged, and every charge was requested.
    expect(result.counted).toBeGreaterThanOrEqual(result.answered)
    expect(result.counted).toBeLessThanOrEqual(result.asked)
    expect(result.repeated).toBeGreaterThan(0)
  })
})
