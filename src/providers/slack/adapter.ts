import type { OAuthAdapter } from '../adapter.ts'
import { listSlackChannels } from './reading/channels.ts'
import { listSlackChanges } from './reading/changes.ts'
import { readSlackItem } from './reading/read-item.ts'
import { listSlackPermissions } from './reading/permissions.ts'
import { createSlackRuns } from './client.ts'
import { createSlackOAuth } from './oauth.ts'

export interface SlackAdapterOptions {
  clientId: string
  clientSecret: string
  /** Replaces `https://slack.com/api`. */
  apiUrl: string
  /** Messages per request, 1 to 999; 999 by default. */
  pageSize?: number
  /** Items per yielded page; 100 by default. */
  itemsPerPage?: number
  /** Messages before the look-back that a poll compares with what is stored; 20,000 by default. */
  verifiedMessages?: number
  /** Threads whose replies runs check; 3,000 by default. */
  watchedThreads?: number
  now?: () => Date
}

/** Reads Slack with a bot token. */
export function createSlackAdapter(options: SlackAdapterOptions): OAuthAdapter {
  const runOf = createSlackRuns(options.apiUrl)
  const { pageSize = 999, itemsPerPage = 100, verifiedMessages = 20_000, watchedThreads = 3_000 } = options
  const changes = { pageSize, itemsPerPage, verifiedMessages, watchedThreads }
  return {
    provider: 'slack',
    ...createSlackOAuth({ ...options, now: options.now ?? (() => new Date()) }),
    listChannels: async (session) => {
      const channels = await listSlackChannels(runOf(session))
      return channels
        .filter((channel) => !channel.isArchived)
        .map(({ id, name, isPrivate, memberCount }) => ({ id, name, isPrivate, memberCount }))
    },
    listChanges: (session, input) => listSlackChanges(runOf(session), input, changes),
    readItem: (session, { externalId }) => readSlackItem(runOf(session), externalId, changes),
    listPermissions: (session, input) => listSlackPermissions(runOf(session), input),
  }
}
