/*
 * Vectors in memory. A table (`row-table.ts`) has rows of quantized vectors in blocks (`block-layout.ts`), which
 * `write-rows.ts` writes and a WebAssembly kernel scans (`scan.ts`, on threads if there are many). A scan computes
 * bounds of every similarity, so that it returns all rows that can be among the nearest. `score.ts` computes exact
 * similarities. This module does not depend on the database or organizations.
 */
export { blockBytesOf, SCAN_DIMENSIONS_MAX, ROWS_A_BLOCK } from './block-layout.ts'
export { compareVectors, similaritiesOf, type Similarity } from './compare.ts'
export { greatestCosines } from './scan.ts'
export { NO_ITEM, NoRoom, type RowTable } from './row-table.ts'
export { createScore, distanceError, lengthOf, type StoredVector } from './score.ts'
export { VectorScanner } from './scanner.ts'
export { KEY_BYTES, rowBytesOf } from './write-rows.ts'
