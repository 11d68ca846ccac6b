import { createHash } from 'node:crypto'
import { permissionsHash } from './access-policy.ts'
import { MOST_FOLLOWED, type DriveCursor } from './cursor.ts'
import { getFile, itemId, MY_DRIVE, rangeUnder, type DriveFile, type DriveRun } from './run.ts'
import { readFiles, type FileToRead } from './file-items.ts'
import { filesBehind } from './folder-walk.ts'
import { isStored, storedPages } from '../../stored-ids.ts'
import { returnIf } from '../../adapter.ts'
import { isNotFound } from '../shared/error.ts'
import { newSyncStep, type SyncStep } from './sync-step.ts'
import { inParts } from '../../../kernel/in-parts.ts'

const BATCH = 50
/** Shortcuts rechecked in a run that finds nothing new. */
const CHECKED_PER_RUN = 10

type Followed = DriveCursor['followed'][number]

/** Stores a shortcut's target under the shortcut's id, unless a feed reports it anyway. Yields batches. */
export async function* followShortcut(
  run: DriveRun,
  state: DriveCursor,
  feed: string,
  shortcut: DriveFile,
): AsyncGenerator<SyncStep> {
  const targetId = shortcut.shortcutDetails?.targetId ?? ''
  yield* follow(run, state, { feed, id: shortcut.id, targetId, print: '' })
}

/** Drops a removed shortcut; yields the deletion of its content, even if it was never followed. */
export async function* unfollowShortcut(
  run: DriveRun,
  state: DriveCursor,
  feed: string,
  shortcutId: string,
): AsyncGenerator<SyncStep> {
  yield* deleteBehind(run, state, itemId(feed, shortcutId))
  state.followed = state.followed.filter((entry) => entry.feed !== feed || entry.id !== shortcutId)
}

/** Checks the shortcuts that waited longest: no feed reports when their targets change or vanish. */
export async function* checkShortcuts(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  for (const entry of state.followed.slice(0, CHECKED_PER_RUN)) yield* follow(run, state, entry)
}

async function* follow(run: DriveRun, state: DriveCursor, entry: Followed): AsyncGenerator<SyncStep> {
  const key = itemId(entry.feed, entry.id)
  let files: DriveFile[] | null
  try {
    files = await filesOf(run, state, entry.targetId)
  } catch (error) {
    // Its content stays until Google answers; a later run checks it again.
    const failure = await run.outage.failureOf(key, error)
    remember(state, entry)
    if (state.crawl !== null) state.crawl.isWhole = false
    yield { ...newSyncStep(), failures: [failure] }
    return
  }
  run.outage.passed()
  const print = files === null ? '' : printOf(files)
  if (files === null) yield* deleteBehind(run, state, key)
  else if (print !== entry.print) yield* readBehind(run, state, entry, files)
  forget(state, entry)
  if (files !== null) remember(state, { ...entry, print })
}

/** The files behind a shortcut; null when the target is gone or a feed of this account reports it. */
async function filesOf(run: DriveRun, state: DriveCursor, targetId: string): Promise<DriveFile[] | null> {
  return (await isToldByFeed(run, state, targetId)) ? null : await filesBehind(run, targetId)
}

async function* readBehind(
  run: DriveRun,
  state: DriveCursor,
  { feed, id }: Followed,
  files: readonly DriveFile[],
): AsyncGenerator<SyncStep> {
  const key = itemId(feed, id)
  yield* deleteBehind(run, state, key, new Set(files.map((file) => itemId(key, file.id))))
  for (const batch of inParts(files, BATCH)) {
    const toRead = batch.map((file): FileToRead => ({ externalId: itemId(key, file.id), feed, file }))
    yield { ...(await readFiles(run, toRead)), discovered: batch.length }
  }
}

function forget(state: DriveCursor, { feed, id }: Followed): void {
  state.followed = state.followed.filter((other) => other.feed !== feed || other.id !== id)
}

/** Moves it to the end of the list: most recently checked. */
function remember(state: DriveCursor, entry: Followed): void {
  forget(state, entry)
  if (state.followed.length < MOST_FOLLOWED) state.followed.push(entry)
}

/** Whether a feed of this account reports the target, so that it is stored under its own id. */
async function isToldByFeed(run: DriveRun, state: DriveCursor, targetId: string): Promise<boolean> {
  if (targetId === '') return true
  const target = await getFile(run, targetId).catch(returnIf(isNotFound, null))
  if (target === null) return false
  const feed = target.driveId ?? MY_DRIVE
  if (feed !== MY_DRIVE) return Object.hasOwn(state.feeds, feed)
  return (
    target.ownedByMe === true || Boolean(target.sharedWithMeTime) || (await isReached(run, state, targetId))
  )
}

/** A feed reports the contents of a shared folder even when they are not shared themselves. */
async function isReached(run: DriveRun, state: DriveCursor, fileId: string): Promise<boolean> {
  const id = itemId(MY_DRIVE, fileId)
  if (Object.hasOwn(state.folders, id)) return true
  return await isStored(run.session, id)
}

async function* deleteBehind(
  run: DriveRun,
  state: DriveCursor,
  key: string,
  kept: ReadonlySet<string> = new Set(),
): AsyncGenerator<SyncStep> {
  state.retry = state.retry.filter(({ id }) => kept.has(id) || !id.startsWith(itemId(key, '')))
  for await (const ids of storedPages(run.session, rangeUnder(key))) {
    const deletions = ids.filter((id) => !kept.has(id))
    if (deletions.length > 0) yield { ...newSyncStep(), deletions }
  }
}

function printOf(files: readonly DriveFile[]): string {
  const marks = files
    .map((file) => [file.id, file.name, file.modifiedTime ?? '', permissionsHash(file.permissions ?? [])])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(marks)).digest('base64url').slice(0, 12)
}
