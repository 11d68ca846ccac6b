import { open, readdir, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { makeFolder } from '../database/make-folder.ts'
import type { Logger } from '../kernel/logger.ts'
import { ROWS_A_BLOCK, type VectorScanner } from '../vector-scan/index.ts'
import { readMark } from './read-snapshot.ts'
import { readSnapshot, writeSnapshot } from './snapshot-file.ts'
import { VectorSnapshot } from './vector-snapshot.ts'
import { nullIfMissing } from '../kernel/thrown-errors.ts'

const ENDING = '.vectors'
/** Saving requires this many times the snapshot's size in free disk space. */
const FREE_AFTER = 2
/** Reading fewer rows from the database takes less than a tenth of a second. */
const ROWS_MIN = 1_024
/** The time limit for saving. A shutdown has 30 s, and requests may use 25 of them. */
const SAVING_MS = 3_000

/** Stores snapshots between a shutdown and the next start, for their owner only; incomplete files are deleted. */
export class SavedSnapshots {
  readonly #folder: string
  readonly #logger: Pick<Logger, 'info' | 'warn'>

  constructor({ folder, logger }: { folder: string; logger: Pick<Logger, 'info' | 'warn'> }) {
    this.#folder = folder
    this.#logger = logger
  }

  /** Restores the saved snapshots, one at a time. `adopt` returns whether one is in use. */
  async restoreAll(
    deps: { db: Db; scanner: VectorScanner; signal: AbortSignal },
    adopt: (snapshot: VectorSnapshot) => Promise<boolean>,
  ): Promise<void> {
    const startedAt = performance.now()
    let organizations = 0
    try {
      for (const name of (await readdir(this.#folder).catch(nullIfMissing)) ?? []) {
        if (deps.signal.aborted) return
        const snapshot = await this.#restore(deps, name)
        if (snapshot && (await adopt(snapshot))) organizations += 1
      }
    } catch (err) {
      this.#logger.warn({ err }, 'saved vectors could not be restored; they are read from the database')
    }
    if (organizations === 0) return
    const ms = Math.round(performance.now() - startedAt)
    this.#logger.info({ organizations, ms }, 'restored the vectors that the last stop saved')
  }

  /** Deletes a file and restores its snapshot; null: it is unusable, or memory is full. */
  async #restore(
    { db, scanner, signal }: { db: Db; scanner: VectorScanner; signal: AbortSignal },
    name: string,
  ): Promise<VectorSnapshot | null> {
    const organizationId = path.basename(name, ENDING)
    const isSaved = name.endsWith(ENDING) && z.uuid().safeParse(organizationId).success
    const file = isSaved ? await open(path.join(this.#folder, name), 'r') : null
    let snapshot: VectorSnapshot | undefined
    try {
      // Deleted first, so that data deleted later does not stay on disk.
      await this.#remove(name)
      const saved = file && (await readSnapshot(file, organizationId))
      if (saved === null) return null
      const { head, restore } = saved
      if ((await readMark(db, head, head.revision)) !== head.mark) return null
      snapshot = new VectorSnapshot(head, scanner)
      if (!scanner.hasRoom(snapshot.table, head.blocks * ROWS_A_BLOCK)) return null
      await restore(snapshot, signal)
      snapshot.reach(head.revision)
      return snapshot
    } catch (err) {
      snapshot?.release()
      const fields = { err, organizationId }
      this.#logger.warn(fields, 'saved vectors could not be used; they are read from the database')
      return null
    } finally {
      await file?.close()
    }
  }

  /** Saves snapshots until the time limit. `catchUp` applies all changes, so that no file has deleted items. */
  async saveAll<Entry extends { snapshot: VectorSnapshot; isDropped: boolean }>(
    { db, rowsMin = ROWS_MIN }: { db: Db; rowsMin: number | undefined },
    entries: readonly Entry[],
    catchUp: (entry: Entry, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(SAVING_MS)
    let organizations = 0
    for (const entry of entries) {
      if (signal.aborted) break
      const { snapshot } = entry
      try {
        await catchUp(entry, signal)
        if (entry.isDropped || snapshot.table.blocks * ROWS_A_BLOCK < rowsMin) continue
        const mark = await readMark(db, snapshot, snapshot.revision)
        if (mark === null) continue
        await snapshot.table.wipe(signal)
        await this.#write(snapshot, mark, signal)
        organizations += 1
      } catch (err) {
        const fields = { err, organizationId: snapshot.organizationId }
        this.#logger.warn(fields, 'vectors could not be saved; the next start reads them from the database')
      }
    }
    if (organizations === 0) return
    const ms = Math.round(performance.now() - startedAt)
    this.#logger.info({ organizations, ms }, 'saved the vectors in memory for the next start')
  }

  async #write(snapshot: VectorSnapshot, mark: string, signal: AbortSignal): Promise<void> {
    await makeFolder(this.#folder)
    const { bavail, bsize } = await statfs(this.#folder)
    if (bavail * bsize < FREE_AFTER * snapshot.table.bytes)
      throw new Error(`there is too little room in ${this.#folder}`)
    const name = snapshot.organizationId + ENDING
    const file = await open(path.join(this.#folder, name), 'w', 0o600)
    try {
      await writeSnapshot(file, snapshot, mark, signal)
    } catch (error) {
      await this.#remove(name)
      throw error
    } finally {
      await file.close()
    }
  }

  async #remove(name: string): Promise<void> {
    await rm(path.join(this.#folder, name), { recursive: true, force: true })
  }
}
