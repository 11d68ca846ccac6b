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

export interface Candidate extends RowKey {
  row: number
  /** Changes whenever the stored item may have changed. */
  version: number
}

/** The state of a snapshot between two changes. */
export interface Stage {
  readonly revision: number
  /** A statement found the organization at this revision, with the same model and no source being removed. */
  isConfirmed: boolean
}

/** The stage of a snapshot that is changing: it has no revision. */
export function changing(): Stage {
  return { revision: -1, isConfirmed: false }
}

export function isChanging({ revision }: Stage): boolean {
  return revision < 0
}

/** Limits on pages read but not yet written, in pages and bytes. Writing a page takes about a millisecond. */
const PAGES_HELD = 16
const BYTES_HELD = 8 * 2 ** 20
const FIRST: RowKey = { itemId: '00000000-0000-0000-0000-000000000000', position: -1 }

interface FirstRows {
  pages: (PageOfRows & { items: readonly ItemRow[] })[]
  /** More rows may follow this one; null: there are no more. */
  after: RowKey | null
}

/** The vectors of one organization and model, with the filterable fields of their items. */
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

  /** A new object after each change. */
  get stage(): Stage {
    return this.#stage
  }

  /** The contents are of this revision from now on. */
  reach(revision: number): void {
    this.#stage = { revision, isConfirmed: false }
  }

  /** The contents are changing, until they reach a revision. */
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
   * Reads rows after a key, of all items or of the named ones, a page at a time; it yields to the event loop
   * between pages. For many rows, threads write one page while the next is read.
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
        // The await below handles the error.
        writing.catch(() => {})
      }
      await writing
    } finally {
      // Even after a failure: until then, a thread may write to this memory.
      await Promise.allSettled([writing])
    }
  }

  /**
   * Reads a limited number of the items' rows and changes nothing.
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

  /**
   * Adds rows of items that have none; it yields to the event loop between pages.
   * @throws NoRoom
   */
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
      // Deleted after its rows were read; a later revision reports that too.
      if (item === undefined) this.table.free(row)
      else {
        this.table.assign(row, item, position)
        this.facts.addRows(item, 1)
      }
    }
  }

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

  /** Releases the memory. The caller must not scan it afterwards. */
  release(): void {
    this.table.release()
    this.words.clear()
  }
}
