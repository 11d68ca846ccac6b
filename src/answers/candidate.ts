import type { Passage } from './passage.ts'

/** A passage with the stems of what it says and stands under. */
export interface ReadPassage {
  passage: Passage
  stems: ReadonlySet<string>
  /** Its words in order. */
  words: readonly string[]
  term: ReadonlySet<string>
  context: ReadonlySet<string>
  /** What it means, and what it stands under (`Meaning.sumOf`). */
  meaning: Float32Array | null
  contextMeaning: Float32Array | null
}

/** A passage with where it stands and how well it answers. */
export interface Candidate extends ReadPassage {
  /** The hit that is cited for it, counted from 0. */
  hit: number
  /** Whether it stands beside the hit's own chunk, in the same document. */
  isBeside: boolean
  /** The section it was read in, counted from 0. */
  section: number
  /** Its place among the passages of its section. */
  position: number
  /** How well it answers; comparable within one question. */
  score: number
  /** The share of the question's weight that it covers itself or by its term, 0 to 1. */
  covers: number
  /** What it gains by seeming to have what is asked for (`answer-types.ts`). */
  gains: number
}
