/**
 * Memory layout of vectors. A block holds 256 rows of one model: first the scales, a 32-bit float for each
 * row and segment, then the numbers as bytes in pairs of dimensions (the two bytes of row 0, of row 1, …). A
 * scan reads only the pairs where the question is not 0, each as a run long enough for the processor to
 * prefetch.
 */
export const ROWS_A_BLOCK = 256
/** Dimensions that share a scale. */
export const SEGMENT = 128
/** The memory reserved for a question has room for this many. */
export const DIMENSIONS_MAX = 4_096

const FLOAT_BYTES = 4
/** The scales of one segment, or one pair of dimensions, of a block. */
export const SCALES_BYTES = ROWS_A_BLOCK * FLOAT_BYTES
export const PAIR_BYTES = ROWS_A_BLOCK * 2

/** Offsets in a block. */
export interface BlockLayout {
  readonly dimensions: number
  /** Segments of {@link SEGMENT} dimensions; the last one is padded with zeros. */
  readonly segments: number
  readonly pairsAt: number
  readonly blockBytes: number
}

/** Accepts 1 to {@link DIMENSIONS_MAX} dimensions. */
export function layoutOf(dimensions: number): BlockLayout {
  const segments = Math.ceil(dimensions / SEGMENT)
  const pairsAt = segments * SCALES_BYTES
  return { dimensions, segments, pairsAt, blockBytes: pairsAt + (segments * SEGMENT * PAIR_BYTES) / 2 }
}
