import type { MeaningPart } from '../inference/embedding-model.ts'
import { DIMENSIONS_MAX, ROWS_A_BLOCK, SEGMENT, UNIT_BYTES } from './block-layout.ts'
import { encodeQuestion } from './question.ts'
import { RowTable } from './row-table.ts'
import { createScan, PROPOSED_MAX, type Scan, type ScannedRows } from './scan.ts'
import { createSharedMemory, roomOf, type SharedMemory } from './shared-memory.ts'
import { rowBytesOf } from './write-rows.ts'

/** The similarity of a quantized vector to a query. The same in every table. */
export interface Nearness {
  /** The upper bound of the exact cosine. */
  atMost: number
  cosine: number
  /** The product of the meaning parts; null: not requested. */
  meaning: number | null
}

export interface Asked {
  vector: Float32Array
  /** The dimensions of the meaning part; null: not requested. */
  meaning: MeaningPart | null
}

export function* nearnessOf(
  table: RowTable,
  { rows, uppers, cosines }: ScannedRows,
  { vector, meaning }: Asked,
): Generator<[row: number, Nearness], void> {
  const meaningOf = meaning && table.meaningOf(vector, meaning)
  for (const [at, row] of rows.entries()) {
    const [atMost, cosine] = [uppers[at] ?? 1, cosines[at] ?? 0]
    yield [row, { atMost, cosine, meaning: meaningOf && meaningOf(row) }]
  }
}

let scratch: { shared: SharedMemory; scan: Scan } | undefined

/** Compares at most {@link PROPOSED_MAX} vectors with a query. Omits those without a cosine above 0. */
export function compareVectors(vectors: readonly Uint8Array[], asked: Asked): [place: number, Nearness][] {
  const question = encodeQuestion(asked.vector)
  if (question === null || vectors.length === 0) return []
  const { shared, scan } = (scratch ??= createScratch())
  const table = new RowTable(asked.vector.length, shared)
  try {
    const rowBytes = rowBytesOf(asked.vector.length)
    const page = Buffer.alloc(rowBytes * vectors.length)
    for (const [row, vector] of vectors.entries()) page.set(vector, (row + 1) * rowBytes - vector.length)
    const rows = vectors.map((_, row) => table.add(row, 0))
    table.write(page, rows)
    const { segments, units, rowItems, blocks } = table
    const whole = { from: 0, to: blocks, allowed: null, limit: rows.length }
    const found = scan({ question, segments, units, rowItems, ...whole })
    return found === null ? [] : [...nearnessOf(table, found, asked)]
  } finally {
    table.release()
  }
}

function createScratch(): { shared: SharedMemory; scan: Scan } {
  const units = (PROPOSED_MAX / ROWS_A_BLOCK) * (DIMENSIONS_MAX / SEGMENT)
  const shared = createSharedMemory({ bytes: units * UNIT_BYTES, threads: 1 })
  return { shared, scan: createScan(shared.memory, roomOf(0)) }
}
