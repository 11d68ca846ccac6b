/**
 * Memory layout of vectors. A block holds 256 rows of one model, in one unit of memory for each segment of 128
 * dimensions: first the scales, a 32-bit float for each row, then the numbers as bytes in pairs of dimensions
 * (the two bytes of row 0, of row 1, …). A scan reads only the pairs where the question is not 0, each as a
 * run long enough for the processor to prefetch.
 */
export const ROWS_A_BLOCK = 256
/** Dimensions that share a scale. */
export const SEGMENT = 128
/** The memory reserved for a question has room for this many. */
export const DIMENSIONS_MAX = 4_096

const FLOAT_BYTES = 4
export const SCALES_BYTES = ROWS_A_BLOCK * FLOAT_BYTES
/** One pair of dimensions of a block. */
export const PAIR_BYTES = ROWS_A_BLOCK * 2
export const UNIT_BYTES = SCALES_BYTES + (SEGMENT / 2) * PAIR_BYTES

/** Bytes of a block. */
export function blockBytesOf(dimensions: number): number {
  return segmentsOf(dimensions) * UNIT_BYTES
}

/** The segments of a vector; the last one is padded with zeros. */
export function segmentsOf(dimensions: number): number {
  return Math.ceil(dimensions / SEGMENT)
}
