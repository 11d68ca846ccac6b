import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { type BlockLayout, PAIR_BYTES, ROWS_A_BLOCK, SCALES_BYTES } from './block-layout.ts'
import type { QuantizedRow } from './coarse.ts'
import { ItemFacts, type ItemRow, type ItemScope, SavedItems } from './item-facts.ts'
import { NotWhole } from './pieces.ts'
import { pageRoom, type PageOfRows, readPages, type Reading } from './read-pages.ts'
import { type SnapshotOf, readItems, type RowKey, ROWS_A_PAGE } from './read-rows.ts'
import { NO_ITEM } from './scan.ts'
import { RowWords, type WordsBudget } from './row-words.ts'
import type { SharedMemory } from './shared-memory.ts'
import type { VectorThreads } from './vector-threads.ts'
import { rowBytesOf } from './write-rows.ts'

/** A row that may be near. */
export interface Candidate extends RowKey {
  row: number
  /** Another one whenever what is stored of its item may have changed. */
  version: number
}

/** The state of a snapshot from one change to the next. */
export interface Stage {
  /** The revision of the items. */
  readonly revision: number
  /** A statement found the organization at this revision, with the same model and no source being removed. */
  isConfirmed: boolean
}

/** The stage of a snapshot that is changing: it has no revision. */
export function changing(): Stage {
  return { revision: -1, isConfirmed: false }
}

/** Whether it is {@link changing}. */
export function isChanging({ revision }: Stage): boolean {
  return revision < 0
}

/** There is no room for another block. */
export class NoRoom extends Error {
  constructor() {
    super('the memory for vectors is full')
    this.name = 'NoRoom'
  }
}

const WORD = 4
/** In a piece of rows, each has the number of its item and its position, before the blocks. */
const KEY_WORDS = 2
/** What is written or read in one go: a millisecond or less, a few for items. */
const PIECE_BYTES = 2 ** 20
const ITEMS_A_PIECE = 512
/** Pages of rows that are held before they are written, of which each takes a millisecond to write: no more once they have so many bytes. */
const PAGES_HELD = 16
const BYTES_HELD = 8 * 2 ** 20
const FIRST: RowKey = { itemId: '00000000-0000-0000-0000-000000000000', position: -1 }

/** Rows as they are stored, with their items. */
interface FirstRows {
  pages: (PageOfRows & { items: readonly ItemRow[] })[]
  /** There may be more after this one; null: these are all. */
  after: RowKey | null
}

/** The vectors of one organization and model, with what a search can ask of their items. */
export class VectorSnapshot {
  #stage: Stage = { revision: 0, isConfirmed: false }
  readonly facts = new ItemFacts()
  readonly words: RowWords
  readonly #of: SnapshotOf
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
  #written = 0

  constructor(
    of: SnapshotOf,
    layout: BlockLayout,
    {
      shared,
      threads,
      wordsBudget,
    }: { shared: SharedMemory; threads: VectorThreads; wordsBudget: WordsBudget },
  ) {
    this.words = new RowWords(wordsBudget)
    this.#of = of
    this.#layout = layout
    this.#shared = shared
    this.#threads = threads
  }

  /** Another one after each change. */
  get stage(): Stage {
    return this.#stage
  }

  /** Rows in use, and such as were. */
  get rows(): number {
    return this.#rowCount
  }

  /** How many rows were taken in since it was made, those that took another one's place too. */
  get written(): number {
    return this.#written
  }

  /** What it holds is of this revision from now on. */
  reach(revision: number): void {
    this.#stage = { revision, isConfirmed: false }
  }

