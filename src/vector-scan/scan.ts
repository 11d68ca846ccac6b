import { readFileSync } from 'node:fs'
import { Greatest } from '../kernel/greatest.ts'
import { ROWS_A_BLOCK } from './block-layout.ts'
import type { Question } from './question.ts'
import { NO_ITEM } from './row-table.ts'
import { BLOCKS_AT_ONCE, type Room } from './shared-memory.ts'

export interface ScanJob {
  question: Question
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
  uppers: number[]
  cosines: number[]
  /** The lower bound of the `limit`-th similarity; 0 if there are fewer rows. All other rows are below it. */
  floor: number
}

/** Only a very large number of equally near rows exceeds this. The database then answers. */
export const PROPOSED_MAX = 4_096

type Kernel = (
  units: number,
  count: number,
  stride: number,
  question: number,
  segments: number,
  step: number,
  slack: number,
  sums: number,
  out: number,
) => void

/** @returns null if more than {@link PROPOSED_MAX} rows can be among the nearest */
export type Scan = (job: ScanJob) => ScannedRows | null

/** Scans with the WebAssembly kernel on the calling thread, in that thread's room of the shared memory. */
export function createScan(memory: WebAssembly.Memory, room: Room): Scan {
  const kernel = loadKernel(memory)
  return (job) => {
    const { question, segments, units, to } = job
    new Int32Array(memory.buffer).set(question.words, room.question / 4)
    const nearest = new Nearest(job, memory)
    for (let from = job.from; from < to; from += BLOCKS_AT_ONCE) {
      const count = Math.min(BLOCKS_AT_ONCE, to - from)
      const part = units.subarray(from * segments, (from + count) * segments)
      new Uint32Array(memory.buffer).set(part, room.units / 4)
      const { question: at, sums, out } = room
      kernel(room.units, count, 4 * segments, at, question.segments, question.step, question.slack, sums, out)
      const uppers = new Float32Array(memory.buffer, out, count * ROWS_A_BLOCK)
      if (!nearest.take(from * ROWS_A_BLOCK, uppers)) return null
    }
    return nearest.found()
  }
}

function loadKernel(memory: WebAssembly.Memory): Kernel {
  const module = new WebAssembly.Module(readFileSync(new URL('./scan.wasm', import.meta.url)))
  const { scan } = new WebAssembly.Instance(module, { memory: { shared: memory } }).exports
  if (typeof scan !== 'function') throw new Error('the kernel has no scan')
  return (...given) => void scan(...given)
}

/** Keeps the rows whose upper bound reaches the k-th lower bound. */
class Nearest {
  readonly #job: ScanJob
  readonly #scales: Float32Array
  readonly #best: Greatest
  #found: ScannedRows = { rows: [], uppers: [], cosines: [], floor: 0 }

  constructor(job: ScanJob, memory: WebAssembly.Memory) {
    this.#job = job
    this.#scales = new Float32Array(memory.buffer)
    this.#best = new Greatest(job.limit)
  }

  /** @returns whether the candidates still fit */
  take(firstRow: number, uppers: Float32Array): boolean {
    const { rowItems, allowed } = this.#job
    const { rows, uppers: kept, cosines } = this.#found
    const best = this.#best
    for (let index = 0; index < uppers.length; index++) {
      const upper = uppers[index] ?? 0
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
    if (rows.length > PROPOSED_MAX) this.found()
    return this.#found.rows.length <= PROPOSED_MAX
  }

  found(): ScannedRows {
    this.#found = nearestOf([this.#found], this.#best.least)
    return this.#found
  }

  /** The maximum difference between the similarity of a row and of its quantized vector. */
  #offBy(row: number): number {
    const { units, segments, question } = this.#job
    const block = Math.floor(row / ROWS_A_BLOCK) * segments
    let sum = question.slack
    for (let segment = 0; segment < segments; segment++)
      sum +=
        (question.bounds[segment] ?? 0) *
        (this.#scales[(units[block + segment] ?? 0) / 4 + (row % ROWS_A_BLOCK)] ?? 0)
    return sum
  }
}

/** Merges the rows of several parts that can be among the nearest of all. */
export function mergeScanned(parts: readonly ScannedRows[], limit: number): ScannedRows {
  const [only] = parts
  if (only && parts.length === 1) return only
  const best = new Greatest(limit)
  for (const { uppers, cosines } of parts)
    for (const [index, upper] of uppers.entries()) best.note(2 * (cosines[index] ?? 0) - upper)
  return nearestOf(parts, best.least)
}

/** The `limit` rows with the greatest cosines, and those tied with the last one. No other cosine exceeds the floor. */
export function greatestCosines(scanned: ScannedRows, limit: number): ScannedRows {
  if (scanned.rows.length <= limit) return scanned
  const best = new Greatest(limit)
  for (const cosine of scanned.cosines) best.note(cosine)
  const kept: ScannedRows = { rows: [], uppers: [], cosines: [], floor: scanned.floor }
  for (const [index, cosine] of scanned.cosines.entries())
    if (cosine < best.least) kept.floor = Math.max(kept.floor, cosine)
    else keep(kept, scanned, index)
  return kept
}

function nearestOf(parts: readonly ScannedRows[], floor: number): ScannedRows {
  const kept: ScannedRows = { rows: [], uppers: [], cosines: [], floor }
  for (const part of parts)
    for (const [index, upper] of part.uppers.entries()) if (upper >= floor) keep(kept, part, index)
  return kept
}

function keep(kept: ScannedRows, { rows, uppers, cosines }: ScannedRows, index: number): void {
  kept.rows.push(rows[index] ?? 0)
  kept.uppers.push(uppers[index] ?? 0)
  kept.cosines.push(cosines[index] ?? 0)
}
