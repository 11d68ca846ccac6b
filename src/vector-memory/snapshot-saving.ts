import type { Db } from '../database/database.ts'
import { ROWS_A_BLOCK, segmentsOf } from './block-layout.ts'
import { readMark } from './read-snapshot.ts'
import type { SavedSnapshots } from './saved-snapshots.ts'
import type { SharedMemory } from './shared-memory.ts'
import { VectorSnapshot } from './vector-snapshot.ts'

/** Reading fewer rows from the database takes less than a tenth of a second. */
const ROWS_MIN = 1_024
/** Time limit of saving at a stop. A stop has 30 s, of which requests may use 25. */
const SAVING_MS = 3_000

/**
 * Restores what the last stop saved, one snapshot at a time.
 * @param adopt takes over a restored snapshot and tells whether it is in use
 */
export async function restoreAll(
  deps: { db: Db; saved: SavedSnapshots; shared: SharedMemory; signal: AbortSignal },
  adopt: (snapshot: VectorSnapshot) => Promise<boolean>,
): Promise<void> {
  const { saved, signal } = deps
  const startedAt = performance.now()
  let organizations = 0
  const ids = await saved.list().catch((err: unknown) => {
    saved.logger.warn({ err }, 'saved vectors could not be restored; they are read from the database')
    return []
  })
  for (const organizationId of ids) {
    if (signal.aborted) return
    try {
      const snapshot = await restore(deps, organizationId)
      if (snapshot && (await adopt(snapshot))) organizations += 1
    } catch (err) {
      const fields = { err, organizationId }
      saved.logger.warn(fields, 'saved vectors could not be used; they are read from the database')
    }
  }
  if (organizations === 0) return
  const ms = Math.round(performance.now() - startedAt)
  saved.logger.info({ organizations, ms }, 'restored the vectors that the last stop saved')
}

/** null: the file is of no use, or there is no room */
async function restore(
  { db, saved, shared, signal }: Parameters<typeof restoreAll>[0],
  organizationId: string,
): Promise<VectorSnapshot | null> {
  const file = await saved.take(organizationId)
  if (file === null) return null
  const { head } = file
  const snapshot = new VectorSnapshot(head, shared)
  try {
    if ((await readMark(db, head, head.revision)) !== head.mark) return null
    if (shared.free < head.blocks * segmentsOf(head.dimensions)) return null
    await file.restore(snapshot, signal)
    snapshot.reach(head.revision)
    return snapshot
  } catch (error) {
    snapshot.release()
    throw error
  } finally {
    await file.close()
  }
}

/**
 * Saves snapshots until the time is up.
 * @param catchUp applies all changes first, so that no file contains deleted items
 */
export async function saveAll<Entry extends { snapshot: VectorSnapshot; isDropped: boolean }>(
  { db, saved, rowsMin = ROWS_MIN }: { db: Db; saved: SavedSnapshots; rowsMin: number | undefined },
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
      await saved.write(snapshot, mark, signal)
      organizations += 1
    } catch (err) {
      const fields = { err, organizationId: snapshot.organizationId }
      saved.logger.warn(fields, 'vectors could not be saved; the next start reads them from the database')
    }
  }
  if (organizations === 0) return
  const ms = Math.round(performance.now() - startedAt)
  saved.logger.info({ organizations, ms }, 'saved the vectors in memory for the next start')
}
