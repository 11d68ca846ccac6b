import type { Passage } from './passages.ts'

/** A passage with where it stands and how well it answers. */
export interface Candidate {
  passage: Passage
  /** The hit it is from, counted from 0. */
  hit: number
  /** Its place among the passages of its hit. */
  position: number
  /** Its stems. */
  stems: ReadonlySet<string>
  /** The share of the question's weight that it covers, with what it stands under; 0 to about 1.5. */
  score: number
  /** The share of the question's weight that it covers itself or by what it tells of, 0 to 1. */
  covers: number
  /** What it gains by seeming to have what is asked for (`expectAnswer`). */
  gains: number
}
