import type { Db } from '../database/database.ts'
import { calibrationOf } from '../inference/calibrations.ts'
import { countCompared, type NearestQuery } from './find-nearest.ts'

/**
 * The best of n scores of a question that nothing answers grows as √(2 ln n), as the greatest of n random numbers does. So
 * the best score divided by that is compared with one threshold, whatever the size of the memory.
 */
function chanceAmong(chunks: number): number {
  return Math.sqrt(2 * Math.log(Math.max(chunks, CHUNKS_MIN)))
}

/** Fewer chunks count as this many: the only document there is has no others that it could be the best of. */
const CHUNKS_MIN = 100
/** More than a workspace has. */
const CHUNKS_MAX = 1e8

/** How much evidence the best score among `compared` chunks is: what is compared with a model's threshold. */
export function evidenceOf(bestScore: number, compared: number): number {
  return bestScore / chanceAmong(compared)
}

/** Tells whether even the nearest chunk is too far from a query to answer it. */
export type EvidenceCheck = (query: NearestQuery, bestScore: number | undefined) => Promise<boolean>

/**
 * The check by the threshold of the query's model. It looks at what is in scope and nothing else, so that nothing out of
 * scope can be told from it. Where there is nothing to compare with there is nothing to be weak.
 */
export function createEvidenceCheck(db: Db): EvidenceCheck {
  return async (query, bestScore) => {
    const threshold = calibrationOf(query.model.name)?.weakEvidenceBelow
    if (threshold === undefined) return false
    // All that there is stands at a right angle to the query, or beyond.
    if (bestScore === undefined) return (await countCompared(db, query)) > 0
    // Counting costs some milliseconds, and most scores are clear whatever the number is.
    if (evidenceOf(bestScore, CHUNKS_MAX) >= threshold) return false
    if (evidenceOf(bestScore, CHUNKS_MIN) < threshold) return true
    return evidenceOf(bestScore, await countCompared(db, query)) < threshold
  }
}
