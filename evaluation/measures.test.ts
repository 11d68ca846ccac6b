import { describe, expect, it } from 'vitest'
import { averageMeasures, measureRanking } from './measures.ts'

const relevant = new Map([
  ['a', 1],
  ['b', 1],
])

describe('the measures of a ranking', () => {
  it('are all 1 if the relevant documents come first', () => {
    expect(measureRanking(['b', 'a', 'x'], relevant)).toEqual({ ndcg10: 1, recall10: 1, mrr10: 1 })
  })

  it('discount a document by the logarithm of its rank', () => {
    const { ndcg10, recall10, mrr10 } = measureRanking(['x', 'a', 'y'], relevant)
    expect(ndcg10).toBeCloseTo(1 / Math.log2(3) / (1 + 1 / Math.log2(3)), 10)
    expect(recall10).toBe(0.5)
    expect(mrr10).toBe(0.5)
  })

  it('give a higher grade more weight', () => {
    const graded = new Map([
      ['a', 1],
      ['b', 3],
    ])
    expect(measureRanking(['b', 'a'], graded).ndcg10).toBe(1)
    expect(measureRanking(['a', 'b'], graded).ndcg10).toBeCloseTo(
      (1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)),
      10,
    )
  })

  it('stop at rank 10, and reach 1 if more than ten documents are relevant', () => {
    const ids = Array.from({ length: 12 }, (_, at) => `d${at}`)
    const many = new Map(ids.map((id) => [id, 1]))
    expect(measureRanking(ids, many)).toEqual({ ndcg10: 1, recall10: 10 / 12, mrr10: 1 })
    expect(measureRanking([...ids.slice(0, 10), 'a'], relevant)).toEqual({ ndcg10: 0, recall10: 0, mrr10: 0 })
  })

  it('are averaged over questions', () => {
    const perfect = measureRanking(['a', 'b'], relevant)
    const nothing = measureRanking([], relevant)
    expect(averageMeasures([perfect, nothing])).toEqual({ ndcg10: 0.5, recall10: 0.5, mrr10: 0.5 })
  })
})
