import { drive, type drive_v3 } from '@googleapis/drive'
import pLimit from 'p-limit'
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
import { createAccessPolicies } from './access-policy.ts'
import { changesOf } from './drive-changes.ts'
import { crawl, type DriveStep } from './drive-crawl.ts'
import { parseDriveCursor, type DriveCursor } from './drive-cursor.ts'
import { getFile, MY_DRIVE, type DriveRun } from './drive-run.ts'
import { sweep } from './drive-sweep.ts'
import { readFiles, type FileToRead } from './file-items.ts'
import { createFolderPaths } from './folder-paths.ts'
import { listDrives, matchDrives, skipLostDrives, startCrawl } from './shared-drives.ts'
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
      drives: await listDrives(api, call),
      oneLarge: pLimit(1),
    }
    const state = input.cursor === null ? await startCrawl(run) : parseDriveCursor(input.cursor)
    // The name outlives the crawl: the last page of the run has to carry it.
    const position = state.crawl
    const snapshot = position?.name ?? null
    for await (const step of steps(run, state)) {
      noteRetries(state, step)
      yield pageOf(state, step, { snapshot, complete: false })
    }
    // Without the name nothing is removed: what the crawl has not seen may be in a drive that refused to be listed.
    const isWhole = position === null || position.isWhole
    yield pageOf(state, NOTHING, { snapshot: isWhole ? snapshot : null, complete: true })
  }

  return { provider: 'google_drive', ...oauth, listChanges }
}

const RETRIED_AT_ONCE = 50

const NOTHING: DriveStep = { upserts: [], deletions: [], failures: [], again: [], discovered: 0 }

/** All steps of a run. A full crawl is a run of its own: what changed meanwhile is told by the tokens taken before it. */
async function* steps(run: DriveRun, state: DriveCursor): AsyncGenerator<DriveStep> {
  if (state.crawl !== null && state.crawl.name !== null) {
    skipLostDrives(run, state.crawl)
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

/** Tries the items again that got no answer in earlier runs. */
async function* retry(run: DriveRun, state: DriveCursor): AsyncGenerator<DriveStep> {
  const ids = state.retry.map(({ id }) => id)
  for (let start = 0; start < ids.length; start += RETRIED_AT_ONCE) {
    yield await retryItems(run, ids.slice(start, start + RETRIED_AT_ONCE))
  }
}

async function retryItems(run: DriveRun, externalIds: readonly string[]): Promise<DriveStep> {
  const files: FileToRead[] = []
  const looked: DriveStep = {
    upserts: [],
    deletions: [],
    failures: [],
    again: [],
    discovered: externalIds.length,
  }
  for (const externalId of externalIds) {
    const parts = externalId.split('/')
    try {
      const file = await getFile(run, parts.at(-1) ?? '')
      run.failures.succeeded()
      if (file.trashed) looked.deletions.push(externalId)
      else files.push({ externalId, feed: parts[0] ?? MY_DRIVE, file })
    } catch (error) {
      run.session.signal.throwIfAborted()
      const { verdict, message } = await run.failures.judge(error)
      if (verdict === 'gone') looked.deletions.push(externalId)
      else looked.failures.push({ externalId, message })
      if (verdict === 'again') looked.again.push(externalId)
    }
  }
  const read = await readFiles(run, files)
  return {
    upserts: read.upserts,
    deletions: [...looked.deletions, ...read.deletions],
    failures: [...looked.failures, ...read.failures],
    again: [...looked.again, ...read.again],
    discovered: looked.discovered,
  }
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

async function lookUpAccount(api: drive_v3.Drive, accessToken: string, signal: AbortSignal) {
  const headers = { authorization: `Bearer ${accessToken}` }
  const fields = 'user(displayName,emailAddress)'
  const { data } = await api.about.get({ fields }, { headers, signal, timeout: 30_000, retry: false })
  const email = data.user?.emailAddress
  if (!email) throw new ProviderError('unavailable', 'Google Drive answered without the account')
  const name = data.user?.displayName
  return { externalAccountId: email, displayName: name ? `${name} (${email})` : email }
}
