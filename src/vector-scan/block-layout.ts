/**
 * The memory layout of vectors. A block holds 256 rows of one model, with one unit of memory per segment of 128
 * dimensions: first the scales, a 32-bit float per row, then the numbers as bytes in pairs of dimensions (the two bytes
 * of row 0, of row 1, …). A scan reads only the pairs in which the query is not 0, each as a run long enough for the
 * processor to prefetch.
 */
export const ROWS_A_BLOCK = 256
/** Dimensions that share a scale. */
export const SEGMENT = 128
/** The maximum that fits into the memory reserved for a query. */
export const SCAN_DIMENSIONS_MAX = 4_096

const FLOAT_BYTES = 4
export const SCALES_BYTES = ROWS_A_BLOCK * FLOAT_BYTES
export const PAIR_BYTES = ROWS_A_BLOCK * 2
export const UNIT_BYTES = SCALES_BYTES + (SEGMENT / 2) * PAIR_BYTES

export function blockBytesOf(dimensions: number): number {
  return segmentsOf(dimensions) * UNIT_BYTES
}

/** The number of segments of a vector. The last one is padded with zeros. */
export function segmentsOf(dimensions: number): number {
  return Math.ceil(dimensions / SEGMENT)
}
