import type { Db } from '../database/database.ts'
import { calibrationOf } from '../inference/calibrations.ts'
import { chanceAmong, CHUNKS_MIN } from './chance.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { Readable } from '../kernel/reader.ts'
import type { StoredModel } from '../models/index.ts'
import { findKept, type Kept } from './store.ts'

/** Up to this multiple of the threshold, the passages' words decide (`question-words.ts`). */
const DOUBTFUL_UP_TO = 1.9
/**
 * The share of a question's words that a passage then needs: more in a larger memory, less the nearer the
 * best one is.
 */
const COVER = { bySize: 0.125, byEvidence: 0.0768 }
/** More than a workspace has. */
const CHUNKS_MAX = 1e8

/** How much evidence the best score among `compared` chunks is, to compare with a model's threshold. */
export function evidenceOf(bestScore: number, compared: number): number {
  return bestScore / chanceAmong(compared)
}

/** What a query was compared with: the vectors of a model, in scope. */
interface Asked {
  organizationId: string
  model: StoredModel
  /** null: every provider. */
  providers: readonly ProviderId[] | null
  readable: Readable
}

/** The evidence of the nearest chunk. */
export interface Evidence {
  /** Whether it is too far away to answer. */
  isWeak: boolean
  /** The share of the question's words that a passage must have; 0 if the nearest chunk is near. */
  coverNeeded: number
}
const STRONG: Evidence = { isWeak: false, coverNeeded: 0 }
const WEAK: Evidence = { isWeak: true, coverNeeded: 1 }

/**
 * Estimates the evidence that anything answers a query.
 * @param bestScore undefined: no hit
 * @param countCompared how many chunks the query was compared with
 */
export type EvidenceCheck = (
  query: Asked,
  bestScore: number | undefined,
  countCompared: () => Promise<number>,
) => Promise<Evidence>

/**
 * Compares with the threshold of the query's model, or for an uncalibrated model with the measurements over
 * the organization's own chunks of the providers in scope. It uses only what is in scope, so it reveals
 * nothing else. With nothing to compare, evidence is not weak.
 */
export function createEvidenceCheck(db: Db): EvidenceCheck {
  return async (query, bestScore, countCompared) => {
    const calibration = await calibrationFor(db, query)
    if (calibration === null) return STRONG
    // All chunks are orthogonal or opposite to the query.
    if (bestScore === undefined) return (await countCompared()) > 0 ? WEAK : STRONG
    const { level, threshold } = calibration
    // Own questions scored below the level: this model tells little, and ratios to such a threshold would be reversed.
    if (threshold <= 0)
      return evidenceOf(bestScore - level, await countCompared()) < threshold ? WEAK : STRONG
    const tellAmong = (chunks: number): Evidence => {
      const evidence = evidenceOf(bestScore - level, chunks) / threshold
      if (evidence < 1) return WEAK
      return evidence < DOUBTFUL_UP_TO
        ? { isWeak: false, coverNeeded: coverNeeded(evidence, chunks) }
        : STRONG
    }
    // Counting takes some milliseconds, and many scores are clear for any number.
    const amongFewest = tellAmong(CHUNKS_MIN)
    if (amongFewest === WEAK || tellAmong(CHUNKS_MAX) === STRONG) return amongFewest
    return tellAmong(await countCompared())
  }
}

/** @param evidence as a multiple of the threshold */
function coverNeeded(evidence: number, chunks: number): number {
  const chance = chanceAmong(chunks)
  return Math.max(0, chance * (COVER.bySize * Math.sqrt(chance) - COVER.byEvidence * evidence))
}

async function calibrationFor(db: Db, query: Asked): Promise<Omit<Kept, 'chunks'> | null> {
  const { organizationId, model, providers, readable } = query
  const kept = calibrationOf(model.name)
  if (kept !== null) return { level: 0, threshold: kept.weakEvidenceBelow }
  // Its measurements cover chunks that the user may not read.
  if (!readable.isEverything) return null
  return together(await findKept(db, { organizationId, modelId: model.id }, providers))
}

/** Averages the calibrations of several providers, weighted by their chunks; null: no provider. */
export function together(measured: readonly Kept[]): Omit<Kept, 'chunks'> | null {
  const all = measured.reduce((sum, { chunks }) => sum + chunks, 0)
  if (all === 0) return null
  const mean = (of: (one: Kept) => number): number =>
    measured.reduce((sum, one) => sum + of(one) * one.chunks, 0) / all
  return { level: mean(({ level }) => level), threshold: mean(({ threshold }) => threshold) }
}
