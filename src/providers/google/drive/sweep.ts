import { isRejected } from '../../adapter.ts'
import { storedPages } from '../../stored-ids.ts'
import { newSyncStep, type SyncStep } from './sync-step.ts'
import { isOfFeed } from './crawl.ts'
import type { DriveCursor } from './cursor.ts'
import { filePages, MY_DRIVE, rangeUnder, type DriveRun } from './run.ts'

const PAGE_SIZE = 1000
/** The comparison holds ids in memory; larger feeds wait for the next full resync. */
const MOST_COMPARED = 500_000

/** Compares the stored ids of the feeds in `state.sweep` with the listed ids, and deletes what is gone. */
export async function* sweep(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  for (const feed of state.sweep.slice()) {
    try {
      const visible = await visibleIds(run, state, feed)
      if (visible !== null) yield* deleteInvisible(run, feed, visible)
    } catch (error) {
      // The drive refuses the listing now; a later run compares it.
      if (feed !== MY_DRIVE && isRejected(error)) continue
      throw error
    }
    state.sweep = state.sweep.filter((other) => other !== feed)
  }
}

/** Deletes every item of a shared drive that the account has left. */
export async function* deleteFeed(run: DriveRun, feed: string): AsyncGenerator<SyncStep> {
  for await (const ids of storedPages(run.session, rangeUnder(feed)))
    yield { ...newSyncStep(), deletions: ids }
}

async function* deleteInvisible(
  run: DriveRun,
  feed: string,
  visible: ReadonlySet<string>,
): AsyncGenerator<SyncStep> {
  for await (const ids of storedPages(run.session, rangeUnder(feed))) {
    const gone = ids.filter((id) => !visible.has(id.split('/')[1] ?? ''))
    if (gone.length > 0) yield { ...newSyncStep(), deletions: gone }
  }
}

/** Ids of all files and shortcuts in a feed; null when Google's list is incomplete. */
async function visibleIds(run: DriveRun, state: DriveCursor, feed: string): Promise<Set<string> | null> {
  const visible = new Set<string>()
  const list = { feed, query: 'trashed = false', fields: 'id,driveId', pageSize: PAGE_SIZE }
  for await (const { files, incomplete } of filePages(run.api, list)) {
    if (incomplete || visible.size > MOST_COMPARED) return null
    for (const file of files) {
      if (file.id && isOfFeed(state, feed, file)) visible.add(file.id)
    }
  }
  return visible
}
