import { describe, expect, it } from 'vitest'
import { evidenceOf } from './weak-evidence.ts'

describe('evidence', () => {
  it('is weaker for the same score among more chunks, and the same among a handful as among one', () => {
    expect(evidenceOf(0.2, 10_000)).toBeLessThan(evidenceOf(0.2, 1_000))
    expect(evidenceOf(0.2, 1)).toBe(evidenceOf(0.2, 5))
    expect(evidenceOf(0.2, 0)).toBeGreaterThan(0)
  })
})
