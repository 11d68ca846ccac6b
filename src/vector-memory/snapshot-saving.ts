import type { Db } from '../database/database.ts'
import { layoutOf, ROWS_A_BLOCK } from './block-layout.ts'
import { readMark, type SnapshotOf } from './read-rows.ts'
import { NoRoom } from './row-table.ts'
import type { SavedHead, SavedSnapshot, SavedSnapshots } from './saved-snapshots.ts'
import { piecesOf, restorePieces } from './snapshot-pieces.ts'
import type { Entry } from './entry.ts'
import type { VectorSnapshot } from './vector-snapshot.ts'

/** Reading fewer from the database takes less than a tenth of a second. */
const ROWS_MIN = 1_024
/** Time limit of saving at a stop. A stop has 30 s, of which requests may use 25. */
const SAVING_MS = 3_000

export interface SavingDeps {
  db: Db
  saved: SavedSnapshots
  /** Smaller snapshots are not saved. */
  rowsMin?: number | undefined
  /** Aborts at a stop. */
  signal: AbortSignal
  entryOf(organizationId: string): Entry | undefined
  /** Starts to load a snapshot; null: none can be held now. */
  begin(of: SnapshotOf, dimensions: number): Entry | null
  /** An empty snapshot to replace an entry's. */
  empty(entry: Entry): VectorSnapshot
  hasRoom(blocks: number, size: number): boolean
  /**
   * Drops other snapshots until this many blocks fit.
   * @returns whether they fit
   */
  makeRoom(blocks: number, size: number): boolean
  catchUp(entry: Entry, signal: AbortSignal): Promise<void>
}

/** Carries snapshots from a stop to the next start: saves them, then restores them in the background. */
export class SnapshotSaving {
  readonly #deps: SavingDeps

  constructor(deps: SavingDeps) {
    this.#deps = deps
  }

  /**
   * Restores an entry from its file.
   * @returns false if there is no usable file.
   * @throws NoRoom
   */
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
      saved.logger.info({ organizations, ms }, 'restored the vectors that the last stop saved')
    } catch (err) {
      saved.logger.warn({ err }, 'saved vectors could not be restored; they are read from the database')
    }
  }

  /** A file that is unusable now stays unusable. A search may already be restoring the snapshot. */
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

  /** Applies all changes first, so that no file contains deleted items. */
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
