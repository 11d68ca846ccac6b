import { z } from 'zod'
import { ProviderError } from '../../adapter.ts'
import { GoogleError } from '../shared/error.ts'
import type { SyncStep } from './sync-step.ts'
import { isFolderNew, isOfFeed, rememberFolder } from './crawl.ts'
import type { DriveCursor } from './cursor.ts'
import {
  driveFile,
  File,
  FILE_FIELDS,
  FOLDER,
  itemId,
  MY_DRIVE,
  SHORTCUT,
  type DriveFile,
  type DriveRun,
} from './run.ts'
import { readFiles, toRead } from './file-items.ts'
import { filesBelow } from './folder-walk.ts'
import { followShortcut, unfollowShortcut } from './shortcuts.ts'
import { inParts } from '../../../kernel/in-parts.ts'

const PAGE_SIZE = 50

const Change = z.object({
  changeType: z.string().nullish(),
  removed: z.boolean().nullish(),
  fileId: z.string().nullish(),
  file: File.nullish(),
})
const ChangeList = z.object({
  changes: z.array(Change).nullish(),
  nextPageToken: z.string().nullish(),
  newStartPageToken: z.string().nullish(),
})

/** Reads a feed's changes page by page; entries hold a file's current state. @throws `cursor_expired` */
export async function* changesOf(run: DriveRun, state: DriveCursor, feed: string): AsyncGenerator<SyncStep> {
  for await (const { changes, next } of changesAfter(run, feed, state.feeds[feed] ?? '')) {
    const gone = changes.filter((change) => change.removed || change.file?.trashed || !change.file)
    const files = changes.filter((change) => !gone.includes(change)).map((change) => driveFile(change.file))
    const own = files.filter((file) => isOfFeed(state, feed, file))
    const moved = files.filter((file) => !own.includes(file))
    for (const { fileId, file } of gone) yield* forget(run, state, feed, fileId ?? '', file?.mimeType)
    for (const file of moved) yield* forget(run, state, feed, file.id, file.mimeType)
    for (const file of own) yield* readLinked(run, state, feed, file)
    const read = await readFiles(run, toRead(feed, own))
    state.feeds[feed] = next
    const ids = [...gone.map((change) => change.fileId ?? ''), ...moved.map((file) => file.id)]
    const deletions = [...read.deletions, ...ids.map((id) => itemId(feed, id))]
    if (changes.length > 0) yield { ...read, deletions, discovered: changes.length }
  }
}

/** Pages of file changes after a page token, with the next one; nothing when a shared drive does not answer. */
export async function* changesAfter(
  run: DriveRun,
  feed: string,
  pageToken: string,
): AsyncGenerator<{ changes: z.output<typeof Change>[]; next: string }> {
  for (let from = pageToken; ;) {
    const page = await changesPage(run, feed, from)
    if (page === null) return
    const changes = (page.changes ?? []).filter((change) => change.changeType !== 'drive' && change.fileId)
    const next = page.nextPageToken ?? page.newStartPageToken
    if (!next) throw new ProviderError('unavailable', 'Google Drive returned no next page token')
    yield { changes, next }
    if (!page.nextPageToken) return
    from = next
  }
}

/** A page of changes; null when a shared drive does not answer this account: the next run tries it again. */
async function changesPage(
  run: DriveRun,
  feed: string,
  pageToken: string,
): Promise<z.output<typeof ChangeList> | null> {
  const params = {
    pageToken,
    pageSize: PAGE_SIZE,
    fields: `nextPageToken,newStartPageToken,changes(changeType,removed,fileId,file(${FILE_FIELDS}))`,
    includeRemoved: true,
    includeItemsFromAllDrives: true,
    supportsAllDrives: true,
    ...(feed === MY_DRIVE ? {} : { driveId: feed }),
  }
  try {
    return await run.api.get('changes', params, ChangeList)
  } catch (error) {
    if (!(error instanceof GoogleError)) throw error
    if (error.status === 400 || error.status === 410) {
      throw new ProviderError('cursor_expired', error.message, { code: String(error.status), cause: error })
    }
    if (feed !== MY_DRIVE && error.kind === 'rejected') return null
    throw error
  }
}

// Google does not report the contents of a removed folder one by one, so the run compares the feed with what is
// stored.
async function* forget(
  run: DriveRun,
  state: DriveCursor,
  feed: string,
  fileId: string,
  mimeType: string | null | undefined,
): AsyncGenerator<SyncStep> {
  const key = itemId(feed, fileId)
  yield* unfollowShortcut(run, state, feed, fileId)
  if (!Object.hasOwn(state.folders, key) && mimeType !== FOLDER) return
  delete state.folders[key]
  if (!state.sweep.includes(feed)) state.sweep.push(feed)
}

async function* readLinked(
  run: DriveRun,
  state: DriveCursor,
  feed: string,
  file: DriveFile,
): AsyncGenerator<SyncStep> {
  if (file.mimeType === SHORTCUT) yield* followShortcut(run, state, feed, file)
  if (file.mimeType !== FOLDER) return
  run.folders.learn(file)
  // A renamed, moved, shared or restored folder changes its files without an event for each.
  if (!isFolderNew(state, feed, file)) return
  const onFolder = (folder: DriveFile) => rememberFolder(state, feed, folder)
  for await (const below of filesBelow(run, feed, file.id, onFolder)) {
    for (const shortcut of below.filter((child) => child.mimeType === SHORTCUT)) {
      yield* followShortcut(run, state, feed, shortcut)
    }
    for (const batch of inParts(below, PAGE_SIZE))
      yield { ...(await readFiles(run, toRead(feed, batch))), discovered: batch.length }
  }
  // Last, so that a run that dies midway walks the folder again.
  rememberFolder(state, feed, file)
}
