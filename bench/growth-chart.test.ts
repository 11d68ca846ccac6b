import { expect, it } from 'vitest'
import { drawGrowth } from './growth-chart.ts'

it('draws a tenfold number of rows and a tenfold time as the same distance', () => {
  const at = (rows: number, p50Ms: number) => ({ engine: 'one', rows, p50Ms })
  const svg = drawGrowth([at(100, 1), at(1_000, 10), at(10_000, 100)], 'p50')
  const points = (/points="([^"]+)"/.exec(svg)?.[1] ?? '')
    .split(' ')
    .map((point) => point.split(',').map(Number))
  const [[x1 = 0, y1 = 0] = [], [x2 = 0, y2 = 0] = [], [x3 = 0, y3 = 0] = []] = points
  expect(x2 - x1).toBeCloseTo(x3 - x2)
  expect(y1 - y2).toBeCloseTo(y2 - y3)
  expect(y1 - y2).toBeGreaterThan(0)
})
