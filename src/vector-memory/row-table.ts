import { setImmediate as turn } from 'node:timers/promises'
import { type BlockLayout, PAIR_BYTES, ROWS_A_BLOCK, SCALES_BYTES } from './block-layout.ts'
import type { QuantizedRow } from './coarse.ts'
import { ROWS_A_PAGE } from './read-snapshot.ts'
import { NO_ITEM } from './scan.ts'
import type { SharedMemory } from './shared-memory.ts'
import { rowBytesOf, writeRows } from './write-rows.ts'

export class NoRoom extends Error {
  constructor() {
    super('the memory for vectors is full')
    this.name = 'NoRoom'
  }
}

const WORD = 4

/**
 * Rows of quantized vectors in blocks of the shared memory. Each row belongs to a numbered item or is free.
 */
export class RowTable {
  readonly layout: BlockLayout
  readonly #shared: SharedMemory
  /** In shared memory; threads get the parts in use. */
  #blocks = sharedWords(64)
  #blockCount = 0
  #rowItems = sharedWords(64 * ROWS_A_BLOCK).fill(NO_ITEM)
  readonly #positions: number[] = []
  readonly #freeRows: number[] = []
  #rowCount = 0
  #written = 0

  constructor(layout: BlockLayout, shared: SharedMemory) {
    this.layout = layout
    this.#shared = shared
  }

  /** Rows, including free ones between others. */
  get rows(): number {
    return this.#rowCount
  }

  /** Rows ever added, including those that reused a free one. */
  get written(): number {
    return this.#written
  }

  get blocks(): Uint32Array {
    return this.#blocks.subarray(0, this.#blockCount)
  }

  get rowItems(): Uint32Array {
    return this.#rowItems
  }

  /** Bytes used in the shared memory. */
  get bytes(): number {
    return this.#blockCount * this.layout.blockBytes
  }

  itemOf(row: number): number {
    return this.#rowItems[row] ?? NO_ITEM
  }

  positionOf(row: number): number {
    return this.#positions[row] ?? 0
  }

  assign(row: number, item: number, position: number): void {
    this.#positions[row] = position
    this.#rowItems[row] = item
  }

  /**
   * A row to write to.
   * @throws NoRoom
   */
  newRow(): number {
    this.#written += 1
    const free = this.#freeRows.pop()
    if (free !== undefined) return free
    if (this.#rowCount === this.#blockCount * ROWS_A_BLOCK) this.addBlock()
    return this.#rowCount++
  }

  /** The next row of the last block, whose numbers are already there. */
  nextRow(): number {
    this.#written += 1
    return this.#rowCount++
  }

  /**
   * @returns the block's bytes.
   * @throws NoRoom
   */
  addBlock(): Uint8Array {
    const block = this.#shared.allocate(this.layout.blockBytes)
    if (block === null) throw new NoRoom()
    if (this.#blockCount === this.#blocks.length) {
      this.#blocks = grown(this.#blocks, 0)
      this.#rowItems = grown(this.#rowItems, NO_ITEM)
    }
    this.#blocks[this.#blockCount] = block
    this.#blockCount += 1
    return this.bytesOf(this.#blockCount - 1)
  }

  bytesOf(number: number): Uint8Array {
    return new Uint8Array(this.#shared.memory.buffer, this.#blocks[number] ?? 0, this.layout.blockBytes)
  }

  write(page: Uint8Array, rows: readonly number[]): void {
    const blocks = Uint32Array.from(rows, (row) => this.#blocks[Math.floor(row / ROWS_A_BLOCK)] ?? 0)
    const places = Uint8Array.from(rows, (row) => row % ROWS_A_BLOCK)
    writeRows(this.#shared.memory, { layout: this.layout, rows: page, blocks, places })
  }

  /** Takes a row from its item so that another can use it. */
  free(row: number): void {
    this.#rowItems[row] = NO_ITEM
    this.#freeRows.push(row)
  }

  quantizedRows(): (row: number) => QuantizedRow {
    const bytes = new Int8Array(this.#shared.memory.buffer)
    const scales = new Float32Array(this.#shared.memory.buffer)
    return (row) => {
      const block = this.#blocks[Math.floor(row / ROWS_A_BLOCK)] ?? 0
      const place = row % ROWS_A_BLOCK
      return {
        bytes,
        pairsAt: block + this.layout.pairsAt + 2 * place,
        pairStep: PAIR_BYTES,
        scales,
        scalesAt: block / 4 + place,
        scaleStep: SCALES_BYTES / 4,
      }
    }
  }

  /**
   * Overwrites free rows, and what earlier owners left in the blocks.
   * @throws the reason of `signal`
   */
  async wipe(signal: AbortSignal): Promise<void> {
    const end = this.#blockCount * ROWS_A_BLOCK
    const free = Array.from({ length: end - this.#rowCount }, (_, at) => this.#rowCount + at)
    for (const row of this.#freeRows) free.push(row)
    const nothing = new Uint8Array(ROWS_A_PAGE * rowBytesOf(this.layout.dimensions))
    for (let from = 0; from < free.length; from += ROWS_A_PAGE) {
      await turn()
      signal.throwIfAborted()
      this.write(nothing, free.slice(from, from + ROWS_A_PAGE))
    }
  }

  /** Releases the memory. The caller must not scan it afterwards. */
  release(): void {
    for (const block of this.blocks) this.#shared.release(block, this.layout.blockBytes)
    this.#blockCount = 0
  }
}

function sharedWords(count: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(count * WORD))
}

function grown(words: Uint32Array, filling: number): Uint32Array<SharedArrayBuffer> {
  const larger = sharedWords(2 * words.length)
  larger.set(words)
  return larger.fill(filling, words.length)
}
