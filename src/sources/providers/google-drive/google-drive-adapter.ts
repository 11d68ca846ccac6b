import { drive, type drive_v3 } from '@googleapis/drive'
import type { Clock } from '../../../kernel/clock.ts'
import type { TextExtractor } from '../../extract/text-extractor.ts'
import {
  ProviderError,
  type ChangePage,
  type ListChangesInput,
  type ProviderAdapter,
  type ProviderSession,
} from '../../provider.ts'
import { createGoogleCaller, createGoogleCalls } from '../google/google-calls.ts'
import { createGoogleOAuth, type GoogleSettings } from '../google/google-oauth.ts'
import { createItemFailures, withoutRetry, withRetry } from '../google/item-failures.ts'
import { GoogleError } from '../google/google-error.ts'
import { createAccessPolicies } from './access-policy.ts'
import { changesOf } from './drive-changes.ts'
import { crawl, type DriveStep } from './drive-crawl.ts'
import { parseDriveCursor, type DriveCursor } from './drive-cursor.ts'
import { getFile, MY_DRIVE, type DriveFile, type DriveRun } from './drive-run.ts'
import { deleteFeed, sweep } from './drive-sweep.ts'
import { readFiles } from './file-items.ts'
import { createFolderPaths } from './folder-paths.ts'
import { checkShortcuts } from './shortcuts.ts'

export const GOOGLE_DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive.readonly'

export interface GoogleDriveAdapterOptions {
  settings: GoogleSettings
  clock: Clock
  extractor: TextExtractor
}

/** The Google Drive connector: files of the user's Drive, those shared with them, and their shared drives. */
export function createGoogleDriveAdapter({
  settings,
  clock,
  extractor,
}: GoogleDriveAdapterOptions): ProviderAdapter {
  const rootUrl = settings.apiUrl === null ? {} : { rootUrl: settings.apiUrl }
  const api = drive({ version: 'v3', retry: false, ...rootUrl })
  const caller = createGoogleCaller()
  const oauth = createGoogleOAuth({
    settings,
    scope: GOOGLE_DRIVE_SCOPE,
    clock,
    lookUpAccount: (accessToken, signal) => lookUpAccount(api, accessToken, signal),
  })

  async function* listChanges(session: ProviderSession, input: ListChangesInput): AsyncGenerator<ChangePage> {
    const call = createGoogleCalls(session, caller)
    const run: DriveRun = {
      session,
      api,
      call,
      extractor,
      failures: createItemFailures(() => call((options) => api.about.get({ fields: 'kind' }, options))),
      folders: createFolderPaths(),
      policies: createAccessPolicies(),
      driveNames: await listDrives(api, call),
    }
    const state = input.cursor === null ? await startCrawl(run) : parseDriveCursor(input.cursor)
    // The name outlives the crawl: the last page of the run has to carry it.
    const snapshot = state.crawl?.name ?? null
    for await (const step of steps(run, state)) {
      noteRetries(state, step)
      yield pageOf(state, step, { snapshot, complete: false })
    }
    yield pageOf(state, NOTHING, { snapshot, complete: true })
  }

  return { provider: 'google_drive', ...oauth, listChanges }
}

const NOTHING: DriveStep = { upserts: [], deletions: [], failures: [], again: [], discovered: 0 }

/** All steps of a run. A full crawl is a run of its own: what changed meanwhile is told by the tokens taken before it. */
async function* steps(run: DriveRun, state: DriveCursor): AsyncGenerator<DriveStep> {
  if (state.crawl !== null && state.crawl.name !== null) {
    dropLostDrives(run, state.crawl)
    yield* crawl(run, state)
    return
  }
  yield* matchDrives(run, state)
  yield* crawl(run, state)
  yield* retry(run, state)
  for (const feed of Object.keys(state.feeds)) yield* changesOf(run, state, feed)
  yield* checkShortcuts(run, state)
  yield* sweep(run, state)
}

/** The state before a full crawl. The change tokens are taken first, so that nothing that happens meanwhile is missed. */
async function startCrawl(run: DriveRun): Promise<DriveCursor> {
  const waiting = [MY_DRIVE, ...run.driveNames.keys()]
  const feeds: Record<string, string> = {}
  for (const feed of waiting) feeds[feed] = await startToken(run, feed)
  const mark = Math.floor(run.session.random() * 1e9).toString(36)
  const name = `${run.session.clock.now().toISOString()}-${mark}`
  return {
    version: 1,
    feeds,
    crawl: { name, waiting, pageToken: null },
    folders: {},
    followed: [],
    sweep: [],
    retry: [],
  }
}

