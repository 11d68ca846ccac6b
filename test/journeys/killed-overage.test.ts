import { describe, expect, it } from 'vitest'
import { killOverage } from '../support/killed-overage.ts'
import { seededRandom } from '../support/random.ts'

describe('a service that is killed while it serves answers over the cap', () => {
  it(
    'has them in the end on the meter exactly as often as it charges for them [PAY-28]',
    { timeout: 300_000 },
    async () => {
      const result = await killOverage({ answers: 120, kills: 2, random: seededRandom('killed overage') })
      expect(result.counted).toBeGreaterThanOrEqual(120)
      expect(result.metered).toBe(result.counted)
      // Nobody was answered for nothing, and nothing was charged that was not asked for.
      expect(result.counted).toBeGreaterThanOrEqual(result.answered)
      expect(result.counted).toBeLessThanOrEqual(result.asked)
      expect(result.repeated).toBeGreaterThan(0)
    },
  )
})
