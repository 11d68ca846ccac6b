import type { MeaningPart } from '../inference/embedding-model.ts'
import { SCAN_DIMENSIONS_MAX, ROWS_A_BLOCK, SEGMENT, UNIT_BYTES } from './block-layout.ts'
import { quantizeQuery } from './quantized-query.ts'
import { RowTable } from './row-table.ts'
import { createScan, CANDIDATES_MAX, type Scan, type ScannedRows } from './scan.ts'
import { createSharedMemory, roomOf, type SharedMemory } from './shared-memory.ts'
import { rowBytesOf } from './write-rows.ts'

/** The similarity of a quantized vector to a query. The same in every table. */
export interface Similarity {
  /** The upper bound of the exact cosine. */
  upperBound: number
  cosine: number
  /** The product of the meaning parts; null: not requested. */
  meaning: number | null
}

export interface VectorQuery {
  vector: Float32Array
  /** The dimensions of the meaning part; null: not requested. */
  meaning: MeaningPart | null
}

export function* similaritiesOf(
  table: RowTable,
  { rows, upperBounds, cosines }: ScannedRows,
  { vector, meaning }: VectorQuery,
): Generator<[row: number, Similarity], void> {
  const meaningOf = meaning && table.meaningOf(vector, meaning)
  for (const [at, row] of rows.entries()) {
    const [upperBound, cosine] = [upperBounds[at] ?? 1, cosines[at] ?? 0]
    yield [row, { upperBound, cosine, meaning: meaningOf && meaningOf(row) }]
  }
}

let scratch: { shared: SharedMemory; scan: Scan } | undefined

/** Compares at most {@link CANDIDATES_MAX} vectors with a query. Omits those without a cosine above 0. */
export function compareVectors(
  vectors: readonly Uint8Array[],
  query: VectorQuery,
): [place: number, Similarity][] {
  const quantized = quantizeQuery(query.vector)
  if (quantized === null || vectors.length === 0) return []
  const { shared, scan } = (scratch ??= createScratch())
  const table = new RowTable(query.vector.length, shared)
  try {
    const rowBytes = rowBytesOf(query.vector.length)
    const page = Buffer.alloc(rowBytes * vectors.length)
    for (const [row, vector] of vectors.entries()) page.set(vector, (row + 1) * rowBytes - vector.length)
    const rows = vectors.map((_, row) => table.add(row, 0))
    table.write(page, rows)
    const { segments, units, rowItems, blocks } = table
    const whole = { from: 0, to: blocks, allowed: null, limit: rows.length }
    const found = scan({ query: quantized, segments, units, rowItems, ...whole })
    return found === null ? [] : [...similaritiesOf(table, found, query)]
  } finally {
    table.release()
  }
}

function createScratch(): { shared: SharedMemory; scan: Scan } {
  const units = (CANDIDATES_MAX / ROWS_A_BLOCK) * (SCAN_DIMENSIONS_MAX / SEGMENT)
  const shared = createSharedMemory({ bytes: units * UNIT_BYTES, threads: 1 })
  return { shared, scan: createScan(shared.memories, roomOf(0)) }
}
