import type { Pausable } from '../kernel/cooperative.ts'
import { chanceAmong } from './chance.ts'

/** The calibration of one model for the chunks of one provider. */
export interface OwnCalibration {
  /** The mean score of a chunk and an unrelated question. */
  level: number
  /** The minimum excess of the best score over that level, as a share of it; below, the evidence is weak. */
  threshold: number
}

/** The unit vectors to measure. */
export interface Measured {
  chunks: readonly Float32Array[]
  /** Questions on other subjects. */
  foreign: readonly Float32Array[]
  /** Questions that one of the chunks answers. */
  own: readonly Float32Array[]
}

/** The share of foreign questions to flag. */
const FOREIGN_BELOW = 0.7
/** The maximum share of own questions to flag, which are harder than real ones, even with a poor model. */
const OWN_BELOW_MAX = 0.1

/** Chooses a threshold between the best scores of foreign questions and those of the chunks' own statements. */
export function* measuring({ chunks, foreign, own }: Measured): Pausable<OwnCalibration> {
  const strangers = yield* scoring(foreign, chunks)
  const level =
    strangers.reduce((sum, { total }) => sum + total, 0) / Math.max(1, foreign.length * chunks.length)
  const ofBest = ({ best }: Scored): number => (best - level) / chanceAmong(chunks.length)
  const answered = yield* scoring(own, chunks)
  const threshold = Math.min(
    quantile(strangers.map(ofBest), FOREIGN_BELOW),
    quantile(answered.map(ofBest), OWN_BELOW_MAX),
  )
  return { level, threshold }
}

interface Scored {
  best: number
  total: number
}

function* scoring(questions: readonly Float32Array[], chunks: readonly Float32Array[]): Pausable<Scored[]> {
  const scored: Scored[] = []
  for (const question of questions) {
    let best = -1
    let total = 0
    for (const [at, chunk] of chunks.entries()) {
      if (at % 64 === 0) yield
      const score = product(question, chunk)
      best = Math.max(best, score)
      total += score
    }
    scored.push({ best, total })
  }
  return scored
}

function product(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let at = 0; at < left.length; at++) sum += (left[at] ?? 0) * (right[at] ?? 0)
  return sum
}

/** The value with this share below it; for an empty list, Infinity. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Infinity
}
