import pLimit from 'p-limit'
import { z } from 'zod'
import { ProviderError } from '../../adapter.ts'
import type { Graph } from '../shared/graph.ts'

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
  const limit = pLimit(AT_ONCE)
  const lists = await Promise.all(teams.map((team) => limit(channelsOf, graph, team)))
  return new Map(lists.flat().map((channel) => [channel.id, channel]))
}

async function channelsOf(graph: Graph, team: z.output<typeof TeamAnswer>): Promise<Channel[]> {
  try {
    const address = `teams/${encodeURIComponent(team.id)}/channels?$select=id,displayName,membershipType`
    const found = await graph.all(address, ChannelAnswer)
    return found.map(({ id, displayName, membershipType }) => ({
      id,
      name: displayName || id,
      team: { id: team.id, name: team.displayName || team.id },
      isStandard: membershipType === 'standard',
    }))
  } catch (error) {
    // The team belongs to another organization, or the account has just left it.
    if (isClosed(error)) return []
    throw error
  }
}

/** The path of a channel below `/v1.0/`. */
export const channelPath = ({ id, team }: Channel): string =>
  `teams/${encodeURIComponent(team.id)}/channels/${encodeURIComponent(id)}`

/** The group of a channel's readers, so that a membership change changes no item. */
export const groupOf = ({ id, team, isStandard }: Channel): string => (isStandard ? team.id : id)

/** Whether Graph has no such thing, or the account may not open it. */
export const isClosed = (error: unknown): boolean =>
  error instanceof ProviderError && (error.code === '404' || error.code === '403')
