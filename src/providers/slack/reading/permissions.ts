import { z } from 'zod'
import type { GroupMembers, ListPermissionsInput, PermissionsEnd, PermissionsPage } from '../../adapter.ts'
import { createOutageGuard } from '../../outage-guard.ts'
import { storedPages } from '../../stored-ids.ts'
import { Page, pagesOf, type SlackRun } from '../client.ts'
import { listSlackChannels, type SlackChannel } from './channels.ts'
import { readSlackCursor, type SlackState } from './cursor.ts'
import { channelIdRange, channelPolicy } from './items.ts'
import { isAsRead } from './membership.ts'
import { Users, type SlackUser } from './people.ts'

const PEOPLE_A_PAGE = '999'
const MEMBERS_A_PAGE = '999'

const Members = Page.extend({ members: z.array(z.string()) })

/** The members of the workspace and of each private channel that is read. Guests are no workspace members. */
export async function* listSlackPermissions(
  run: SlackRun,
  { cursor, groupIds }: ListPermissionsInput,
): AsyncGenerator<PermissionsPage, PermissionsEnd> {
  const state = readSlackCursor(cursor)
  const people = await readPeople(run)
  const workspace = [...people.values()].filter(({ isGuest }) => !isGuest).map(({ email }) => email)
  yield { workspace: distinct(workspace), groups: [], policies: [] }
  const channels = (await listSlackChannels(run)).filter((channel) => channel.isMember)
  const privateChannels = channels.filter((channel) => channel.isPrivate)
  const outage = createOutageGuard(run.session.signal, () => run.call('auth.test', z.unknown()))
  let refusal: unknown
  for (const { id } of privateChannels) {
    try {
      const users = distinct((await readMembers(run, id)).flatMap((user) => people.get(user)?.email ?? []))
      yield { groups: [{ id, members: membersOf(users) }], policies: [] }
      outage.passed()
    } catch (error) {
      // One refused channel must not hold back what others lose.
      await outage.failureOf(id, error)
      refusal = error
    }
  }
  const unlike = channels.filter((channel) => !isStoredAs(state, channel))
  const converted = channels.filter(
    (channel) => unlike.includes(channel) || channel.isPrivate !== groupIds.has(channel.id),
  )
  for (const channel of converted) yield* policiesIn(run, channel)
  if (refusal !== undefined) throw refusal
  return { groupIds: privateChannels.map(({ id }) => id), needsRun: unlike.length > 0 }
}

interface Person {
  email: string
  isGuest: boolean
}

/** Active users of the workspace with an address, by id. */
async function readPeople(run: SlackRun): Promise<Map<string, Person>> {
  const people = new Map<string, Person>()
  for await (const { members } of pagesOf(run, 'users.list', Users, { limit: PEOPLE_A_PAGE })) {
    for (const member of members) {
      const person = personOf(member, run.session.account.externalAccountId)
      if (person) people.set(member.id, person)
    }
  }
  return people
}

function personOf(member: SlackUser, teamId: string): Person | null {
  const email = member.profile?.email
  if (!email || member.deleted || member.is_bot) return null
  const isGuest =
    member.is_restricted === true || member.is_ultra_restricted === true || isExternal(member, teamId)
  return { email, isGuest }
}

/**
 * Whether a user belongs to another company, not to this workspace. Slack calls users `is_stranger` who share no channel
 * with the bot, so others are judged by their workspace. Users of an enterprise may be in several workspaces.
 */
function isExternal(member: SlackUser, teamId: string): boolean {
  if (member.is_stranger) return true
  const { team_id: home = teamId, enterprise_user: enterprise } = member
  return home !== teamId && enterprise?.teams?.includes(teamId) !== true
}

async function readMembers(run: SlackRun, channel: string): Promise<string[]> {
  const members: string[] = []
  const given = { channel, limit: MEMBERS_A_PAGE }
  for await (const page of pagesOf(run, 'conversations.members', Members, given))
    members.push(...page.members)
  return members
}

/** Whether a run has read the channel with its current privacy. */
function isStoredAs(state: SlackState, channel: SlackChannel): boolean {
  const known = state.channels[channel.id]
  return known === undefined || isAsRead({ ...known, name: channel.name }, channel)
}

/** The new policies of stored items of a channel that may have become private or public. */
async function* policiesIn(run: SlackRun, channel: SlackChannel): AsyncGenerator<PermissionsPage> {
  const accessPolicy = channelPolicy(channel)
  const teamId = run.session.account.externalAccountId
  for await (const ids of storedPages(run.session, channelIdRange(teamId, channel.id)))
    yield { groups: [], policies: ids.map((externalId) => ({ externalId, accessPolicy })) }
}

const membersOf = (users: string[]): GroupMembers => ({ users, groups: [], domains: [], isWorkspace: false })

const distinct = (values: readonly string[]): string[] =>
  [...new Set(values.map((value) => value.toLowerCase()))].toSorted()
