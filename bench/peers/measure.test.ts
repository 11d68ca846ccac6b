import { describe, expect, it } from 'vitest'
import { type DataSet, DIMENSIONS } from './data-set.ts'
import { drawGrowth } from './chart.ts'
import { countRight, type Figures, findTruth } from './measure.ts'

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
    // Rows 0 and 100 are of the rare provider.
    expect(rare.hits).toBe(2)
    expect(countRight(data, { scope: 'rare', vector, rows: [...ten, 100], best: rare })).toBe(2)
    const best = { least: 0, hits: 10 }
    expect(countRight(data, { scope: 'small', vector, rows: [99, 100, 101], best })).toBe(1)
  })
})

describe('the chart of growth', () => {
  it('places ten times the rows and ten times the time one step on, whatever the size', () => {
    const at = (rows: number, ms: number): Figures => ({
      engine: 'one',
      rows,
      ingestPerSecond: 1,
      recall: { all: 1, rare: 1, small: 1 },
      p50Ms: { all: ms, rare: ms, small: ms },
      p99Ms: ms,
      searchesPerSecond: 1,
      residentMb: null,
    })
    const svg = drawGrowth([at(100, 1), at(1_000, 10), at(10_000, 100)])
    const points = (/points="([^"]+)"/.exec(svg)?.[1] ?? '')
      .split(' ')
      .map((point) => point.split(',').map(Number))
    const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = [], [x3 = 0, y3 = 0] = []] = points
    expect(x2 - x1).toBeCloseTo(x3 - x2)
    expect(y1 - y2).toBeCloseTo(y2 - y3)
    expect(y1 - y2).toBeGreaterThan(0)
  })
})
