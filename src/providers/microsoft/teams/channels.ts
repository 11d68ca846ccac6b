import { z } from 'zod'
import { returnIf } from '../../adapter.ts'
import { mapBounded } from '../../map-bounded.ts'
import { type Graph, isClosed } from '../shared/graph.ts'

const AT_ONCE = 4
const TeamAnswer = z.object({ id: z.string().min(1), displayName: z.string().nullish() })
const ChannelAnswer = TeamAnswer.extend({ membershipType: z.string().nullish() })

export interface Channel {
  id: string
  name: string
  team: { id: string; name: string }
  /** Whether the team's members are its members. */
  isStandard: boolean
}

export type Channels = ReadonlyMap<string, Channel>

/**
 * The channels of the account's teams, and those that other teams share with it
 * (https://learn.microsoft.com/graph/api/associatedteaminfo-list). Channel ids are unique everywhere.
 */
export async function listChannels(graph: Graph): Promise<Channels> {
  const teams = await graph.all('me/teamwork/associatedTeams', TeamAnswer)
  const lists = await mapBounded(teams, AT_ONCE, (team) => channelsOf(graph, team))
  return new Map(lists.flat().map((channel) => [channel.id, channel]))
}

async function channelsOf(graph: Graph, team: z.output<typeof TeamAnswer>): Promise<Channel[]> {
  const address = `teams/${encodeURIComponent(team.id)}/channels?$select=id,displayName,membershipType`
  // A closed team belongs to another organization, or the account has just left it.
  const found = await graph.all(address, ChannelAnswer).catch(returnIf(isClosed, []))
  return found.map(({ id, displayName, membershipType }) => ({
    id,
    name: displayName || id,
    team: { id: team.id, name: team.displayName || team.id },
    isStandard: membershipType === 'standard',
  }))
}

/** The path of a channel below `/v1.0/`. */
export const channelPath = ({ id, team }: Channel): string =>
  `teams/${encodeURIComponent(team.id)}/channels/${encodeURIComponent(id)}`

/** The group of a channel's readers, so that a membership change changes no item. */
export const groupOf = ({ id, team, isStandard }: Channel): string => (isStandard ? team.id : id)
