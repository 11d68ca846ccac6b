import { z } from 'zod'
import { isRejected, returnIf } from '../../adapter.ts'
import { knownOf } from '../../rest.ts'
import { Page, pagesOf, type SlackRun } from '../client.ts'
import type { SlackChannel } from './channels.ts'
import type { SlackAuthor, SlackPeople } from './items.ts'
import { shownParts, type SlackMessage } from './messages.ts'
import { mentionedUsers } from './mrkdwn.ts'

/** Up to this many unknown users are requested one by one; beyond that the whole list is read, once a run. */
const ONE_BY_ONE = 5
const LIST_LIMIT = '200'
const MOST_LIST_PAGES = 100

const text = z.string().optional().catch(undefined)
const flag = z.boolean().optional()
const User = z.object({
  id: z.string(),
  name: text,
  real_name: text,
  profile: z.object({ display_name: text, real_name: text, email: text }).optional().catch(undefined),
  deleted: flag,
  is_bot: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
  is_stranger: flag,
  team_id: z.string().optional(),
  enterprise_user: z.object({ teams: z.array(z.string()).optional() }).nullish(),
})
export type SlackUser = z.output<typeof User>
export const Users = Page.extend({ members: knownOf(User) })
const OneUser = z.object({ user: User })

export interface SlackDirectory extends SlackPeople {
  /** Loads the names of all authors and mentioned users of these messages. */
  load(messages: readonly SlackMessage[]): Promise<void>
  /** Private channels stay unnamed: a text that mentions one may have other readers. */
  addChannels(channels: readonly SlackChannel[]): void
}

/**
 * The names of a workspace's users and channels, loaded on demand and cached for the run. When Slack withholds them
 * (unknown user, missing scope), ids replace them.
 */
export function createSlackDirectory(run: SlackRun): SlackDirectory {
  const people = new Map<string, SlackAuthor>()
  const channels = new Map<string, string>()
  let listed = false

  async function load(messages: readonly SlackMessage[]): Promise<void> {
    let unknown = unknownPeople(messages, people)
    if (unknown.length > ONE_BY_ONE && !listed) {
      await listPeople(run, people)
      listed = true
      unknown = unknownPeople(messages, people)
    }
    for (const id of unknown) people.set(id, await readPerson(run, id))
  }

  const nameOf = (id: string) => people.get(id)?.name ?? id
  return {
    load,
    addChannels: (all) => {
      for (const { id, name, isPrivate } of all) if (!isPrivate) channels.set(id, name)
    },
    user: nameOf,
    channel: (id) => channels.get(id) ?? id,
    isPublic: (id) => channels.has(id),
    author: (message) => {
      const known = message.user === undefined ? undefined : people.get(message.user)
      const name =
        message.username ?? known?.name ?? message.bot_profile?.name ?? message.user ?? message.bot_id
      return { name: name ?? 'unknown', email: known?.email ?? null }
    },
  }
}

function unknownPeople(
  messages: readonly SlackMessage[],
  people: ReadonlyMap<string, SlackAuthor>,
): string[] {
  const ids = messages.flatMap((message) => [
    ...(message.user === undefined ? [] : [message.user]),
    ...mentionedUsers(shownParts(message).join('\n')),
  ])
  return [...new Set(ids)].filter((id) => !people.has(id))
}

async function listPeople(run: SlackRun, people: Map<string, SlackAuthor>): Promise<void> {
  let pages = 0
  try {
    for await (const { members } of pagesOf(run, 'users.list', Users, { limit: LIST_LIMIT })) {
      for (const member of members) people.set(member.id, personOf(member))
      pages += 1
      if (pages >= MOST_LIST_PAGES) return
    }
  } catch (error) {
    if (!isRejected(error)) throw error
  }
}

async function readPerson(run: SlackRun, id: string): Promise<SlackAuthor> {
  const answer = await run.call('users.info', OneUser, { user: id }).catch(returnIf(isRejected, null))
  return answer === null ? { name: id, email: null } : personOf(answer.user)
}

function personOf(user: SlackUser): SlackAuthor {
  const names = [user.profile?.display_name, user.profile?.real_name, user.real_name, user.name]
  return {
    name: names.find((name) => name !== undefined && name.trim() !== '') ?? user.id,
    email: user.profile?.email ?? null,
  }
}
