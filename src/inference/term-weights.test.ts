import { expect, it } from 'vitest'
import { loadTermWeights } from './term-weights.ts'

it('weighs rare words more than common ones, and unknown ones most', async () => {
  const { tokenize, backgroundWeight } = await loadTermWeights()
  const [common, rare, unknown] = tokenize('the number of pelicans at Zzyzxqq').map(backgroundWeight)
  expect(common).toBeGreaterThan(0)
  expect(rare).toBeGreaterThan(common ?? Infinity)
  expect(unknown).toBeGreaterThanOrEqual(rare ?? Infinity)
})
