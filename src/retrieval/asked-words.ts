import type { TermWeights } from '../inference/term-weights.ts'

/** The stems of a query, with how often it has each. */
export type Asked = ReadonlyMap<string, number>

/** What a text has of a query's stems. */
export interface FoundWords {
  /** Those it has, in the order in which they come in it, with how often. */
  counts: ReadonlyMap<string, number>
  /** All stems of the text. */
  length: number
}

/** The stems that a query asks for. */
export function askedWords(query: string, terms: Pick<TermWeights, 'tokenize'>): Asked {
  return countStems(terms.tokenize(query))
}

/** What stems, those of a text in their order, have of a query's. */
export function findWords(asked: Asked, stems: readonly string[]): FoundWords {
  return { counts: countStems(stems.filter((stem) => asked.has(stem))), length: stems.length }
}

function countStems(stems: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  return counts
}
