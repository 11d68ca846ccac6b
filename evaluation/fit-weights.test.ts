import { describe, expect, it } from 'vitest'
import { fitWeights, shareRight } from './fit-weights.ts'

describe('fitWeights', () => {
  const answersByFirst = {
    passages: [
      [1, 0, 1],
      [0, 1, 1],
    ],
    answers: [true, false],
  }
  const answersByFirstToo = {
    passages: [
      [0, 1, 0],
      [1, 1, 0],
    ],
    answers: [false, true],
  }
  const examples = [answersByFirst, answersByFirstToo]
  const options = { start: [0, 0.5, 0.5], fixed: new Set([2]), pull: 0.02, steps: 100 }

  it('raises the weight of a feature that answering passages have', () => {
    const weights = fitWeights(examples, options)
    expect(shareRight(examples, options.start)).toBe(0)
    expect(shareRight(examples, weights)).toBe(1)
    expect(weights[0]).toBeGreaterThan(weights[1] ?? 0)
  })

  it('keeps fixed weights and is deterministic', () => {
    const weights = fitWeights(examples, options)
    expect(weights[2]).toBe(0.5)
    expect(fitWeights(examples, options)).toEqual(weights)
  })

  it('stays closer to its start with a stronger pull', () => {
    const moved = (pull: number): number => Math.abs(fitWeights(examples, { ...options, pull })[0] ?? 0)
    expect(moved(1)).toBeLessThan(moved(0.02))
  })
})
