import { GoogleError } from '../shared/error.ts'
import { emptyStep, type SyncStep } from '../shared/sync-steps.ts'
import { isInDriveFeed } from './crawl.ts'
import type { DriveCursor } from './cursor.ts'
import { listFiles, MY_DRIVE, type DriveRun } from './run.ts'
import { storedUnder } from './shortcuts.ts'

const PAGE_SIZE = 1000
/** Ids are held in memory to compare; a feed with more of them is left to the next full resync. */
const MOST_COMPARED = 500_000

/** Compares what is stored of the feeds in `state.sweep` with what they list, ids only, and deletes what is gone. */
export async function* sweep(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  for (const feed of state.sweep.slice()) {
    try {
      const visible = await visibleIds(run, state, feed)
      if (visible !== null) yield* deleteInvisible(run, feed, visible)
    } catch (error) {
      // A drive that does not let itself be listed now is compared by a later run.
      if (feed !== MY_DRIVE && error instanceof GoogleError && error.kind === 'rejected') continue
      throw error
    }
    state.sweep = state.sweep.filter((other) => other !== feed)
  }
}

/** Deletes everything stored of a shared drive the account is no longer a member of. */
export async function* deleteFeed(run: DriveRun, feed: string): AsyncGenerator<SyncStep> {
  for await (const ids of storedUnder(run, feed)) yield { ...emptyStep(), deletions: ids }
}

async function* deleteInvisible(
  run: DriveRun,
  feed: string,
  visible: ReadonlySet<string>,
): AsyncGenerator<SyncStep> {
  for await (const ids of storedUnder(run, feed)) {
    const gone = ids.filter((id) => !visible.has(id.split('/')[1] ?? ''))
    if (gone.length > 0) yield { ...emptyStep(), deletions: gone }
  }
}

/** Ids of all files and shortcuts a feed lists; null when Google's list is not whole. */
async function visibleIds(run: DriveRun, state: DriveCursor, feed: string): Promise<Set<string> | null> {
  const visible = new Set<string>()
  let pageToken: string | null = null
  do {
    const input = { feed, query: 'trashed = false', fields: 'id,driveId', pageSize: PAGE_SIZE, pageToken }
    const page = await listFiles(run, input)
    if (page.incomplete || visible.size > MOST_COMPARED) return null
    for (const file of page.files) {
      if (file.id && (feed !== MY_DRIVE || !isInDriveFeed(state, file))) visible.add(file.id)
    }
    pageToken = page.next
  } while (pageToken !== null)
  return visible
}
