import { z } from 'zod'
import { ProviderError, type ProviderChannel } from '../../adapter.ts'
import { Page, pagesOf, type SlackRun } from '../client.ts'

const LIST_LIMIT = '999'

const Channel = z.object({
  id: z.string(),
  name: z.string().optional(),
  is_private: z.boolean().optional(),
  num_members: z.number().optional(),
  is_member: z.boolean().optional(),
  is_archived: z.boolean().optional(),
})
// An unreadable channel must not count as deleted.
const Channels = Page.extend({ channels: z.array(Channel) })

/** A channel of the workspace, whether the bot is in it or not. */
export interface SlackChannel extends ProviderChannel {
  isMember: boolean
  isArchived: boolean
}

/** Every public channel, and private ones with the bot (scope `groups:read`), by name. @throws ProviderError */
export async function listSlackChannels(run: SlackRun): Promise<SlackChannel[]> {
  try {
    return await listOfTypes(run, 'public_channel,private_channel')
  } catch (error) {
    if (!(error instanceof ProviderError) || error.code !== 'missing_scope') throw error
    return await listOfTypes(run, 'public_channel')
  }
}

async function listOfTypes(run: SlackRun, types: string): Promise<SlackChannel[]> {
  // By id: a channel renamed while the pages are read may appear twice.
  const channels = new Map<string, SlackChannel>()
  const given = { types, limit: LIST_LIMIT, exclude_archived: 'false' }
  for await (const page of pagesOf(run, 'conversations.list', Channels, given))
    for (const channel of page.channels) channels.set(channel.id, channelOf(channel))
  return [...channels.values()].toSorted((left, right) => left.name.localeCompare(right.name, 'en'))
}

function channelOf(channel: z.output<typeof Channel>): SlackChannel {
  return {
    id: channel.id,
    name: channel.name ?? channel.id,
    isPrivate: channel.is_private === true,
    memberCount: channel.num_members ?? 0,
    // If a server does not say, assume that it lists only readable channels.
    isMember: channel.is_member !== false,
    isArchived: channel.is_archived === true,
  }
}

/** Joins a public channel to read its history. @throws ProviderError (`is_archived`, `missing_scope`, …) */
export async function joinSlackChannel(run: SlackRun, channelId: string): Promise<void> {
  await run.call('conversations.join', z.unknown(), { channel: channelId })
}