/** Drops the feeds of shared drives that are gone, with what they brought, and starts a crawl of new ones. */
async function* matchDrives(run: DriveRun, state: DriveCursor): AsyncGenerator<DriveStep> {
  const lost = Object.keys(state.feeds).filter((feed) => feed !== MY_DRIVE && !run.driveNames.has(feed))
  for (const feed of lost) {
    yield* deleteFeed(run, feed)
    delete state.feeds[feed]
    state.sweep = state.sweep.filter((other) => other !== feed)
    state.followed = state.followed.filter((entry) => entry.feed !== feed)
  }
  if (state.crawl !== null) {
    dropLostDrives(run, state.crawl)
    return
  }
  const joined = [...run.driveNames.keys()].filter((feed) => !Object.hasOwn(state.feeds, feed))
  for (const feed of joined) state.feeds[feed] = await startToken(run, feed)
  if (joined.length > 0) state.crawl = { name: null, waiting: joined, pageToken: null }
}

/** A crawl taken up again does not ask for drives that are gone. */
function dropLostDrives(run: DriveRun, position: NonNullable<DriveCursor['crawl']>): void {
  const current = position.waiting[0]
  position.waiting = position.waiting.filter((feed) => feed === MY_DRIVE || run.driveNames.has(feed))
  if (position.waiting[0] !== current) position.pageToken = null
}

/** Tries the items again that got no answer in earlier runs. */
async function* retry(run: DriveRun, state: DriveCursor): AsyncGenerator<DriveStep> {
  if (state.retry.length === 0) return
  const files: { externalId: string; feed: string; file: DriveFile }[] = []
  const deletions: string[] = []
  for (const { id: externalId } of state.retry) {
    const parts = externalId.split('/')
    try {
      const file = await getFile(run, parts.at(-1) ?? '')
      if (file.trashed) deletions.push(externalId)
      else files.push({ externalId, feed: parts[0] ?? MY_DRIVE, file })
    } catch (error) {
      if (!(error instanceof GoogleError) || error.kind !== 'rejected') throw error
      deletions.push(externalId)
    }
  }
  const read = await readFiles(run, files)
  yield { ...read, deletions: [...deletions, ...read.deletions], discovered: files.length }
}

/** Keeps the list of items to try again: done ones leave it, those without an answer stay or join. */
function noteRetries(state: DriveCursor, step: DriveStep): void {
  const failed = step.failures.map((failure) => failure.externalId).filter((id) => !step.again.includes(id))
  const done = [...step.upserts.map((item) => item.externalId), ...step.deletions, ...failed]
  state.retry = withoutRetry(state.retry, new Set(done))
  for (const id of step.again) state.retry = withRetry(state.retry, id)
}

function pageOf(
  state: DriveCursor,
  step: DriveStep,
  end: { snapshot: string | null; complete: boolean },
): ChangePage {
  const { upserts, deletions, failures, discovered } = step
  // A copy: the state goes on changing while the page is being stored.
  return { upserts, deletions, failures, discovered, cursor: structuredClone(state), ...end }
}

async function startToken(run: DriveRun, feed: string): Promise<string> {
  const params = { supportsAllDrives: true, ...(feed === MY_DRIVE ? {} : { driveId: feed }) }
  const { startPageToken } = await run.call((options) => run.api.changes.getStartPageToken(params, options))
  if (!startPageToken)
    throw new ProviderError('unavailable', 'Google Drive answered without a start page token')
  return startPageToken
}

async function listDrives(api: drive_v3.Drive, call: DriveRun['call']): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  let pageToken: string | undefined
  do {
    const token: { pageToken?: string } = pageToken === undefined ? {} : { pageToken }
    const params = { pageSize: 100, fields: 'nextPageToken,drives(id,name)', ...token }
    const data = await call((options) => api.drives.list(params, options))
    for (const { id, name } of data.drives ?? []) if (id) names.set(id, name ?? id)
    pageToken = data.nextPageToken ?? undefined
  } while (pageToken !== undefined)
  return names
}

async function lookUpAccount(api: drive_v3.Drive, accessToken: string, signal: AbortSignal) {
  const headers = { authorization: `Bearer ${accessToken}` }
  const fields = 'user(displayName,emailAddress)'
  const { data } = await api.about.get({ fields }, { headers, signal, timeout: 30_000, retry: false })
  const email = data.user?.emailAddress
  if (!email) throw new ProviderError('unavailable', 'Google Drive answered without the account')
  const name = data.user?.displayName
  return { externalAccountId: email, displayName: name ? `${name} (${email})` : email }
}
