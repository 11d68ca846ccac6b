import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { type BlockLayout, ROWS_A_BLOCK } from './block-layout.ts'
import { ItemFacts, type ItemScope } from './item-facts.ts'
import { type CopyOf, readItems, readPage, type RowKey, ROWS_A_PAGE } from './read-rows.ts'
import { NO_ITEM } from './scan.ts'
import type { SharedMemory } from './shared-memory.ts'
import type { VectorThreads } from './vector-threads.ts'
import { KEY_BYTES, rowBytesOf } from './write-rows.ts'

/** There is no room for another block. */
export class NoRoom extends Error {
  constructor() {
    super('the memory for vectors is full')
    this.name = 'NoRoom'
  }
}

const WORD = 4
const FIRST: RowKey = { itemId: '00000000-0000-0000-0000-000000000000', position: -1 }

/** The vectors of one organization and model, with what a search can ask of their items. */
export class VectorCopy {
  /** The revision of the items that it is of. */
  revision = 0
  readonly facts = new ItemFacts()
  readonly #of: CopyOf
  readonly #layout: BlockLayout
  readonly #shared: SharedMemory
  readonly #threads: VectorThreads
  /** Both in memory that threads share; the parts in use are handed to them. */
  #blocks = sharedWords(64)
  #blockCount = 0
  #rowItems = sharedWords(64 * ROWS_A_BLOCK).fill(NO_ITEM)
  readonly #positions: number[] = []
  readonly #freeRows: number[] = []
  #rowCount = 0

  constructor(of: CopyOf, layout: BlockLayout, shared: SharedMemory, threads: VectorThreads) {
    this.#of = of
    this.#layout = layout
    this.#shared = shared
    this.#threads = threads
  }

  get layout(): BlockLayout {
    return this.#layout
  }

  get blocks(): Uint32Array {
    return this.#blocks.subarray(0, this.#blockCount)
  }

  get rowItems(): Uint32Array {
    return this.#rowItems
  }

  /** Bytes of the shared memory. */
  get bytes(): number {
    return this.#blockCount * this.#layout.blockBytes
  }

  keyOf(row: number): RowKey {
    return {
      itemId: this.facts.idOf(this.#rowItems[row] ?? NO_ITEM),
      position: this.#positions[row] ?? 0,
    }
  }

  /** Numbers of items that a scope allows; null: all. */
  allowed(scope: ItemScope): Uint8Array | null {
    return this.facts.allowed(scope)
  }

  /**
   * Reads rows, of all items or of those that are named, page by page with turns for other work.
   * @throws NoRoom, and the reason of `signal`
   */
  async read(
    db: Db,
    itemIds: readonly string[] | null,
    signal: AbortSignal,
    isLarge: boolean,
  ): Promise<void> {
    let after = FIRST
    for (;;) {
      await turn()
      signal.throwIfAborted()
      const page = await readPage(db, this.#of, after, itemIds)
      const keys = keysOf(page, rowBytesOf(this.#layout.dimensions))
      await this.#addRows(db, page, keys, isLarge)
      const last = keys.at(-1)
      if (last === undefined || keys.length < ROWS_A_PAGE) return
      after = last
    }
  }

  async #addRows(db: Db, page: Uint8Array, keys: readonly RowKey[], isLarge: boolean): Promise<void> {
    if (keys.length === 0) return
    const unknown = new Set(
      keys.flatMap(({ itemId }) => (this.facts.numberOf(itemId) === undefined ? [itemId] : [])),
    )
    if (unknown.size > 0)
      for (const item of await readItems(db, this.#of.organizationId, [...unknown])) this.facts.put(item)
    const rows = keys.map(() => this.#newRow())
    const blocks = Uint32Array.from(rows, (row) => this.#blocks[Math.floor(row / ROWS_A_BLOCK)] ?? 0)
    const places = Uint8Array.from(rows, (row) => row % ROWS_A_BLOCK)
    await this.#threads.write({ layout: this.#layout, rows: page, blocks, places }, isLarge)
    for (const [index, { itemId, position }] of keys.entries()) {
      const row = rows[index] ?? 0
      const item = this.facts.numberOf(itemId)
      // Deleted since its rows were read: a later revision says so too.
      if (item === undefined) this.#freeRows.push(row)
      else {
        this.#positions[row] = position
        this.#rowItems[row] = item
        this.facts.addRows(item, 1)
      }
    }
  }

  #newRow(): number {
    const free = this.#freeRows.pop()
    if (free !== undefined) return free
    if (this.#rowCount === this.#blockCount * ROWS_A_BLOCK) this.#addBlock()
    return this.#rowCount++
  }

  #addBlock(): void {
    const block = this.#shared.allocate(this.#layout.blockBytes)
    if (block === null) throw new NoRoom()
    if (this.#blockCount === this.#blocks.length) {
      this.#blocks = grown(this.#blocks, 0)
      this.#rowItems = grown(this.#rowItems, NO_ITEM)
    }
    this.#blocks[this.#blockCount] = block
    this.#blockCount += 1
  }

  /** Forgets items and their rows. */
  remove(itemIds: Iterable<string>): void {
    const gone = new Set<number>()
    for (const id of itemIds) {
      const item = this.facts.numberOf(id)
      if (item !== undefined) gone.add(item)
    }
    if (gone.size === 0) return
    for (let row = 0; row < this.#rowCount; row++) {
      if (!gone.has(this.#rowItems[row] ?? NO_ITEM)) continue
      this.#rowItems[row] = NO_ITEM
      this.#freeRows.push(row)
    }
    for (const item of gone) this.facts.remove(item)
  }

  /** Gives its memory back; nobody may scan it any more. */
  release(): void {
    for (const block of this.blocks) this.#shared.release(block, this.#layout.blockBytes)
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

/** The keys of rows as the database handed them out. */
function keysOf(page: Uint8Array, rowBytes: number): RowKey[] {
  if (page.length % rowBytes !== 0) throw new Error('vectors are not of the dimensions of their model')
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength)
  return Array.from({ length: page.length / rowBytes }, (_, index) => {
    const at = index * rowBytes
    const hex = bytes.toString('hex', at, at + 16)
    const itemId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
    return { itemId, position: bytes.readInt32BE(at + KEY_BYTES - 4) }
  })
}
