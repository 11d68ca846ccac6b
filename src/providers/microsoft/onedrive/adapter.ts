import pLimit from 'p-limit'
import { positionIn, readingFeed } from '../../feed.ts'
import type { OAuthAdapter, ProviderSession } from '../../adapter.ts'
import { createGraphs } from '../shared/graph.ts'
import { createMicrosoftOAuth } from '../shared/oauth.ts'
import type { MicrosoftAdapterOptions } from '../shared/settings.ts'
import { listDrives } from './drives.ts'
import { createDriveFeed } from './feed.ts'
import { permissionsOf } from './permissions.ts'
import { emptyPosition, Position } from './position.ts'
import type { DriveRun } from './read-file.ts'
import { createReaders } from './readers.ts'

/** None of them needs an administrator's consent. */
export const ONEDRIVE_SCOPES = ['Files.Read.All', 'Sites.Read.All', 'User.ReadBasic.All']

/** Reads the files of an account's OneDrive, and of the SharePoint sites that it follows. */
export function createOneDriveAdapter(options: MicrosoftAdapterOptions): OAuthAdapter {
  const { settings, clock, extractor, itemsPerPage = 50 } = options
  // Without it, every folder above a change is reported as changed.
  const graphOf = createGraphs(settings.apiUrl, { deltaExcludeParent: 'true' })
  async function openRun(session: ProviderSession): Promise<DriveRun> {
    const graph = graphOf(session)
    return {
      graph,
      session,
      extractor,
      itemsPerPage,
      readers: createReaders(graph),
      drives: await listDrives(graph),
      oneLarge: pLimit(1),
    }
  }
  return {
    provider: 'onedrive',
    ...createMicrosoftOAuth(settings, { scopes: ONEDRIVE_SCOPES, clock }),
    ...readingFeed(async (session) => createDriveFeed(await openRun(session))),
    async *listPermissions(session, { cursor }) {
      const position = positionIn(cursor, Position) ?? emptyPosition()
      return yield* permissionsOf(await openRun(session), position)
    },
  }
}
