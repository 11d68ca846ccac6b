import { setImmediate as turn } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import type { BlockLayout } from './block-layout.ts'
import { ItemFacts } from './item-facts.ts'
import { type PageOfRows, readPages } from './read-pages.ts'
import type { RowKey, SnapshotOf } from './read-rows.ts'
import { RowTable } from './row-table.ts'
import { type ChunkWords, RowWords, type WordsBudget } from './row-words.ts'
import type { SharedMemory } from './shared-memory.ts'

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

/** An organization's data in memory, for searches that hold it. */
export interface Snapshot extends SnapshotOf {
  readonly stage: Stage
  /** Rows, including empty ones. */
  readonly rows: number
  /** Rows ever added, including those that replaced others. */
  readonly written: number
  /** Numbers in the vectors of all these rows. */
  readonly vectorNumbers: number
  /** The chunks of the rows in [from, to). */
  rowsBetween(from: number, to: number): Candidate[]
  hasWords(row: number): boolean
  /** Caches a row's words read at this stage, unless the snapshot has changed since. */
  keepWords(row: number, words: ChunkWords, stage: Stage): void
}

/** The vectors of one organization and model, with the filterable fields of their items. */
export class VectorSnapshot implements Snapshot {
  #stage: Stage = { revision: 0, isConfirmed: false }
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

  get rows(): number {
    return this.table.rows
  }

  get written(): number {
    return this.table.written
  }

  get vectorNumbers(): number {
    return this.table.rows * this.table.layout.dimensions
  }

  rowsBetween(from: number, to: number): Candidate[] {
    const end = Math.min(to, this.rows)
    const rows = Array.from({ length: Math.max(0, end - from) }, (_, at) => this.candidateOf(from + at))
    return rows.filter(({ itemId }) => itemId !== '')
  }

  hasWords(row: number): boolean {
    return this.words.has(row)
  }

  keepWords(row: number, words: ChunkWords, stage: Stage): void {
    if (this.#stage === stage) this.words.set(row, words)
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
    this.leave()
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
    this.leave()
    this.table.release()
    this.words.clear()
  }
}
