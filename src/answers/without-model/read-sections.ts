import type { TermWeights } from '../../inference/term-weights.ts'
import type { Pausable } from '../../kernel/cooperative.ts'
import { withoutQuotedQuestions } from '../../text/quotations.ts'
import type { Candidate, ReadPassage } from './candidate.ts'
import { splitPassages } from './split-passages.ts'
import type { Section } from './sections.ts'
import { stemsOf } from './stems.ts'

/** The cache limit, in texts. Reading one takes about a millisecond, and texts recur across questions. */
const TEXTS_MAX = 400

export type ReadSections = (sections: readonly Section[]) => Pausable<Candidate[]>

/** Caches passages. Reading is deterministic, so cached passages equal new ones. */
export function createReadSections(terms: TermWeights): ReadSections {
  const cache = new Map<string, readonly ReadPassage[]>()

  function* read(text: string): Pausable<readonly ReadPassage[]> {
    const cached = cache.get(text)
    if (cached !== undefined) {
      cache.delete(text)
      cache.set(text, cached)
      return cached
    }
    const passages: ReadPassage[] = []
    for (const passage of splitPassages(text)) {
      yield
      const says = passage.kind === 'code' ? withoutQuotedQuestions(passage.text) : passage.text
      const words = terms.tokenize(says)
      const stems = stemsOf(says, terms, words)
      const above = passages.at(-1)
      const isSame = above?.passage.context === passage.context
      passages.push({
        passage,
        stems,
        words,
        term: passage.term === null ? new Set() : stemsOf(passage.term, terms),
        context: isSame ? above.context : stemsOf(passage.context, terms),
      })
    }
    cache.set(text, passages)
    const [oldest] = cache.keys()
    if (cache.size > TEXTS_MAX && oldest !== undefined) cache.delete(oldest)
    return passages
  }

  return function* readSections(sections) {
    const candidates: Candidate[] = []
    for (const [at, section] of sections.entries()) {
      yield
      for (const [position, one] of (yield* read(section.text)).entries()) {
        const piece = section.pieces.find(({ end }) => one.passage.at < end)
        const { hit, isHit } = piece ?? { hit: section.hit, isHit: true }
        const unscored = { score: 0, covers: 0, gains: 0 }
        candidates.push({ ...one, hit, isBeside: !isHit, section: at, position, ...unscored })
      }
    }
    return candidates
  }
}
