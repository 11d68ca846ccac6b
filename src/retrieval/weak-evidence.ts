import type { Db } from '../database/database.ts'
import { calibrationOf } from '../inference/calibrations.ts'
import { chanceAmong, CHUNKS_MIN } from './chance.ts'
import type { NearestQuery } from './nearest-query.ts'
import { findKept, type Kept } from './own-calibration/index.ts'

/** Up to this many times the threshold, the words of the passages decide (`missing-words.ts`). */
const DOUBTFUL_UP_TO = 1.9
/** The share of a question's words that a passage needs then: more in a larger memory, less the nearer the best one is. */
const COVER = { bySize: 0.125, byEvidence: 0.0768 }
/** More than a workspace has. */
const CHUNKS_MAX = 1e8

/** How much evidence the best score among `compared` chunks is: what is compared with a model's threshold. */
export function evidenceOf(bestScore: number, compared: number): number {
  return bestScore / chanceAmong(compared)
}

/** What the nearest chunk says. */
export interface Evidence {
  /** Whether it is too far away to answer. */
  isWeak: boolean
  /** The share of the question's words that a passage has to have; 0 where the nearest chunk is near. */
  coverNeeded: number
}
const STRONG: Evidence = { isWeak: false, coverNeeded: 0 }
const WEAK: Evidence = { isWeak: true, coverNeeded: 1 }

/**
 * Tells how much evidence there is that something answers a query.
 * @param bestScore undefined: there is none
 * @param countCompared how many chunks the query was compared with
 */
export type EvidenceCheck = (
  query: Pick<NearestQuery, 'organizationId' | 'model' | 'providers' | 'readable'>,
  bestScore: number | undefined,
  countCompared: () => Promise<number>,
) => Promise<Evidence>

/**
 * The check by the threshold of the query's model, or where nobody has measured that, by what was measured over the
 * organization's own chunks of the providers in scope. It looks at what is in scope and nothing else, so that nothing out of
 * scope can be told from it. Where there is nothing to compare with there is nothing to be weak.
 */
export function createEvidenceCheck(db: Db): EvidenceCheck {
  return async (query, bestScore, countCompared) => {
    const calibration = await calibrationFor(db, query)
    if (calibration === null) return STRONG
    // All that there is stands at a right angle to the query, or beyond.
    if (bestScore === undefined) return (await countCompared()) > 0 ? WEAK : STRONG
    const { level, threshold } = calibration
    const tellAmong = (chunks: number): Evidence => {
      const evidence = evidenceOf(bestScore - level, chunks) / threshold
      if (evidence < 1) return WEAK
      return evidence < DOUBTFUL_UP_TO
        ? { isWeak: false, coverNeeded: coverNeeded(evidence, chunks) }
        : STRONG
    }
    // Counting costs some milliseconds, and many scores are clear whatever the number is.
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

async function calibrationFor(
  db: Db,
  query: Pick<NearestQuery, 'organizationId' | 'model' | 'providers' | 'readable'>,
): Promise<Omit<Kept, 'chunks'> | null> {
  const { organizationId, model, providers, readable } = query
  const kept = calibrationOf(model.name)
  if (kept !== null) return { level: 0, threshold: kept.weakEvidenceBelow }
  // It was measured over chunks that the person may not read.
  if (!readable.isEverything) return null
  return together(await findKept(db, { organizationId, modelId: model.id }, providers))
}

/** What was measured of several providers, each as much as it has chunks; null of none. */
export function together(measured: readonly Kept[]): Omit<Kept, 'chunks'> | null {
  const all = measured.reduce((sum, { chunks }) => sum + chunks, 0)
  if (all === 0) return null
  const mean = (of: (one: Kept) => number): number =>
    measured.reduce((sum, one) => sum + of(one) * one.chunks, 0) / all
  return { level: mean(({ level }) => level), threshold: mean(({ threshold }) => threshold) }
}
