/**
 * How vectors lie in memory. A block has 256 rows of one model: first their scales, a 32-bit float for each row and segment, then
 * their numbers as bytes, by pairs of dimensions: the two bytes of row 0, of row 1, … So a question reads only the pairs in which
 * it is not 0, and each in a run that is long enough for the processor to read ahead.
 */
export const ROWS_A_BLOCK = 256
/** Dimensions that share a scale. */
export const SEGMENT = 128
/** More are not held: the room for a question is made for these. */
export const DIMENSIONS_MAX = 4_096

const FLOAT_BYTES = 4
/** The scales of one segment, or a pair of dimensions, of a block. */
export const SCALES_BYTES = ROWS_A_BLOCK * FLOAT_BYTES
export const PAIR_BYTES = ROWS_A_BLOCK * 2

/** Where what is in a block of vectors of so many dimensions. */
export interface BlockLayout {
  readonly dimensions: number
  /** Segments of {@link SEGMENT} dimensions; the last one is filled up with zeros. */
  readonly segments: number
  /** From where in a block the pairs are. */
  readonly pairsAt: number
  /** A block's size in bytes. */
  readonly blockBytes: number
}

/** The layout for vectors of 1 to {@link DIMENSIONS_MAX} dimensions. */
export function layoutOf(dimensions: number): BlockLayout {
  const segments = Math.ceil(dimensions / SEGMENT)
  const pairsAt = segments * SCALES_BYTES
  return { dimensions, segments, pairsAt, blockBytes: pairsAt + (segments * SEGMENT * PAIR_BYTES) / 2 }
}
