import { z } from 'zod'
import { type GroupMembers, type PermissionsEnd, type PermissionsPage, returnIf } from '../../adapter.ts'
import { isClosed } from '../shared/graph.ts'
import { type Channel, channelPath, groupOf } from './channels.ts'
import type { Position } from './position.ts'
import type { TeamsRun } from './read-thread.ts'

/** https://learn.microsoft.com/graph/api/resources/aaduserconversationmember */
const Member = z.object({ email: z.string().nullish() })

/** The members of each team, and of each private or shared channel, who are its readers. */
export async function* permissionsOf(
  run: TeamsRun,
  position: Position,
): AsyncGenerator<PermissionsPage, PermissionsEnd> {
  const groups = new Map([...run.channels.values()].map((channel) => [groupOf(channel), channel]))
  for (const [id, channel] of groups) {
    run.session.signal.throwIfAborted()
    yield { groups: [{ id, members: await membersOf(run, channel) }], policies: [] }
  }
  const needsRun = Object.keys(position.channels).some((id) => !run.channels.has(id))
  return { groupIds: [...groups.keys()], needsRun }
}

/** The account can read what it can open; if Graph refuses the list, only the account can. */
async function membersOf({ graph, address }: TeamsRun, channel: Channel): Promise<GroupMembers> {
  const users = new Set([address])
  for (const { email } of await graph.all(membersPath(channel), Member).catch(returnIf(isClosed, [])))
    if (email) users.add(email.toLowerCase())
  return { users: [...users].toSorted(), groups: [], domains: [], isWorkspace: false }
}

/** `allMembers` includes members of other teams that a channel is shared with. */
const membersPath = (channel: Channel): string =>
  channel.isStandard
    ? `teams/${encodeURIComponent(channel.team.id)}/members`
    : `${channelPath(channel)}/allMembers`
