import type { TermWeights } from '../../inference/term-weights.ts'
import { withSingleWords } from './stems.ts'

/** The share of the weight of either one's words that both have. */
const SHARED_FROM = 0.7

/** Whether a heading asks the question in the same or fewer words, as in an FAQ. */
export type AsksSame = (heading: string | null) => boolean

/** @param weights of the question's stems, with sum 1 */
export function createAsksSame(weights: ReadonlyMap<string, number>, terms: TermWeights): AsksSame {
  const told = new Map<string, boolean>()
  const compare = (heading: string): boolean => {
    const stems = terms.tokenize(withSingleWords(heading))
    const shared = stems.filter((stem) => weights.has(stem))
    const asked = sum(shared, (stem) => weights.get(stem) ?? 0)
    const rarity = (stem: string): number => terms.backgroundWeight(stem)
    const isEqual = shared.length === stems.length && shared.length === weights.size
    return (
      (shared.length > 1 || isEqual) &&
      asked >= SHARED_FROM &&
      sum(shared, rarity) >= SHARED_FROM * sum(stems, rarity)
    )
  }
  return (heading) => {
    if (heading === null || !heading.endsWith('?')) return false
    const isSame = told.get(heading) ?? compare(heading)
    told.set(heading, isSame)
    return isSame
  }
}

function sum(stems: readonly string[], of: (stem: string) => number): number {
  return stems.reduce((all, stem) => all + of(stem), 0)
}
