import { setImmediate } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import { NO_ITEM, type RowTable, type VectorScanner } from '../vector-scan/index.ts'
import { ItemFields } from './item-fields.ts'
import { type PageOfRows, readPages, type ChunkKey, type SnapshotOf } from './read-snapshot.ts'

/** A row of a snapshot. The version changes whenever the stored item may have changed. */
export type SnapshotRow = ChunkKey & { version: number }

/** The revision of a snapshot while it is changing. */
const CHANGING = -1

/** Limits on pages that were read but not yet written, in pages and bytes. Writing a page takes about a millisecond. */
const PAGES_HELD = 16
const BYTES_HELD = 8 * 2 ** 20
/** Rows compared with the changed items without a pause, in about a millisecond. */
const ROWS_A_TURN = 65_536

/** The vectors of one organization and model, with the filterable fields of their items. */
export class VectorSnapshot {
  #revision = 0
  #removedSourceIds: readonly string[] = []
  readonly fields = new ItemFields()
  readonly table: RowTable
  readonly organizationId: string
  readonly modelId: number

  constructor({ organizationId, modelId, dimensions }: SnapshotOf, scanner: VectorScanner) {
    this.organizationId = organizationId
    this.modelId = modelId
    this.table = scanner.table(dimensions)
  }

  /** The revision of the items in this snapshot, unless it is changing. */
  get revision(): number {
    return this.#revision
  }

  /** The sources that were being removed at that revision. No search may return their rows. */
  get removedSourceIds(): readonly string[] {
    return this.#removedSourceIds
  }

  get isChanging(): boolean {
    return this.#revision === CHANGING
  }

  get dimensions(): number {
    return this.table.dimensions
  }

  /** Sets the revision of the contents. */
  reach(revision: number, removedSourceIds: readonly string[] = []): void {
    this.#revision = revision
    this.#removedSourceIds = removedSourceIds
  }

  /** The rows in [from, to), without free ones. */
  rowsBetween(from: number, to: number): SnapshotRow[] {
    const count = Math.max(0, Math.min(to, this.table.rows) - from)
    return Array.from({ length: count }, (_, at) => this.rowAt(from + at)).filter((row) => row !== null)
  }

  /** null: the row is free */
  rowAt(row: number): SnapshotRow | null {
    const item = this.fields.itemAt(this.table.itemOf(row))
    return item ? { itemId: item.id, position: this.table.positionOf(row), version: item.version } : null
  }

  /** Reads all rows by page, yielding between pages. @throws NoRoom, and the signal's reason */
  async read(db: Db, signal: AbortSignal): Promise<void> {
    for await (const page of readPages(db, this, null, signal)) this.#add(page)
  }

  /** Reads changed items' rows again; searches use the previous state meanwhile. @throws NoRoom */
  async replace(db: Db, itemIds: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const pages = readPages(db, this, [...itemIds].toSorted(), signal)
    const first: PageOfRows[] = []
    for (let bytes = 0; first.length < PAGES_HELD && bytes < BYTES_HELD;) {
      const { value } = await pages.next()
      if (!value) break
      first.push(value)
      bytes += value.page.length
    }
    this.#revision = CHANGING
    await this.#remove(itemIds)
    for (const page of first) {
      await setImmediate()
      this.#add(page)
    }
    for await (const page of pages) this.#add(page)
  }

  #add({ page, keys, items }: PageOfRows): void {
    const { fields, table } = this
    for (const item of items) fields.put(item)
    const rows = keys.map(({ itemId, position }) => {
      const item = fields.numberOf(itemId)
      if (item !== undefined) fields.addRows(item, 1)
      return table.add(item ?? NO_ITEM, position)
    })
    table.write(page, rows)
    // Deleted after its rows were read. A later revision includes that deletion.
    for (const row of rows) if (table.itemOf(row) === NO_ITEM) table.free(row)
  }

  async #remove(itemIds: ReadonlySet<string>): Promise<void> {
    const { fields, table } = this
    const gone = new Set([...itemIds].map((id) => fields.numberOf(id)).filter((item) => item !== undefined))
    if (gone.size === 0) return
    for (let row = 0; row < table.rows; row++) {
      if (row % ROWS_A_TURN === 0) await setImmediate()
      if (gone.has(table.itemOf(row))) table.free(row)
    }
    for (const item of gone) fields.remove(item)
  }

  /** Releases the memory. The caller must not scan it afterwards. */
  release(): void {
    this.#revision = CHANGING
    this.table.release()
  }
}
