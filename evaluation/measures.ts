/** The quality of a ranking; each measure is 0 to 1. */
export interface Measures {
  ndcg10: number
  recall10: number
  mrr10: number
}

/** Ranks that count. */
export const DEPTH = 10

/**
 * Measures a ranking of distinct document ids, best first, against the grades of the relevant ones. nDCG as
 * trec_eval computes it (gain = grade, discount log2(rank + 1)), recall over all relevant documents, and the
 * reciprocal rank of the first relevant one; all at rank 10.
 */
export function measureRanking(ranking: readonly string[], relevant: ReadonlyMap<string, number>): Measures {
  const gains = ranking.slice(0, DEPTH).map((id) => relevant.get(id) ?? 0)
  const ideal = [...relevant.values()].toSorted((a, b) => b - a).slice(0, DEPTH)
  const first = gains.findIndex((gain) => gain > 0)
  return {
    ndcg10: ideal.length === 0 ? 0 : discountedGain(gains) / discountedGain(ideal),
    recall10: relevant.size === 0 ? 0 : gains.filter((gain) => gain > 0).length / relevant.size,
    mrr10: first < 0 ? 0 : 1 / (first + 1),
  }
}

/** The mean of each measure over questions; zeros if there are none. */
export function averageMeasures(all: readonly Measures[]): Measures {
  const mean = (key: keyof Measures): number =>
    all.reduce((sum, one) => sum + one[key], 0) / Math.max(1, all.length)
  return { ndcg10: mean('ndcg10'), recall10: mean('recall10'), mrr10: mean('mrr10') }
}

function discountedGain(gains: readonly number[]): number {
  return gains.reduce((sum, gain, at) => sum + gain / Math.log2(at + 2), 0)
}
