import { positionIn, readingFeed } from '../../feed.ts'
import type { OAuthAdapter, ProviderSession } from '../../adapter.ts'
import { createGraphs } from '../shared/graph.ts'
import { addressOf, createMicrosoftOAuth, Me, ME_FIELDS } from '../shared/oauth.ts'
import type { MicrosoftAdapterOptions } from '../shared/settings.ts'
import { listChannels } from './channels.ts'
import { createChannelFeed } from './feed.ts'
import { permissionsOf } from './permissions.ts'
import { emptyPosition, Position } from './position.ts'
import type { TeamsRun } from './read-thread.ts'

/** The last three need an administrator's consent. */
export const TEAMS_SCOPES = [
  'Team.ReadBasic.All',
  'Channel.ReadBasic.All',
  'ChannelMessage.Read.All',
  'TeamMember.Read.All',
  'ChannelMember.Read.All',
]

/** Reads the threads of the channels that an account can open. */
export function createTeamsAdapter(options: MicrosoftAdapterOptions): OAuthAdapter {
  const { settings, clock, extractor, itemsPerPage = 50 } = options
  const graphOf = createGraphs(settings.apiUrl)
  async function openRun(session: ProviderSession): Promise<TeamsRun> {
    const graph = graphOf(session)
    return {
      graph,
      session,
      extractor,
      itemsPerPage,
      address: addressOf(await graph.get(`me?$select=${ME_FIELDS}`, Me)),
      channels: await listChannels(graph),
    }
  }
  return {
    provider: 'teams',
    ...createMicrosoftOAuth(settings, { scopes: TEAMS_SCOPES, clock }),
    ...readingFeed(async (session) => createChannelFeed(await openRun(session))),
    async *listPermissions(session, { cursor }) {
      const position = positionIn(cursor, Position) ?? emptyPosition()
      return yield* permissionsOf(await openRun(session), position)
    },
  }
}