  /** What it holds changes from now on, until it has reached a revision. */
  leave(): void {
    this.#stage = changing()
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

  candidateOf(row: number): Candidate {
    const item = this.#rowItems[row] ?? NO_ITEM
    return {
      row,
      itemId: this.facts.idOf(item),
      position: this.#positions[row] ?? 0,
      version: this.facts.versionOf(item),
    }
  }

  /** Reads rows' quantized vectors, as they are now. */
  quantizedRows(): (row: number) => QuantizedRow {
    const bytes = new Int8Array(this.#shared.memory.buffer)
    const scales = new Float32Array(this.#shared.memory.buffer)
    return (row) => {
      const block = this.#blocks[Math.floor(row / ROWS_A_BLOCK)] ?? 0
      const place = row % ROWS_A_BLOCK
      return {
        bytes,
        pairsAt: block + this.#layout.pairsAt + 2 * place,
        pairStep: PAIR_BYTES,
        scales,
        scalesAt: block / 4 + place,
        scaleStep: SCALES_BYTES / 4,
      }
    }
  }

  /** Numbers of items that a scope allows; null: all. */
  allowed(scope: ItemScope): Uint8Array | null {
    return this.facts.allowed(scope)
  }

  /**
   * Reads rows after a key, of all items or of those that are named, page by page with turns for other work. Where they are many,
   * threads write a page while the next one is read.
   * @param itemIds in ascending order
   * @throws NoRoom, and the reason of `signal`
   */
  async read(
    db: Db,
    itemIds: readonly string[] | null,
    signal: AbortSignal,
    { isLarge, after = FIRST }: { isLarge: boolean; after?: RowKey },
  ): Promise<void> {
    const { dimensions } = this.#layout
    const rooms = isLarge ? [pageRoom(dimensions), pageRoom(dimensions)] : []
    let writing = Promise.resolve()
    try {
      for await (const { page, keys } of this.#pages(db, itemIds, { after, rooms, signal })) {
        await this.#readItemsOf(db, keys)
        await writing
        writing = this.#addRows(page, keys, isLarge)
        // What it fails with is met where it is waited for.
        writing.catch(() => {})
      }
      await writing
    } finally {
      // Whatever failed: a thread may write to this memory until then.
      await Promise.allSettled([writing])
    }
  }

  /**
   * Reads rows of some items, as many as are quickly written, and changes nothing.
   * @param itemIds in ascending order
   * @throws the reason of `signal`
   */
  async readFirst(db: Db, itemIds: readonly string[], signal: AbortSignal): Promise<FirstRows> {
    const pages: FirstRows['pages'] = []
    const known = new Set<string>()
    let bytes = 0
    for await (const page of this.#pages(db, itemIds, { after: FIRST, signal })) {
      const unknown = [...new Set(page.keys.map(({ itemId }) => itemId))].filter((id) => !known.has(id))
      const items = unknown.length > 0 ? await readItems(db, this.#of.organizationId, unknown) : []
      for (const id of unknown) known.add(id)
      pages.push({ ...page, items })
      bytes += page.page.length
      if (pages.length === PAGES_HELD || bytes >= BYTES_HELD)
        return { pages, after: page.keys.at(-1) ?? null }
    }
    return { pages, after: null }
  }

  /** Adds rows of items of which there are none, with turns for other work. @throws NoRoom */
  async add({ pages }: FirstRows): Promise<void> {
    for (const { page, keys, items } of pages) {
      await turn()
      for (const item of items) this.facts.put(item)
      await this.#addRows(page, keys, false)
    }
  }

  #pages(db: Db, itemIds: readonly string[] | null, reading: Reading): AsyncGenerator<PageOfRows, void> {
    return readPages(db, this.#of, this.#layout.dimensions, itemIds, reading)
  }

  async #readItemsOf(db: Db, keys: readonly RowKey[]): Promise<void> {
    const unknown = new Set(
      keys.flatMap(({ itemId }) => (this.facts.numberOf(itemId) === undefined ? [itemId] : [])),
    )
    if (unknown.size > 0)
      for (const item of await readItems(db, this.#of.organizationId, [...unknown])) this.facts.put(item)
  }

  async #addRows(page: Uint8Array, keys: readonly RowKey[], isLarge: boolean): Promise<void> {
    if (keys.length === 0) return
    const rows = keys.map(() => this.#newRow())
    await this.#write(page, rows, isLarge)
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

  async #write(page: Uint8Array, rows: readonly number[], isLarge: boolean): Promise<void> {
    const blocks = Uint32Array.from(rows, (row) => this.#blocks[Math.floor(row / ROWS_A_BLOCK)] ?? 0)
    const places = Uint8Array.from(rows, (row) => row % ROWS_A_BLOCK)
    await this.#threads.write({ layout: this.#layout, rows: page, blocks, places }, isLarge)
  }

  #newRow(): number {
    this.#written += 1
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

  /** Removes items and their rows. */
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
      this.words.delete(row)
      this.#freeRows.push(row)
    }
    for (const item of gone) this.facts.remove(item)
  }

  /** How many blocks it has. */
  get blockCount(): number {
    return this.#blockCount
  }

  /** Overwrites what nobody has any more, and what blocks held before they were this snapshot's. */
  async wipe(signal: AbortSignal): Promise<void> {
    const end = this.#blockCount * ROWS_A_BLOCK
    const free = Array.from({ length: end - this.#rowCount }, (_, at) => this.#rowCount + at)
    for (const row of this.#freeRows) free.push(row)
    const nothing = new Uint8Array(ROWS_A_PAGE * rowBytesOf(this.#layout.dimensions))
    for (let from = 0; from < free.length; from += ROWS_A_PAGE) {
      await turn()
      signal.throwIfAborted()
      await this.#write(nothing, free.slice(from, from + ROWS_A_PAGE), false)
    }
  }

  /** What {@link VectorSnapshot.restore} makes a snapshot of; each piece is made when it is asked for. */
  *pieces(): Generator<Uint8Array, void> {
    const items = this.facts.numbers
    yield Buffer.from(JSON.stringify({ items }))
    for (let from = 0; from < items; from += ITEMS_A_PIECE)
      yield Buffer.from(JSON.stringify(this.facts.saved(from, from + ITEMS_A_PIECE)))
    const atOnce = Math.max(1, Math.floor(PIECE_BYTES / this.#layout.blockBytes))
    for (let from = 0; from < this.#blockCount; from += atOnce)
      yield this.#blocksPiece(from, Math.min(from + atOnce, this.#blockCount))
  }

  #blocksPiece(from: number, to: number): Uint8Array {
    const { blockBytes } = this.#layout
    const rows = (to - from) * ROWS_A_BLOCK
    const keys = new Uint32Array(rows * KEY_WORDS)
    for (let row = 0; row < rows; row++) {
      const at = from * ROWS_A_BLOCK + row
      keys[row * KEY_WORDS] = this.#rowItems[at] ?? NO_ITEM
      keys[row * KEY_WORDS + 1] = this.#positions[at] ?? 0
    }
    const piece = new Uint8Array(keys.byteLength + (to - from) * blockBytes)
    piece.set(new Uint8Array(keys.buffer))
    for (const [index, block] of this.#blocks.subarray(from, to).entries())
      piece.set(this.#bytesOf(block), keys.byteLength + index * blockBytes)
    return piece
  }

  #bytesOf(block: number): Uint8Array {
    return new Uint8Array(this.#shared.memory.buffer, block, this.#layout.blockBytes)
  }

  /**
   * Makes an empty snapshot what another one was when it made these pieces.
   * @throws NoRoom, NotWhole, what the pieces throw, and the reason of `signal`
   */
  async restore(pieces: AsyncGenerator<Uint8Array, void>, signal: AbortSignal): Promise<void> {
    const next = async (): Promise<Uint8Array | null> => {
      signal.throwIfAborted()
      const { done, value } = await pieces.next()
      return done ? null : value
    }
    const { items } = SavedCount.parse(readJson(await next()))
    while (this.facts.numbers < items) this.facts.restore(SavedItems.parse(readJson(await next())))
    for (let piece = await next(); piece !== null; piece = await next()) this.#addBlocks(piece)
  }

  #addBlocks(piece: Uint8Array): void {
    const { blockBytes } = this.#layout
    const keysBytes = ROWS_A_BLOCK * KEY_WORDS * WORD
    const count = piece.length / (keysBytes + blockBytes)
    if (!Number.isInteger(count)) throw new NotWhole('a piece has parts of blocks')
    const keys = new Uint32Array(piece.slice(0, count * keysBytes).buffer)
    for (let index = 0; index < count; index++) {
      this.#addBlock()
      const from = count * keysBytes + index * blockBytes
      this.#bytesOf(this.#blocks[this.#blockCount - 1] ?? 0).set(piece.subarray(from, from + blockBytes))
    }
    for (let at = 0; at < keys.length; at += KEY_WORDS) this.#addRow(keys[at] ?? NO_ITEM, keys[at + 1] ?? 0)
  }

  /** The next row, whose numbers are in its block already. */
  #addRow(item: number, position: number): void {
    const row = this.#rowCount++
    this.#written += 1
    if (item === NO_ITEM) {
      this.#freeRows.push(row)
      return
    }
    if (this.facts.idOf(item) === '') throw new NotWhole('a row is of no item')
    this.#rowItems[row] = item
    this.#positions[row] = position
    this.facts.addRows(item, 1)
  }

  /** Releases its memory; it must not be scanned any more. */
  release(): void {
    for (const block of this.blocks) this.#shared.release(block, this.#layout.blockBytes)
    this.#blockCount = 0
    this.words.clear()
  }
}

const SavedCount = z.object({ items: z.int() })

function readJson(piece: Uint8Array | null): unknown {
  if (piece === null) throw new NotWhole('it ends before its rows')
  return JSON.parse(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('utf8'))
}

function sharedWords(count: number): Uint32Array<SharedArrayBuffer> {
  return new Uint32Array(new SharedArrayBuffer(count * WORD))
}

function grown(words: Uint32Array, filling: number): Uint32Array<SharedArrayBuffer> {
  const larger = sharedWords(2 * words.length)
  larger.set(words)
  return larger.fill(filling, words.length)
}
