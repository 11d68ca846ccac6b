/** An unanswerable question's best of n scores grows as √(2 ln n); dividing by this, one threshold fits any size. */
export function chanceAmong(chunks: number): number {
  return Math.sqrt(2 * Math.log(Math.max(chunks, CHUNKS_MIN)))
}

/** The minimum of n, because the best of a few chunks has no meaning. */
export const CHUNKS_MIN = 100
