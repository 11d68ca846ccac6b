import type { Passage } from './passage.ts'

/** A passage with the stems of its text and context. */
export interface ReadPassage {
  passage: Passage
  stems: ReadonlySet<string>
  words: readonly string[]
  term: ReadonlySet<string>
  context: ReadonlySet<string>
  /** The meanings of its text and context (`Meaning.sumOf`). */
  meaning: Float32Array | null
  contextMeaning: Float32Array | null
}

/** A passage with its place and score. */
export interface Candidate extends ReadPassage {
  /** The hit to cite for it, from 0. */
  hit: number
  /** Whether it is outside the hit's own chunk, in the same document. */
  isBeside: boolean
  /** Its section, from 0. */
  section: number
  /** Its index among the passages of its section. */
  position: number
  /** How well it answers; comparable within one question. */
  score: number
  /** The share of the question's weight in its text or term, 0 to 1. */
  covers: number
  /** The gain for apparently having what the question asks for (`answer-types.ts`). */
  gains: number
}
