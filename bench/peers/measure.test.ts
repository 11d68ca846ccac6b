import { describe, expect, it } from 'vitest'
import { type DataSet, DIMENSIONS } from './data-set.ts'
import { countRight, findTruth } from './measure.ts'

const ROWS = 200

/** Rows whose similarity to the question falls with their number, so that the right answer is known. */
function fallingRows(): DataSet {
  const vectors = new Float32Array(ROWS * DIMENSIONS)
  for (let row = 0; row < ROWS; row++) vectors[row * DIMENSIONS] = 1 - row / ROWS
  const vector = new Float32Array(DIMENSIONS)
  vector[0] = 1
  return { size: ROWS, vectors, file: '', questions: [{ text: 'first', vector }] }
}

describe('recall against an exact search', () => {
  const data = fallingRows()
  const vector = data.questions[0]?.vector ?? new Float32Array()
  const ten = Array.from({ length: 10 }, (_, row) => row)

  it('counts the ten nearest rows, each once', async () => {
    const best = (await findTruth(data)).all[0] ?? { least: 0, hits: 0 }
    expect(countRight(data, { scope: 'all', vector, rows: ten, best })).toBe(10)
    expect(countRight(data, { scope: 'all', vector, rows: ten.map(() => 0), best })).toBe(1)
    expect(countRight(data, { scope: 'all', vector, rows: [...ten.slice(0, 7), 10, 11, 12], best })).toBe(7)
  })

  it('counts no row of another tenant or provider, however near', async () => {
    const truth = await findTruth(data)
    const rare = truth.rare[0] ?? { least: 0, hits: 0 }
    // Rows 0 and 100 have the rare provider.
    expect(rare.hits).toBe(2)
    expect(countRight(data, { scope: 'rare', vector, rows: [...ten, 100], best: rare })).toBe(2)
    const best = { least: 0, hits: 10 }
    expect(countRight(data, { scope: 'small', vector, rows: [99, 100, 101], best })).toBe(1)
  })
})
