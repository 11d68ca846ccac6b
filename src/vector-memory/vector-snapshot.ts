import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import type { BlockLayout } from './block-layout.ts'
import { ItemFacts, type ItemRow } from './item-facts.ts'
import { pageRoom, type PageOfRows, readPages, type Reading } from './read-pages.ts'
import { type SnapshotOf, readItems, type RowKey } from './read-rows.ts'
import { RowTable } from './row-table.ts'
import { RowWords, type WordsBudget } from './row-words.ts'
import type { SharedMemory } from './shared-memory.ts'
import type { VectorThreads } from './vector-threads.ts'

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
  readonly table: RowTable
  readonly words: RowWords
  readonly #of: SnapshotOf

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
    this.table = new RowTable(layout, { shared, threads })
  }

  /** Another one after each change. */
  get stage(): Stage {
    return this.#stage
  }

  /** What it holds is of this revision from now on. */
  reach(revision: number): void {
    this.#stage = { revision, isConfirmed: false }
  }

  /** What it holds changes from now on, until it has reached a revision. */
  leave(): void {
    this.#stage = changing()
  }

  candidateOf(row: number): Candidate {
    const item = this.table.itemOf(row)
    return {
      row,
      itemId: this.facts.idOf(item),
      position: this.table.positionOf(row),
      version: this.facts.versionOf(item),
    }
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
    const { dimensions } = this.table.layout
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
    return readPages(db, this.#of, this.table.layout.dimensions, itemIds, reading)
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
    const rows = keys.map(() => this.table.newRow())
    await this.table.write(page, rows, isLarge)
    for (const [index, { itemId, position }] of keys.entries()) {
      const row = rows[index] ?? 0
      const item = this.facts.numberOf(itemId)
      // Deleted since its rows were read: a later revision says so too.
      if (item === undefined) this.table.free(row)
      else {
        this.table.assign(row, item, position)
        this.facts.addRows(item, 1)
      }
    }
  }

  /** Removes items and their rows. */
  remove(itemIds: Iterable<string>): void {
    const gone = new Set<number>()
    for (const id of itemIds) {
      const item = this.facts.numberOf(id)
      if (item !== undefined) gone.add(item)
    }
    if (gone.size === 0) return
    for (let row = 0; row < this.table.rows; row++) {
      if (!gone.has(this.table.itemOf(row))) continue
      this.table.free(row)
      this.words.delete(row)
    }
    for (const item of gone) this.facts.remove(item)
  }

  /** Releases its memory; it must not be scanned any more. */
  release(): void {
    this.table.release()
    this.words.clear()
  }
}
