import { ROWS_A_BLOCK } from './block-layout.ts'
import { quantizeQuery } from './quantized-query.ts'
import { RowTable } from './row-table.ts'
import type { ScannedRows } from './scan.ts'
import { createSharedMemory, type SharedMemory } from './shared-memory.ts'
import { createScanThreads, type ScanThreads } from './scan-threads.ts'

/** Threads scan tables with more rows; doubled if no other scan is expected. */
const INLINE_ROWS_MAX = 8_192

/** Tables of quantized vectors within a memory limit, and scans of them. */
export class VectorScanner {
  readonly #shared: SharedMemory
  readonly #threads: ScanThreads

  /** @param threads the number of scanning threads, besides the caller's */
  constructor({
    bytes,
    threads,
    inlineRowsMax = INLINE_ROWS_MAX,
  }: {
    bytes: number
    threads: number
    inlineRowsMax?: number | undefined
  }) {
    this.#shared = createSharedMemory({ bytes, threads: threads + 1 })
    this.#threads = createScanThreads(this.#shared, { count: threads, inlineRowsMax })
  }

  /** Creates an empty table of vectors with this many dimensions. */
  table(dimensions: number): RowTable {
    return new RowTable(dimensions, this.#shared)
  }

  /** Whether this many more rows fit, now or if there were no other tables. */
  hasRoom({ segments }: RowTable, rows: number, inEmptyMemory = false): boolean {
    const { blocksMax, blocksFree } = this.#shared
    return Math.ceil(rows / ROWS_A_BLOCK) <= (inEmptyMemory ? blocksMax : blocksFree)(segments)
  }

  /**
   * All rows that can be among the `limit` nearest to a vector.
   * @param allowed for each item, whether it is in scope; null: all are
   * @param isAlone no other scan is expected meanwhile
   * @returns null if too many rows are equally near
   * @throws when a thread ended
   */
  async scan(
    { blocks, segments, units, rowItems }: RowTable,
    vector: Float32Array,
    { allowed, limit, isAlone }: { allowed: Uint8Array | null; limit: number; isAlone: boolean },
  ): Promise<ScannedRows | null> {
    const query = quantizeQuery(vector)
    if (query === null || blocks === 0) return { rows: [], upperBounds: [], cosines: [], restUpperBound: 0 }
    return await this.#threads.scan({ query, segments, units, rowItems, allowed, limit }, isAlone)
  }

  async close(): Promise<void> {
    await this.#threads.close()
  }
}
