import type { Db } from '../database/database.ts'
import { layoutOf, ROWS_A_BLOCK } from './block-layout.ts'
import { readMark, type SnapshotOf } from './read-rows.ts'
import { NoRoom } from './row-table.ts'
import type { SavedHead, SavedSnapshot, SavedSnapshots } from './saved-snapshots.ts'
import { piecesOf, restorePieces } from './snapshot-pieces.ts'
import type { Entry } from './entry.ts'
import type { VectorSnapshot } from './vector-snapshot.ts'

/** Fewer are read from the database in less than a tenth of a second. */
const ROWS_MIN = 1_024
/** A stop saves for no longer: of the 30 s that it has, requests may have taken 25. */
const SAVING_MS = 3_000

/** What saving asks of those who hold snapshots. */
export interface SavingDeps {
  db: Db
  saved: SavedSnapshots
  /** A snapshot with fewer rows is not saved. */
  rowsMin?: number | undefined
  /** Aborts at a stop. */
  signal: AbortSignal
  entryOf(organizationId: string): Entry | undefined
  /** Begins to load a snapshot; null: none can be held now. */
  begin(of: SnapshotOf, dimensions: number): Entry | null
  /** An empty snapshot in the place of an entry's. */
  empty(entry: Entry): VectorSnapshot
  hasRoom(blocks: number, size: number): boolean
  /** Gives up others for so many blocks. @returns whether they have room then */
  makeRoom(blocks: number, size: number): boolean
  /** Takes in what changed until now. */
  catchUp(entry: Entry, signal: AbortSignal): Promise<void>
}

/** Brings snapshots from a stop to the next start: it saves them, and restores them in the background. */
export class SnapshotSaving {
  readonly #deps: SavingDeps

  constructor(deps: SavingDeps) {
    this.#deps = deps
  }

  /** Restores an entry from what was saved of it. @returns false where nothing of use was saved. @throws NoRoom */
  async restore(entry: Entry): Promise<boolean> {
    const { saved, signal, empty } = this.#deps
    let taken: SavedSnapshot | null = null
    try {
      taken = await saved.take(entry.organizationId)
      return taken !== null && (await this.#restoreFrom(entry, taken))
    } catch (err) {
      if (err instanceof NoRoom || signal.aborted) throw err
      saved.logger.warn(
        { err, organizationId: entry.organizationId },
        'saved vectors could not be used; they are read from the database',
      )
      entry.snapshot.release()
      entry.snapshot = empty(entry)
      return false
    } finally {
      await taken?.close()
    }
  }

  async #restoreFrom({ snapshot, modelId }: Entry, { head, pieces }: SavedSnapshot): Promise<boolean> {
    const { makeRoom, signal } = this.#deps
    if (head.modelId !== modelId || !(await this.#isOfThisDatabase(head))) return false
    if (!makeRoom(head.blocks, snapshot.table.layout.blockBytes)) throw new NoRoom()
    await restorePieces(snapshot, pieces, signal)
    snapshot.reach(head.revision)
    return true
  }

  async #isOfThisDatabase(head: SavedHead): Promise<boolean> {
    return (await readMark(this.#deps.db, head, head.revision)) === head.mark
  }

  /** Restores what the last stop saved, one snapshot after the other. */
  async restoreAll(): Promise<void> {
    const { saved, signal, entryOf } = this.#deps
    const startedAt = performance.now()
    let organizations = 0
    try {
      for (const organizationId of await saved.list()) {
        if (signal.aborted) return
        await this.#restoreOne(organizationId).catch(async (err: unknown) => {
          saved.logger.warn({ err, organizationId }, 'saved vectors could not be restored')
          await saved.remove(organizationId)
        })
        if (entryOf(organizationId)?.isReady) organizations += 1
      }
      if (organizations === 0) return
      const ms = Math.round(performance.now() - startedAt)
      saved.logger.info({ organizations, ms }, 'vectors that the last stop saved are in memory again')
    } catch (err) {
      saved.logger.warn({ err }, 'saved vectors could not be restored; they are read from the database')
    }
  }

  /** A file that is of no use now never is again. A search may have begun to restore it itself. */
  async #restoreOne(organizationId: string): Promise<void> {
    const { saved, entryOf, begin, hasRoom } = this.#deps
    const head = entryOf(organizationId) ? null : await saved.peek(organizationId)
    const isOfUse =
      head !== null &&
      hasRoom(head.blocks, layoutOf(head.dimensions).blockBytes) &&
      (await this.#isOfThisDatabase(head))
    const entry =
      entryOf(organizationId) ??
      (isOfUse ? begin({ organizationId, modelId: head.modelId }, head.dimensions) : null)
    if (entry) await entry.ready
    else await saved.remove(organizationId)
  }

  /** Saves entries in the order given, for as long as there is time. */
  async saveAll(entries: readonly Entry[]): Promise<void> {
    const { saved } = this.#deps
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(SAVING_MS)
    let organizations = 0
    for (const entry of entries) {
      if (signal.aborted) break
      try {
        if (await this.#save(entry, signal)) organizations += 1
      } catch (err) {
        const { organizationId } = entry
        saved.logger.warn(
          { err, organizationId },
          'vectors could not be saved; the next start reads them from the database',
        )
      }
    }
    if (organizations === 0) return
    const ms = Math.round(performance.now() - startedAt)
    saved.logger.info({ organizations, ms }, 'saved the vectors in memory for the next start')
  }

  /** Saves with what changed until now, so that no file holds what was deleted before. */
  async #save(entry: Entry, signal: AbortSignal): Promise<boolean> {
    const { db, saved, rowsMin = ROWS_MIN, catchUp } = this.#deps
    const { snapshot, organizationId, modelId } = entry
    await catchUp(entry, signal)
    const { table } = snapshot
    const blocks = table.blocks.length
    const { revision } = snapshot.stage
    if (entry.isDropped || blocks * ROWS_A_BLOCK < rowsMin) return false
    const mark = await readMark(db, entry, revision)
    if (mark === null) return false
    await table.wipe(signal)
    const head = { organizationId, modelId, dimensions: table.layout.dimensions, blocks, revision, mark }
    await saved.write(head, piecesOf(snapshot), signal)
    return true
  }
}
