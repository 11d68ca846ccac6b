import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import type { BlockLayout } from './block-layout.ts'
import { ItemFacts } from './item-facts.ts'
import { type PageOfRows, readPages, type RowKey, type SnapshotOf } from './read-snapshot.ts'
import { RowTable } from './row-table.ts'
import { type ChunkWords, RowWords, type WordsBudget } from './row-words.ts'
import type { SharedMemory } from './shared-memory.ts'

/** A row of a snapshot. */
export interface SnapshotRow extends RowKey {
  row: number
  /** Changes whenever the stored item may have changed. */
  version: number
}

/** The revision of a snapshot that is changing, until it reaches another. */
const CHANGING = -1

/** Limits on pages read but not yet written, in pages and bytes. Writing a page takes about a millisecond. */
const PAGES_HELD = 16
const BYTES_HELD = 8 * 2 ** 20

/** The vectors of one organization and model, with the filterable fields of their items. */
export class VectorSnapshot {
  #revision = 0
  #removedSourceIds: readonly string[] = []
  readonly facts = new ItemFacts()
  readonly table: RowTable
  readonly words: RowWords
  readonly organizationId: string
  readonly modelId: number

  constructor(
    { organizationId, modelId }: SnapshotOf,
    layout: BlockLayout,
    { shared, wordsBudget }: { shared: SharedMemory; wordsBudget: WordsBudget },
  ) {
    this.organizationId = organizationId
    this.modelId = modelId
    this.words = new RowWords(wordsBudget)
    this.table = new RowTable(layout, shared)
  }

  /** The revision of the organization's items that the contents are of, if nothing is changing. */
  get revision(): number {
    return this.#revision
  }

  /** The sources that were being removed at that revision, whose rows no search may return. */
  get removedSourceIds(): readonly string[] {
    return this.#removedSourceIds
  }

  get isChanging(): boolean {
    return this.#revision === CHANGING
  }

  /** The contents are of this revision from now on. */
  reach(revision: number, removedSourceIds: readonly string[] = []): void {
    this.#revision = revision
    this.#removedSourceIds = removedSourceIds
  }

  /** Rows, including empty ones. */
  get rows(): number {
    return this.table.rows
  }

  /** Rows ever added, including those that replaced others. */
  get written(): number {
    return this.table.written
  }

  /** Numbers in the vectors of all rows. */
  get vectorNumbers(): number {
    return this.table.rows * this.table.layout.dimensions
  }

  /** The rows in [from, to), without empty ones. */
  rowsBetween(from: number, to: number): SnapshotRow[] {
    const end = Math.min(to, this.rows)
    const rows = Array.from({ length: Math.max(0, end - from) }, (_, at) => this.rowOf(from + at))
    return rows.filter(({ itemId }) => itemId !== '')
  }

  /** Caches a row's words read at this revision, unless the snapshot has changed since. */
  keepWords(row: number, words: ChunkWords, revision: number): void {
    if (this.#revision === revision) this.words.set(row, words)
  }

  /** An empty row has an empty item id. */
  rowOf(row: number): SnapshotRow {
    const item = this.table.itemOf(row)
    return {
      row,
      itemId: this.facts.idOf(item),
      position: this.table.positionOf(row),
      version: this.facts.versionOf(item),
    }
  }

  /**
   * Reads all rows, a page at a time; it yields to the event loop between pages.
   * @throws NoRoom, and the reason of `signal`
   */
  async read(db: Db, signal: AbortSignal): Promise<void> {
    for await (const page of this.#pages(db, null, signal)) this.#add(page)
  }

  /**
   * Reads the rows of changed items anew. Searches use the previous state while the first pages are read,
   * which is enough for most changes.
   * @throws NoRoom, and the reason of `signal`
   */
  async replace(db: Db, itemIds: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const pages = this.#pages(db, [...itemIds].toSorted(), signal)
    const first: PageOfRows[] = []
    for (
      let bytes = 0;
      first.length < PAGES_HELD && bytes < BYTES_HELD;
      bytes += first.at(-1)?.page.length ?? 0
    ) {
      const { value } = await pages.next()
      if (!value) break
      first.push(value)
    }
    this.#revision = CHANGING
    this.remove(itemIds)
    for (const page of first) {
      await turn()
      this.#add(page)
    }
    for await (const page of pages) this.#add(page)
  }

  #pages(db: Db, itemIds: readonly string[] | null, signal: AbortSignal): AsyncGenerator<PageOfRows, void> {
    return readPages(db, this, this.table.layout.dimensions, itemIds, signal)
  }

  #add({ page, keys, items }: PageOfRows): void {
    for (const item of items) this.facts.put(item)
    const rows = keys.map(() => this.table.newRow())
    this.table.write(page, rows)
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
    this.#revision = CHANGING
    this.table.release()
    this.words.clear()
  }
}

/** A snapshot with its state in the process. */
export interface Entry extends SnapshotOf {
  snapshot: VectorSnapshot
  /** Settles when loading has succeeded or failed. */
  ready: Promise<void>
  isReady: boolean
  /** The catch-up that is running. */
  following: Promise<void> | null
  /** Searches and background tasks that use its memory. */
  holders: number
  isDropped: boolean
  usedAt: number
}
