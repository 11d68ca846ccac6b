import type { MeaningPart } from '../inference/embedding-model.ts'
import { DIMENSIONS_MAX, ROWS_A_BLOCK, SEGMENT, UNIT_BYTES } from './block-layout.ts'
import { encodeQuestion } from './question.ts'
import type { RowKey } from './read-snapshot.ts'
import { RowTable } from './row-table.ts'
import { createScan, PROPOSED_MAX, type Scan, type ScannedRows } from './scan.ts'
import { createSharedMemory, roomOf, type SharedMemory } from './shared-memory.ts'
import { rowBytesOf } from './write-rows.ts'

/** A chunk that may be among the nearest to a query. */
export interface Candidate extends RowKey {
  /** The version of its item in the snapshot; null: the database proposed it. */
  version: number | null
  /** Upper bound of its score. */
  atMost: number
  /** Cosine of the quantized vectors: the same number on every path. */
  cosine: number
  /** Product of the quantized meaning parts; null: the model has none. */
  meaning: number | null
}

export interface Asked {
  vector: Float32Array
  /** The dimensions that carry meaning; null: none are asked about. */
  meaning: MeaningPart | null
}

/** The candidates among scanned rows. @param keyOf null: the row has no item any more */
export function candidatesOf(
  table: RowTable,
  { rows, uppers, cosines }: ScannedRows,
  { vector, meaning }: Asked,
  keyOf: (row: number) => (RowKey & Pick<Candidate, 'version'>) | null,
): Candidate[] {
  const meaningOf = meaning && table.meaningOf(vector, meaning)
  return rows.flatMap((row, at) => {
    const key = keyOf(row)
    if (key === null) return []
    const { itemId, position, version } = key
    const [atMost, cosine] = [uppers[at] ?? 1, cosines[at] ?? 0]
    return { itemId, position, version, atMost, cosine, meaning: meaningOf && meaningOf(row) }
  })
}

/** Memory for rows of the database. */
let scratch: { shared: SharedMemory; scan: Scan } | undefined

/**
 * Compares at most {@link PROPOSED_MAX} vectors with a query by the same scan as those of a snapshot.
 * @param vectors as `halfvec_send` writes them
 */
export function compareVectors(
  keys: readonly RowKey[],
  vectors: readonly Uint8Array[],
  asked: Asked,
): Candidate[] {
  const question = encodeQuestion(asked.vector)
  if (question === null || keys.length === 0) return []
  const { shared, scan } = (scratch ??= createScratch())
  const table = new RowTable(asked.vector.length, shared)
  try {
    const rowBytes = rowBytesOf(asked.vector.length)
    const page = Buffer.alloc(rowBytes * keys.length)
    for (const [row, vector] of vectors.entries()) page.set(vector, (row + 1) * rowBytes - vector.length)
    table.write(
      page,
      keys.map(({ position }, row) => table.add(row, position)),
    )
    const { segments, units, rowItems, blocks } = table
    const job = {
      question,
      segments,
      units,
      rowItems,
      from: 0,
      to: blocks,
      allowed: null,
      limit: keys.length,
    }
    const found = scan(job)
    return found === null
      ? []
      : candidatesOf(table, found, asked, (row) => {
          const key = keys[row]
          return key === undefined ? null : { ...key, version: null }
        })
  } finally {
    table.release()
  }
}

function createScratch(): { shared: SharedMemory; scan: Scan } {
  const units = (PROPOSED_MAX / ROWS_A_BLOCK) * (DIMENSIONS_MAX / SEGMENT)
  const shared = createSharedMemory({ bytes: units * UNIT_BYTES, threads: 1 })
  return { shared, scan: createScan(shared.memory, roomOf(0)) }
}
