import {
  MY_DRIVE,
  driveFile,
  type File,
  FILE_FIELDS,
  FOLDER,
  itemId,
  listFiles,
  SHORTCUT,
  type DriveFile,
  type DriveRun,
} from './run.ts'
import { MOST_FOLDERS, type DriveCursor } from './cursor.ts'
import { folderHash } from './folder-paths.ts'
import { hasContent, readFiles, toRead } from './file-items.ts'
import { followShortcut } from './shortcuts.ts'
import type { ProviderError } from '../../adapter.ts'
import { GoogleError } from '../shared/error.ts'
import { newSyncStep, type SyncStep } from './sync-step.ts'

const PAGE_SIZE = 50

/** Lists the feeds of `state.crawl.waiting` and reads every file by page; sets `state.crawl` to null at the end. */
export async function* crawl(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  while (state.crawl !== null) {
    const feed = state.crawl.waiting[0]
    if (feed === undefined) {
      // After an incomplete crawl, the sweep looks for deleted items feed by feed.
      if (state.crawl.name !== null && !state.crawl.isWhole) state.sweep = listedFeeds(state)
      state.crawl = null
      return
    }
    yield* crawlFeed(run, state, state.crawl, feed)
  }
}

async function* crawlFeed(
  run: DriveRun,
  state: DriveCursor,
  position: NonNullable<DriveCursor['crawl']>,
  feed: string,
): AsyncGenerator<SyncStep> {
  for (let isFirst = true; position.waiting[0] === feed; isFirst = false) {
    const page = await listPage(run, feed, position.pageToken)
    if ('refused' in page) {
      position.waiting.shift()
      position.pageToken = null
      position.isWhole = false
      state.toCrawl.push(feed)
      yield refusedDrive(run, feed, page.refused)
      return
    }
    if (isFirst) await run.folders.learnAll(feed)
    if (isFirst && feed !== MY_DRIVE) state.drives[feed] = { name: run.drives.names.get(feed) ?? null }
    if (page.incomplete) position.isWhole = false
    const files = page.files.map(driveFile)
    const own = files.filter((file) => isOfFeed(state, feed, file))
    for (const folder of own.filter((file) => file.mimeType === FOLDER)) rememberFolder(state, feed, folder)
    for (const shortcut of own.filter((file) => file.mimeType === SHORTCUT)) {
      // Before the page's own step, which advances the cursor: a crawl that dies here follows the shortcut again.
      yield* followShortcut(run, state, feed, shortcut)
    }
    const step = await readPage(run, feed, own)
    position.pageToken = page.nextPageToken
    if (page.nextPageToken === null) position.waiting.shift()
    yield { ...step, discovered: files.length }
  }
}

async function readPage(run: DriveRun, feed: string, files: readonly DriveFile[]): Promise<SyncStep> {
  const read = await readFiles(run, toRead(feed, files))
  // A newly joined drive may hold files so far known as shared with the user.
  const moved = feed === MY_DRIVE ? [] : files.filter(hasContent).map((file) => itemId(MY_DRIVE, file.id))
  return { ...read, deletions: [...read.deletions, ...moved] }
}

type ListPage = Awaited<ReturnType<typeof listFiles>> | { refused: GoogleError }

async function listPage(run: DriveRun, feed: string, pageToken: string | null): Promise<ListPage> {
  const list = { feed, query: 'trashed = false', fields: FILE_FIELDS, pageSize: PAGE_SIZE }
  try {
    return await listFiles(run.api, list, pageToken === null ? {} : { pageToken })
  } catch (error) {
    if (!(error instanceof GoogleError) || error.kind !== 'rejected') throw error
    // List page tokens expire within hours. Listing the feed again stores nothing twice.
    const isTokenDead = error.status === 400 || error.status === 410
    if (pageToken !== null && isTokenDead) return await listPage(run, feed, null)
    if (feed === MY_DRIVE) throw error
    return { refused: error }
  }
}

/** Records a shared drive that this account may not list; the other drives continue. */
export function refusedDrive({ drives }: DriveRun, feed: string, { message }: ProviderError): SyncStep {
  const title = drives.names.get(feed) ?? ''
  return { ...newSyncStep(), failures: [{ externalId: itemId(feed, ''), title, message }] }
}

/** Whether a file is stored for this feed: a shared drive's own feed takes precedence over the user's. */
export const isOfFeed = (state: DriveCursor, feed: string, { driveId }: Pick<File, 'driveId'>) =>
  feed !== MY_DRIVE ||
  typeof driveId !== 'string' ||
  !(Object.hasOwn(state.feeds, driveId) || state.toCrawl.includes(driveId))

const listedFeeds = ({ feeds, toCrawl }: DriveCursor) =>
  Object.keys(feeds).filter((feed) => !toCrawl.includes(feed))

/** Whether the folder's files inherit something else than noted; shared drives do not list that. */
export const isFolderNew = (state: DriveCursor, feed: string, folder: DriveFile) =>
  state.folders[itemId(feed, folder.id)] !== folderHash(folder) ||
  folder.hasAugmentedPermissions === true ||
  folder.inheritedPermissionsDisabled === true

export function rememberFolder(state: DriveCursor, feed: string, folder: DriveFile): void {
  const key = itemId(feed, folder.id)
  const isKnown = Object.hasOwn(state.folders, key)
  if (isKnown || Object.keys(state.folders).length < MOST_FOLDERS) state.folders[key] = folderHash(folder)
}
