import { z } from 'zod'
import { isRejected, ProviderError } from '../../adapter.ts'
import { crawlName } from '../../run-state.ts'
import { type GoogleApi, pagesOf } from '../shared/calls.ts'
import { isNotFound } from '../shared/error.ts'
import type { SyncStep } from './sync-step.ts'
import { refusedDrive } from './crawl.ts'
import { newCrawl, type DriveCursor } from './cursor.ts'
import { itemId, MY_DRIVE, type DriveRun, type SharedDrives } from './run.ts'
import { deleteFeed } from './sweep.ts'

const DriveList = z.object({
  drives: z.array(z.object({ id: z.string().nullish(), name: z.string().nullish().catch(null) })).nullish(),
  nextPageToken: z.string().nullish(),
})

/** Lists the account's shared drives. A refusal sets `isKnown`; other GoogleErrors are thrown. */
export async function listDrives(api: GoogleApi): Promise<SharedDrives> {
  const names = new Map<string, string>()
  const params = { pageSize: 100, fields: 'nextPageToken,drives(id,name)' }
  try {
    for await (const { drives } of pagesOf((from) => api.get('drives', { ...params, ...from }, DriveList)))
      for (const { id, name } of drives ?? []) if (id) names.set(id, name ?? id)
  } catch (error) {
    if (!isRejected(error)) throw error
    return { names: new Map(), isKnown: false }
  }
  return { names, isKnown: true }
}

/** The state before a full crawl. Change tokens come first, so that no change during the crawl is missed. */
export async function startCrawl(run: DriveRun): Promise<DriveCursor> {
  const state: DriveCursor = {
    version: 2,
    feeds: { [MY_DRIVE]: await startToken(run, MY_DRIVE) },
    crawl: newCrawl(crawlName(run.session), [MY_DRIVE]),
    drives: {},
    toCrawl: [],
    folders: {},
    followed: [],
    sweep: [],
    retry: [],
  }
  const listed = [...run.drives.names.keys()]
  for (const drive of [...listed, ...(await unlistedDrives(run, await storedDrives(run)))]) {
    const refused = await takeToken(run, state, drive)
    if (!refused) state.crawl?.waiting.push(drive)
    else if (state.crawl) state.crawl.isWhole = false
  }
  return state
}

/** Runs before any read. Drops removed shared drives with their items, and starts a crawl of new or changed ones. */
export async function* matchDrives(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  yield* dropLostDrives(run, state)
  if (state.crawl !== null) {
    await skipLostDrives(run, state.crawl)
    return
  }
  noteRenamedDrives(run, state)
  const known = new Set([...Object.keys(state.feeds), ...state.toCrawl])
  const waiting = [...state.toCrawl, ...[...run.drives.names.keys()].filter((drive) => !known.has(drive))]
  state.toCrawl = []
  const ready: string[] = []
  for (const drive of waiting) {
    const refused = Object.hasOwn(state.feeds, drive) ? null : await takeToken(run, state, drive)
    if (refused) yield refusedDrive(run, drive, refused)
    else ready.push(drive)
  }
  if (ready.length > 0) state.crawl = newCrawl(null, ready)
}

/** A resumed crawl skips drives that are gone. */
async function skipLostDrives(run: DriveRun, position: NonNullable<DriveCursor['crawl']>): Promise<void> {
  const current = position.waiting[0]
  const drives = position.waiting.filter((feed) => feed !== MY_DRIVE)
  const there = new Set([MY_DRIVE, ...run.drives.names.keys(), ...(await unlistedDrives(run, drives))])
  position.waiting = position.waiting.filter((feed) => there.has(feed))
  if (position.waiting[0] !== current) position.pageToken = null
}

/** The drives that are missing from the list but still exist: the list may lag, or Google refused it. */
async function unlistedDrives(run: DriveRun, drives: readonly string[]): Promise<string[]> {
  const unlisted = drives.filter((drive) => !run.drives.names.has(drive))
  if (!run.drives.isKnown) return unlisted
  const there: string[] = []
  for (const drive of unlisted) if (!(await isGone(run, drive))) there.push(drive)
  return there
}

async function* dropLostDrives(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  const followed = [...Object.keys(state.feeds), ...state.toCrawl].filter((feed) => feed !== MY_DRIVE)
  const there = new Set([...run.drives.names.keys(), ...(await unlistedDrives(run, followed))])
  for (const feed of new Set(followed).difference(there)) {
    // A run that dies between the deletions may find the drive back and must then read it again.
    if (!state.toCrawl.includes(feed)) state.toCrawl.push(feed)
    yield* deleteFeed(run, feed)
    delete state.feeds[feed]
    delete state.drives[feed]
    state.toCrawl = state.toCrawl.filter((other) => other !== feed)
    state.sweep = state.sweep.filter((other) => other !== feed)
    state.followed = state.followed.filter((entry) => entry.feed !== feed)
    state.retry = state.retry.filter(({ id }) => !id.startsWith(itemId(feed, '')))
    for (const key of Object.keys(state.folders))
      if (key.startsWith(itemId(feed, ''))) delete state.folders[key]
  }
}

/** Checked before a whole drive is deleted, because a list may lag. */
async function isGone(run: DriveRun, driveId: string): Promise<boolean> {
  try {
    await run.api.get(`drives/${encodeURIComponent(driveId)}`, { fields: 'id' }, z.object({}))
    return false
  } catch (error) {
    if (!isRejected(error)) throw error
    return isNotFound(error)
  }
}

/** Files carry their drive's name, so a renamed drive is read again. */
function noteRenamedDrives(run: DriveRun, state: DriveCursor): void {
  for (const [drive, noted] of Object.entries(state.drives)) {
    const name = run.drives.names.get(drive)
    if (name !== undefined && name !== noted.name && !state.toCrawl.includes(drive)) state.toCrawl.push(drive)
  }
}

/** Shared drives with stored items. */
async function storedDrives(run: DriveRun): Promise<string[]> {
  const drives: string[] = []
  let from = ''
  for (;;) {
    const [id] = await run.session.storedIds({ from, to: null, limit: 1 })
    if (id === undefined) return drives
    const feed = id.split('/')[0] ?? ''
    if (feed !== MY_DRIVE) drives.push(feed)
    // The smallest id beyond the feed: `0` follows the slash in ASCII.
    from = `${feed}0`
  }
}

/** Takes a drive's change token. When Google refuses it, marks the drive for a later crawl and returns the failure. */
async function takeToken(run: DriveRun, state: DriveCursor, drive: string): Promise<ProviderError | null> {
  try {
    state.feeds[drive] = await startToken(run, drive)
    return null
  } catch (error) {
    if (!isRejected(error)) throw error
    state.toCrawl.push(drive)
    return error
  }
}

const StartToken = z.object({ startPageToken: z.string().min(1) })

async function startToken(run: DriveRun, feed: string): Promise<string> {
  const params = { supportsAllDrives: true, ...(feed === MY_DRIVE ? {} : { driveId: feed }) }
  return (await run.api.get('changes/startPageToken', params, StartToken)).startPageToken
}
