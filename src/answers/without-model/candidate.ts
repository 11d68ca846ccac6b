import type { Passage } from './passage.ts'

/** A passage with the stems of its text and context. */
export interface ReadPassage {
  passage: Passage
  stems: ReadonlySet<string>
  words: readonly string[]
  term: ReadonlySet<string>
  /** One set for all neighboring passages with the same context. */
  context: ReadonlySet<string>
}

export interface Candidate extends ReadPassage {
  /** The index of the hit to cite. */
  hit: number
  /** Whether it is in a neighboring chunk of the hit's document. */
  isBeside: boolean
  section: number
  /** Its index among the passages of its section. */
  position: number
  /** How well it answers; comparable only within one question. */
  score: number
  /** The share of the question's weight that its text or term covers, 0 to 1. */
  covers: number
  /** The gain for containing the requested type of information (`answer-types.ts`). */
  gains: number
}
