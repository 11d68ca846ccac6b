import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Hit } from './search-schema.ts'
import { unmentionedNames } from './unmentioned-names.ts'

/** Passages to check: as many as an answer reads by default, whatever its limit. */
const PASSAGES_READ = 8
/** A word with less weight is foreign and says little about English documents. */
const ENGLISH_FROM = 0.5

type Passage = Pick<Hit, 'title' | 'content'> & { provider?: string }

/** Whether a question has words that can rule out passages: names, or English words. */
export function canMissWords(question: string, coverNeeded: number, terms: TermWeights): boolean {
  return isEnglish(question, terms) && (coverNeeded > 0 || unmentionedNames(question, [], terms).length > 0)
}

/**
 * Whether no passage seems to answer: they lack a name of the question, or none has the required share of its
 * words (`coverNeeded`).
 */
export function* missingWords(
  question: string,
  passages: readonly Passage[],
  coverNeeded: number,
  terms: TermWeights,
): Pausable<boolean> {
  if (passages.length === 0 || !canMissWords(question, coverNeeded, terms)) return false
  const read = passages.slice(0, PASSAGES_READ)
  if (unmentionedNames(question, read, terms).length > 0) return true
  if (coverNeeded === 0) return false
  const asked = new Set(terms.tokenize(question))
  for (const { title, content } of read) {
    yield
    if (coverOf(asked, new Set(terms.tokenize(`${title}\n${content}`)), terms) >= coverNeeded) return false
  }
  return asked.size > 0
}

function coverOf(asked: ReadonlySet<string>, having: ReadonlySet<string>, terms: TermWeights): number {
  let all = 0
  let covered = 0
  for (const stem of asked) {
    const weight = terms.backgroundWeight(stem)
    all += weight
    if (having.has(stem)) covered += weight
  }
  return covered / Math.max(all, Number.MIN_VALUE)
}

function isEnglish(question: string, terms: TermWeights): boolean {
  return !terms.tokenize(question).some((stem) => terms.backgroundWeight(stem) < ENGLISH_FROM)
}
