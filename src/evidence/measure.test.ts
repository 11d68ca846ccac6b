import { describe, expect, it } from 'vitest'
import { inOneGo } from '../kernel/cooperative.ts'
import { chanceAmong } from './chance.ts'
import { measuring } from './measure.ts'
import { askingFor } from './question-of.ts'

/** A unit vector with these scores against the first axes, each of which is a chunk. */
const scoring = (...scores: number[]): Float32Array =>
  Float32Array.from([...scores, Math.sqrt(1 - scores.reduce((sum, score) => sum + score * score, 0))])
const axis = (at: number): Float32Array => Float32Array.from([0, 1, 2].map((one) => (one === at ? 1 : 0)))
const chunks = [axis(0), axis(1)]
const times = (count: number, vector: Float32Array): Float32Array[] =>
  Array.from({ length: count }, () => vector)

describe('measuring a model', () => {
  it("puts seven in ten foreign questions below the threshold and the chunks' own statements above", () => {
    const foreign = [...times(7, scoring(0.2, 0.1)), ...times(3, scoring(0.4, 0.3))]
    const { level, threshold } = inOneGo(measuring({ chunks, foreign, own: times(10, scoring(0.8, 0.1)) }))
    expect(level).toBeCloseTo((7 * 0.3 + 3 * 0.7) / 20)
    expect(threshold).toBeCloseTo((0.4 - level) / chanceAmong(2))
  })

  it("does not flag the chunks' own statements if the model cannot tell them from foreign ones", () => {
    const foreign = times(10, scoring(0.7, 0.2))
    const own = [scoring(0.3, 0.3), ...times(9, scoring(0.5, 0.3))]
    const { level, threshold } = inOneGo(measuring({ chunks, foreign, own }))
    expect(threshold).toBeCloseTo((0.5 - level) / chanceAmong(2))
  })
})

describe('a question made from a passage', () => {
  it('is half the words of a sentence in its middle', () => {
    const passage = 'Badges are blue. Each badge is renewed at the town hall in spring. Forty euros.'
    expect(inOneGo(askingFor(passage))).toBe('Each is at town in')
  })

  it('is null without a sentence', () => {
    expect(inOneGo(askingFor('Badges\n\n- blue\n- red'))).toBeNull()
  })
})
