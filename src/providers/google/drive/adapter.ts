import pLimit from 'p-limit'
import { z } from 'zod'
import type {
  ChangePage,
  ListChangesInput,
  ListPermissionsInput,
  PermissionsEnd,
  PermissionsPage,
  OAuthAdapter,
  ProviderSession,
} from '../../adapter.ts'
import { createOutageGuard, isUnavailable } from '../../outage-guard.ts'
import { outOfReach } from '../../feed.ts'
import { parseAnswer } from '../../rest.ts'
import { parseCursor } from '../../run-state.ts'
import { createGoogleApis } from '../shared/calls.ts'
import { isNotFound } from '../shared/error.ts'
import { createGoogleOAuth } from '../shared/oauth.ts'
import type { GoogleAdapterOptions } from '../shared/settings.ts'
import { newSyncStep, pageOf, retriesAfter, type SyncStep } from './sync-step.ts'
import { createAccessPolicies } from './access-policy.ts'
import { changesOf } from './changes.ts'
import { crawl } from './crawl.ts'
import { DriveCursor } from './cursor.ts'
import { permissionsOf } from './permissions.ts'
import { getFile, MY_DRIVE, type DriveRun } from './run.ts'
import { sweep } from './sweep.ts'
import { readFiles, type FileToRead } from './file-items.ts'
import { createFolderPaths } from './folder-paths.ts'
import { listDrives, matchDrives, startCrawl } from './shared-drives.ts'
import { checkShortcuts } from './shortcuts.ts'
import { inParts } from '../../../kernel/in-parts.ts'

export const GOOGLE_DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive.readonly'

const About = z.object({
  user: z.object({ emailAddress: z.string().min(1), displayName: z.string().nullish() }),
})

/** The Google Drive connector reads the user's files, files shared with them, and their shared drives. */
export function createGoogleDriveAdapter({ settings, clock, extractor }: GoogleAdapterOptions): OAuthAdapter {
  const base = `${settings.apiUrl ?? 'https://www.googleapis.com'}/drive/v3`
  const apiFor = createGoogleApis('Google Drive', base)
  const oauth = createGoogleOAuth({
    settings,
    scope: GOOGLE_DRIVE_SCOPE,
    clock,
    async identify(get) {
      const answer = await get(`${base}/about?fields=user(displayName,emailAddress)`)
      const { emailAddress: email, displayName: name } = parseAnswer(answer, About, 'Google Drive').user
      return { externalAccountId: email, displayName: name ? `${name} (${email})` : email }
    },
  })

  async function openRun(session: ProviderSession): Promise<DriveRun> {
    const api = apiFor(session)
    const drives = await listDrives(api)
    const folders = createFolderPaths({ api, drives })
    return {
      session,
      api,
      extractor,
      outage: createOutageGuard(session.signal, () => api.get('about', { fields: 'kind' }, z.object({}))),
      folders,
      policies: createAccessPolicies(api, folders),
      drives,
      oneLarge: pLimit(1),
    }
  }

  async function* listPermissions(
    session: ProviderSession,
    { cursor }: ListPermissionsInput,
  ): AsyncGenerator<PermissionsPage, PermissionsEnd> {
    // No run has stored anything yet; the first run stores current policies.
    if (cursor === null) return { groupIds: null, needsRun: false }
    return yield* permissionsOf(await openRun(session), parseCursor(cursor, DriveCursor))
  }

  async function* listChanges(session: ProviderSession, input: ListChangesInput): AsyncGenerator<ChangePage> {
    const run = await openRun(session)
    const state = input.cursor === null ? await startCrawl(run) : parseCursor(input.cursor, DriveCursor)
    // Read the name before the crawl state is cleared: the last page of the run must carry it.
    const position = state.crawl
    const snapshot = position?.name ?? null
    for await (const step of steps(run, state)) {
      state.retry = retriesAfter(state.retry, step)
      yield pageOf(state, step, { snapshot, complete: false })
    }
    // Without the name the engine removes nothing: unseen items may be in a drive that refused the listing.
    const isWhole = position === null || position.isWhole
    yield pageOf(state, newSyncStep(), { snapshot: isWhole ? snapshot : null, complete: true })
  }

  return {
    provider: 'google_drive',
    ...oauth,
    listChanges,
    listPermissions,
    readItem: async (session, { externalId }) => {
      const run = await openRun(session)
      const [feed = MY_DRIVE] = externalId.split('/')
      if (feed !== MY_DRIVE && run.drives.isKnown && !run.drives.names.has(feed)) throw outOfReach()
      return await retryItems(run, [externalId])
    },
  }
}

const RETRIED_AT_ONCE = 50

/** All steps of a run. Change tokens are taken before a full crawl, so the next run sees what changed meanwhile. */
async function* steps(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  const isFullCrawl = state.crawl !== null && state.crawl.name !== null
  yield* matchDrives(run, state)
  yield* crawl(run, state)
  if (isFullCrawl) return
  yield* retry(run, state)
  for (const feed of Object.keys(state.feeds)) yield* changesOf(run, state, feed)
  yield* checkShortcuts(run, state)
  yield* sweep(run, state)
}

/** Retries the items that got no answer in earlier runs. */
async function* retry(run: DriveRun, state: DriveCursor): AsyncGenerator<SyncStep> {
  const ids = state.retry.map(({ id }) => id)
  for (const some of inParts(ids, RETRIED_AT_ONCE)) yield await retryItems(run, some)
}

async function retryItems(run: DriveRun, externalIds: readonly string[]): Promise<SyncStep> {
  const files: FileToRead[] = []
  const step: SyncStep = { ...newSyncStep(), discovered: externalIds.length }
  for (const externalId of externalIds) {
    const parts = externalId.split('/')
    try {
      const file = await getFile(run, parts.at(-1) ?? '')
      run.outage.passed()
      if (file.trashed) step.deletions.push(externalId)
      else files.push({ externalId, feed: parts[0] ?? MY_DRIVE, file })
    } catch (error) {
      const failure = await run.outage.failureOf(externalId, error)
      if (isNotFound(error)) step.deletions.push(externalId)
      else step.failures.push(failure)
      if (isUnavailable(error)) step.again.push(externalId)
    }
  }
  return await readFiles(run, files, step)
}
