/**
 * The expected maximum of n scores of an unanswerable question grows as √(2 ln n), like the maximum of n random
 * numbers. Dividing the best score by this makes one threshold fit any size of memory.
 */
export function chanceAmong(chunks: number): number {
  return Math.sqrt(2 * Math.log(Math.max(chunks, CHUNKS_MIN)))
}

/** The minimum of n, because the best of a few chunks has no meaning. */
export const CHUNKS_MIN = 100
