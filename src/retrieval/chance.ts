/**
 * The best of n scores of a question that nothing answers grows as √(2 ln n), as the greatest of n random numbers does. So
 * the best score divided by that is compared with one threshold, whatever the size of the memory.
 */
export function chanceAmong(chunks: number): number {
  return Math.sqrt(2 * Math.log(Math.max(chunks, CHUNKS_MIN)))
}

/** Fewer chunks count as this many: the only document there is has no others that it could be the best of. */
export const CHUNKS_MIN = 100
