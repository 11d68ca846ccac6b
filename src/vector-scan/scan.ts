import { readFileSync } from 'node:fs'
import { Greatest } from '../kernel/greatest-values.ts'
import { ROWS_A_BLOCK } from './block-layout.ts'
import type { QuantizedQuery } from './quantized-query.ts'
import { NO_ITEM } from './row-table.ts'
import { addressOf, BLOCKS_AT_ONCE, memoryOf, type Room } from './shared-memory.ts'

export interface ScanJob {
  query: QuantizedQuery
  /** The units per block, and the addresses of the units of all blocks. */
  segments: number
  units: Uint32Array
  /** The first block to scan, and the one after the last. */
  from: number
  to: number
  /** The item of each row; {@link NO_ITEM}: a free row. */
  rowItems: Uint32Array
  /** For each item, whether it is in scope; null: all are. */
  allowed: Uint8Array | null
  limit: number
}

/** All rows that can be among the nearest. */
export interface ScannedRows {
  rows: number[]
  /** Upper bounds of the rows' similarities, and those of their quantized vectors, the midpoints. */
  upperBounds: number[]
  cosines: number[]
  /** All other rows are below it: the lower bound of the `limit`-th similarity; 0 if there are fewer rows. */
  restUpperBound: number
}

/** Only a very large number of equally near rows exceeds this. The database then answers. */
export const CANDIDATES_MAX = 4_096

type Kernel = (
  units: number,
  count: number,
  stride: number,
  query: number,
  segments: number,
  step: number,
  slack: number,
  sums: number,
  out: number,
) => void

/** @returns null if more than {@link CANDIDATES_MAX} rows can be among the nearest */
export type Scan = (job: ScanJob) => ScannedRows | null

/** Scans with the WebAssembly kernel on the calling thread, with that thread's part of each memory. */
export function createScan(memories: readonly WebAssembly.Memory[], room: Room): Scan {
  const module = new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)))
  const kernels = memories.map((memory) => loadKernel(module, memory))
  return (job) => {
    const { query, segments, units, to } = job
    for (const { buffer } of memories) new Int32Array(buffer).set(query.words, room.query / 4)
    const nearest = new Nearest(job, memories)
    for (let from = job.from; from < to;) {
      const number = memoryOf(units[from * segments] ?? 0)
      const [kernel, buffer] = [kernels[number], memories[number]?.buffer]
      if (!kernel || !buffer) throw new Error('a block is in no memory')
      const end = blocksInOneMemory(job, from)
      const part = units.subarray(from * segments, end * segments).map(addressOf)
      new Uint32Array(buffer).set(part, room.units / 4)
      const { query: at, sums, out } = room
      kernel(room.units, end - from, 4 * segments, at, query.segments, query.step, query.slack, sums, out)
      const upperBounds = new Float32Array(buffer, out, (end - from) * ROWS_A_BLOCK)
      if (!nearest.take(from * ROWS_A_BLOCK, upperBounds)) return null
      from = end
    }
    return nearest.found()
  }
}

/** The end of the blocks, from here, that one kernel call can scan. */
function blocksInOneMemory({ units, segments, to }: ScanJob, from: number): number {
  const number = memoryOf(units[from * segments] ?? 0)
  const last = Math.min(from + BLOCKS_AT_ONCE, to)
  let end = from + 1
  while (end < last && memoryOf(units[end * segments] ?? 0) === number) end += 1
  return end
}

function loadKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel {
  const { scan } = new WebAssembly.Instance(module, { memory: { shared: memory } }).exports
  if (typeof scan !== 'function') throw new Error('the kernel has no scan')
  return (...given) => void scan(...given)
}

/** Keeps the rows whose upper bound reaches the k-th lower bound. */
class Nearest {
  readonly #job: ScanJob
  /** One view of each memory. */
  readonly #scales: readonly Float32Array[]
  readonly #best: Greatest
  #found: ScannedRows = { rows: [], upperBounds: [], cosines: [], restUpperBound: 0 }

  constructor(job: ScanJob, memories: readonly WebAssembly.Memory[]) {
    this.#job = job
    this.#scales = memories.map(({ buffer }) => new Float32Array(buffer))
    this.#best = new Greatest(job.limit)
  }

  /** @returns whether the candidates still fit */
  take(firstRow: number, upperBounds: Float32Array): boolean {
    const { rowItems, allowed } = this.#job
    const { rows, upperBounds: kept, cosines } = this.#found
    const best = this.#best
    for (let index = 0; index < upperBounds.length; index++) {
      const upper = upperBounds[index] ?? 0
      if (upper < best.least || upper <= 0) continue
      const row = firstRow + index
      const item = rowItems[row] ?? NO_ITEM
      if (item === NO_ITEM || (allowed !== null && allowed[item] !== 1)) continue
      const cosine = upper - this.#offBy(row)
      rows.push(row)
      kept.push(upper)
      cosines.push(cosine)
      best.note(2 * cosine - upper)
    }
    if (rows.length > CANDIDATES_MAX) this.found()
    return this.#found.rows.length <= CANDIDATES_MAX
  }

  found(): ScannedRows {
    this.#found = nearestOf([this.#found], this.#best.least)
    return this.#found
  }

  /** The maximum difference between the similarity of a row and of its quantized vector. */
  #offBy(row: number): number {
    const { units, segments, query } = this.#job
    const block = Math.floor(row / ROWS_A_BLOCK) * segments
    const scales = this.#scales[memoryOf(units[block] ?? 0)]
    let sum = query.slack
    for (let segment = 0; segment < segments; segment++)
      sum +=
        (query.bounds[segment] ?? 0) *
        (scales?.[addressOf(units[block + segment] ?? 0) / 4 + (row % ROWS_A_BLOCK)] ?? 0)
    return sum
  }
}

/** Merges the rows of several parts that can be among the nearest of all. */
export function mergeScanned(parts: readonly ScannedRows[], limit: number): ScannedRows {
  const [only] = parts
  if (only && parts.length === 1) return only
  const best = new Greatest(limit)
  for (const { upperBounds, cosines } of parts)
    for (const [index, upper] of upperBounds.entries()) best.note(2 * (cosines[index] ?? 0) - upper)
  return nearestOf(parts, best.least)
}

/** The `limit` rows with the greatest cosines, and those tied with the last one. No other cosine exceeds `restUpperBound`. */
export function greatestCosines(scanned: ScannedRows, limit: number): ScannedRows {
  if (scanned.rows.length <= limit) return scanned
  const best = new Greatest(limit)
  for (const cosine of scanned.cosines) best.note(cosine)
  const kept: ScannedRows = { rows: [], upperBounds: [], cosines: [], restUpperBound: scanned.restUpperBound }
  for (const [index, cosine] of scanned.cosines.entries())
    if (cosine < best.least) kept.restUpperBound = Math.max(kept.restUpperBound, cosine)
    else keep(kept, scanned, index)
  return kept
}

function nearestOf(parts: readonly ScannedRows[], threshold: number): ScannedRows {
  const kept: ScannedRows = { rows: [], upperBounds: [], cosines: [], restUpperBound: threshold }
  for (const part of parts)
    for (const [index, upper] of part.upperBounds.entries()) if (upper >= threshold) keep(kept, part, index)
  return kept
}

function keep(kept: ScannedRows, { rows, upperBounds, cosines }: ScannedRows, index: number): void {
  kept.rows.push(rows[index] ?? 0)
  kept.upperBounds.push(upperBounds[index] ?? 0)
  kept.cosines.push(cosines[index] ?? 0)
}
