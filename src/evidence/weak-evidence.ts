import type { Db } from '../database/database.ts'
import { calibrationOf } from '../inference/calibrations.ts'
import { chanceAmong, CHUNKS_MIN } from './chance.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Readable } from '../kernel/viewer.ts'
import type { StoredModel } from '../models/index.ts'
import { findStored, type StoredCalibration } from './store.ts'

/** Up to this multiple of the threshold, the passages' words decide (`question-words.ts`). */
const DOUBTFUL_UP_TO = 1.9
/** The share of a question's words that a passage needs: more in a large memory, less with more evidence. */
const COVER = { bySize: 0.12, byEvidence: 0.0768 }
/** More chunks than any workspace has. */
const CHUNKS_MAX = 1e8

/** The evidence of the best score among `compared` chunks, for comparison with a model's threshold. */
export function evidenceOf(bestScore: number, compared: number): number {
  return bestScore / chanceAmong(compared)
}

/**
 * The share of a shipped threshold for questions that are not English: they share fewer words with what answers them,
 * and their words are unknown to the built-in model more often, so that their scores are lower.
 */
const FOREIGN = 0.75

/** A query, and the vectors that it was compared with: those of a model, in scope. */
export interface EvidenceQuery {
  isEnglish: boolean
  isGreeting: boolean
  organizationId: string
  model: StoredModel
  /** null: every provider. */
  providers: readonly ProviderId[] | null
  readable: Readable
}

export interface Evidence {
  /** Whether the nearest chunk is too far away to answer; {@link lacksEvidence} then also checks the words. */
  isWeak: boolean
  /** The share of the question's words that a passage must have; 0 if the nearest chunk is close enough. */
  coverNeeded: number
}
const STRONG: Evidence = { isWeak: false, coverNeeded: 0 }
const WEAK: Evidence = { isWeak: true, coverNeeded: Infinity }
/** A passage may still define a rare word that the model does not know. */
const FAR: Evidence = { isWeak: true, coverNeeded: 0.8 }

/** Estimates the evidence that stored text answers a query. `bestScore` undefined: no hit. */
export type EvidenceCheck = (
  query: EvidenceQuery,
  bestScore: number | undefined,
  countCompared: () => Promise<number>,
) => Promise<Evidence>

/** Compares the score with the model's or the organization's threshold, within the caller's providers only. */
export function createEvidenceCheck(db: Db): EvidenceCheck {
  return async (query, bestScore, countCompared) => {
    // A greeting such as "hello" is near every page with a "hello world" program, and no page answers it.
    if (query.isGreeting) return (await countCompared()) > 0 ? WEAK : STRONG
    const calibration = await calibrationFor(db, query)
    if (calibration === null) return STRONG
    // All chunks are orthogonal or opposite to the query.
    if (bestScore === undefined) return (await countCompared()) > 0 ? WEAK : STRONG
    const { level, threshold } = calibration
    // Own questions scored below the level. Such a threshold is meaningless, and its ratios would be reversed.
    if (threshold <= 0)
      return evidenceOf(bestScore - level, await countCompared()) < threshold ? WEAK : STRONG
    const tellAmong = (chunks: number): Evidence => {
      const evidence = evidenceOf(bestScore - level, chunks) / threshold
      if (evidence < 1) return FAR
      return evidence < DOUBTFUL_UP_TO
        ? { isWeak: false, coverNeeded: coverNeeded(evidence, chunks) }
        : STRONG
    }
    // Counting takes some milliseconds, and many scores are conclusive for any count.
    const amongFewest = tellAmong(CHUNKS_MIN)
    if (amongFewest === FAR || tellAmong(CHUNKS_MAX) === STRONG) return amongFewest
    return tellAmong(await countCompared())
  }
}

/** @param evidence as a multiple of the threshold */
function coverNeeded(evidence: number, chunks: number): number {
  const chance = chanceAmong(chunks)
  return Math.max(0, chance * (COVER.bySize * Math.sqrt(chance) - COVER.byEvidence * evidence))
}

async function calibrationFor(
  db: Db,
  query: EvidenceQuery,
): Promise<Omit<StoredCalibration, 'chunks'> | null> {
  const { isEnglish, organizationId, model, providers, readable } = query
  const calibration = calibrationOf(model.name)
  if (calibration !== null)
    return { level: 0, threshold: calibration.weakEvidenceBelow * (isEnglish ? 1 : FOREIGN) }
  // The measurements include chunks that the user may not be allowed to read.
  if (!readable.isEverything) return null
  return together(await findStored(db, { organizationId, modelId: model.id }, providers))
}

/** Averages the calibrations of several providers, weighted by their chunks; null: no provider. */
export function together(measured: readonly StoredCalibration[]): Omit<StoredCalibration, 'chunks'> | null {
  const all = measured.reduce((sum, { chunks }) => sum + chunks, 0)
  if (all === 0) return null
  const mean = (of: (one: StoredCalibration) => number): number =>
    measured.reduce((sum, one) => sum + of(one) * one.chunks, 0) / all
  return { level: mean(({ level }) => level), threshold: mean(({ threshold }) => threshold) }
}
