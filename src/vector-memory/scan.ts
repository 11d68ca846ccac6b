import { readFileSync } from 'node:fs'
import { Greatest } from '../kernel/greatest.ts'
import { offBy } from './coarse.ts'
import { type BlockLayout, ROWS_A_BLOCK, SCALES_BYTES } from './block-layout.ts'
import type { Question } from './question.ts'
import { BLOCKS_AT_ONCE, type Room } from './shared-memory.ts'

export interface ScanJob {
  layout: BlockLayout
  question: Question
  /** Addresses of the snapshot's blocks. */
  blocks: Uint32Array
  /** First block to scan, and the one after the last. */
  from: number
  to: number
  /** The item of each row; {@link NO_ITEM}: an empty row. */
  rowItems: Uint32Array
  /** For each item, whether it is in scope; null: all are. */
  allowed: Uint8Array | null
  limit: number
}

/** All rows that may be among the nearest. */
export interface ScannedRows {
  rows: number[]
  /**
   * Upper bounds of the rows' similarities, and the similarities of their quantized vectors, which lie in the
   * middle of the bounds.
   */
  uppers: number[]
  cosines: number[]
  /** Lower bound of the `limit`-th similarity, 0 if there are fewer rows. All other rows are below it. */
  floor: number
}

export const NO_ITEM = 0xffff_ffff
/** Only very many equally near rows exceed this; the database then answers. */
export const PROPOSED_MAX = 4_096

type Kernel = (
  blocks: number,
  count: number,
  question: number,
  segments: number,
  step: number,
  slack: number,
  sums: number,
  out: number,
) => void

export interface Scanner {
  /** @returns null if more than {@link PROPOSED_MAX} may be among the nearest */
  scan(job: ScanJob): ScannedRows | null
}

/** Scans with the WebAssembly kernel on the calling thread, in that thread's room of the shared memory. */
export function createScanner(memory: WebAssembly.Memory, room: Room): Scanner {
  const kernel = loadKernel(memory)
  return {
    scan(job) {
      const { question, blocks, to } = job
      new Int32Array(memory.buffer).set(question.words, room.question / 4)
      const nearest = new Nearest(job, memory)
      for (let from = job.from; from < to; from += BLOCKS_AT_ONCE) {
        const part = blocks.subarray(from, Math.min(from + BLOCKS_AT_ONCE, to))
        new Uint32Array(memory.buffer).set(part, room.blocks / 4)
        kernel(
          room.blocks,
          part.length,
          room.question,
          question.segments,
          question.step,
          question.slack,
          room.sums,
          room.out,
        )
        const uppers = new Float32Array(memory.buffer, room.out, part.length * ROWS_A_BLOCK)
        if (!nearest.take(from * ROWS_A_BLOCK, uppers)) return null
      }
      return nearest.proposal()
    },
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
  #rows: number[] = []
  #uppers: number[] = []
  #cosines: number[] = []
  /** The greatest lower bounds. */
  readonly #best: Greatest

  constructor(job: ScanJob, memory: WebAssembly.Memory) {
    this.#job = job
    this.#scales = new Float32Array(memory.buffer)
    this.#best = new Greatest(job.limit)
  }

  /** @returns whether the candidates still fit */
  take(firstRow: number, uppers: Float32Array): boolean {
    const { rowItems, allowed } = this.#job
    const best = this.#best
    for (let index = 0; index < uppers.length; index++) {
      const upper = uppers[index] ?? 0
      if (upper < best.least || upper <= 0) continue
      const row = firstRow + index
      const item = rowItems[row] ?? NO_ITEM
      if (item === NO_ITEM || (allowed !== null && allowed[item] !== 1)) continue
      this.#keep(row, upper)
    }
    if (this.#rows.length > PROPOSED_MAX) this.#drop()
    return this.#rows.length <= PROPOSED_MAX
  }

  proposal(): ScannedRows {
    this.#drop()
    return { rows: this.#rows, uppers: this.#uppers, cosines: this.#cosines, floor: this.#best.least }
  }

  #keep(row: number, upper: number): void {
    const cosine = upper - this.#offBy(row)
    const lower = 2 * cosine - upper
    this.#rows.push(row)
    this.#uppers.push(upper)
    this.#cosines.push(cosine)
    this.#best.note(lower)
  }

  /** Maximum error of a row's similarity. */
  #offBy(row: number): number {
    const { blocks, question } = this.#job
    const at = (blocks[Math.floor(row / ROWS_A_BLOCK)] ?? 0) / 4 + (row % ROWS_A_BLOCK)
    return offBy(question, (segment) => this.#scales[at + (segment * SCALES_BYTES) / 4] ?? 0)
  }

  #drop(): void {
    const kept = this.#rows.map((_, index) => index).filter((index) => this.#isKept(index))
    this.#rows = kept.map((index) => this.#rows[index] ?? 0)
    this.#uppers = kept.map((index) => this.#uppers[index] ?? 0)
    this.#cosines = kept.map((index) => this.#cosines[index] ?? 0)
  }

  #isKept(index: number): boolean {
    return (this.#uppers[index] ?? 0) >= this.#best.least
  }
}

export function mergeProposals(proposals: readonly ScannedRows[], limit: number): ScannedRows {
  const [only] = proposals
  if (only && proposals.length === 1) return only
  const best = new Greatest(limit)
  const merged: ScannedRows = { rows: [], uppers: [], cosines: [], floor: 0 }
  for (const { uppers, cosines } of proposals)
    for (const [index, upper] of uppers.entries()) best.note(2 * (cosines[index] ?? 0) - upper)
  merged.floor = best.least
  for (const { rows, uppers, cosines } of proposals)
    for (const [index, upper] of uppers.entries()) {
      if (upper < merged.floor) continue
      merged.rows.push(rows[index] ?? 0)
      merged.uppers.push(upper)
      merged.cosines.push(cosines[index] ?? 0)
    }
  return merged
}
