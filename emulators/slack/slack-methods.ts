import type { EmulatedChannel } from './slack-messages.ts'
import type { SlackEmulatorState } from './slack-state.ts'

export type SlackAnswer = { ok: boolean; error?: string; [field: string]: unknown }

/** A call of a Web API method: its arguments and caller. */
export interface SlackCall {
  arguments: URLSearchParams
  scopes: ReadonlySet<string>
  state: SlackEmulatorState
  team: { id: string; name: string; domain: string }
  /** The most objects that history and replies return, as Slack restricts some apps. */
  mostObjects: number
}

const failed = (error: string, more: Record<string, unknown> = {}): SlackAnswer => ({
  ok: false,
  error,
  ...more,
})

/** The Web API methods that need a token (docs.slack.dev/reference/methods), by name. */
export const SLACK_METHODS: Record<string, (call: SlackCall) => SlackAnswer> = {
  'auth.test': ({ team }) => ({
    ok: true,
    url: `https://${team.domain}.slack.com/`,
    team: team.name,
    team_id: team.id,
    user: 'memory',
    user_id: 'UBOT',
    bot_id: 'BBOT',
  }),
  'team.info': ({ team }) => ({ ok: true, team: { ...team, url: `https://${team.domain}.slack.com/` } }),
  'users.list': (call) => {
    const page = pageOf(call, call.state.users(), 200)
    if (typeof page === 'string') return failed(page)
    return { ok: true, members: page.values, cache_ts: 0, response_metadata: { next_cursor: page.next } }
  },
  'users.info': ({ state, arguments: given }) => {
    const user = state.users().find((candidate) => candidate.id === given.get('user'))
    return user ? { ok: true, user } : failed('user_not_found')
  },
  'conversations.list': listConversations,
  'conversations.info': (call) => {
    const channel = visibleChannel(call)
    return channel ? { ok: true, channel: channelJson(channel) } : failed('channel_not_found')
  },
  'conversations.join': (call) => {
    const channel = visibleChannel(call)
    if (!channel) return failed('channel_not_found')
    if (!call.scopes.has('channels:join')) return failed('missing_scope', { needed: 'channels:join' })
    if (channel.isArchived) return failed('is_archived')
    if (channel.isPrivate) return failed('method_not_supported_for_channel_type')
    const warning = channel.isMember ? { warning: 'already_in_channel' } : {}
    channel.isMember = true
    return { ok: true, channel: channelJson(channel), ...warning }
  },
  'conversations.members': (call) => {
    const channel = visibleChannel(call)
    if (!channel) return failed('channel_not_found')
    if (channel.isPrivate && !call.scopes.has('groups:read'))
      return failed('missing_scope', { needed: 'groups:read' })
    const page = pageOf(call, [...channel.members], LIST_MAX)
    if (typeof page === 'string') return failed(page)
    return { ok: true, members: page.values, response_metadata: { next_cursor: page.next } }
  },
  'conversations.history': readHistory,
  'conversations.replies': readReplies,
}

function listConversations(call: SlackCall): SlackAnswer {
  const types = (call.arguments.get('types') ?? 'public_channel').split(',')
  if (types.some((type) => !CHANNEL_TYPES.has(type.trim()))) return failed('invalid_types')
  const wantsPrivate = types.includes('private_channel')
  if (wantsPrivate && !call.scopes.has('groups:read')) {
    return failed('missing_scope', { needed: 'groups:read', provided: [...call.scopes].join(',') })
  }
  const visible = call.state
    .channels()
    .filter((channel) =>
      channel.isPrivate ? wantsPrivate && channel.isMember : types.includes('public_channel'),
    )
    .filter((channel) => !channel.isArchived || call.arguments.get('exclude_archived') !== 'true')
  const page = pageOf(call, visible, LIST_MAX)
  if (typeof page === 'string') return failed(page)
  return { ok: true, channels: page.values.map(channelJson), response_metadata: { next_cursor: page.next } }
}

function readHistory(call: SlackCall): SlackAnswer {
  const channel = visibleChannel(call)
  if (!channel) return failed('channel_not_found')
  if (!channel.isMember) return failed('not_in_channel')
  const asked = limitOf(call)
  if (asked === null) return failed('invalid_limit')
  const limit = Math.min(asked, call.mostObjects)
  const inclusive = call.arguments.get('inclusive') === 'true'
  const oldest = call.arguments.get('oldest') ?? '0'
  if (!TS.test(oldest)) return failed('invalid_ts_oldest')
  const nextTs = readCursor(call, 'next_ts')
  if (nextTs === null) return failed('invalid_cursor')
  const latest = nextTs ?? call.arguments.get('latest') ?? '9999999999.999999'
  if (!TS.test(latest)) return failed('invalid_ts_latest')
  // One more than requested shows whether there is more.
  const found = call.state
    .history(channel.id, { oldest, latest, limit: limit + 3 })
    .filter(({ ts }) => inclusive || (ts !== oldest && ts !== latest))
  const messages = found.slice(0, limit)
  const next = found[limit]
  return {
    ok: true,
    messages,
    has_more: next !== undefined,
    pin_count: 0,
    ...(next ? { response_metadata: { next_cursor: writeCursor('next_ts', next.ts) } } : {}),
  }
}

function readReplies(call: SlackCall): SlackAnswer {
  const channel = visibleChannel(call)
  if (!channel) return failed('channel_not_found')
  if (!channel.isMember) return failed('not_in_channel')
  const messages = call.state.thread(channel.id, call.arguments.get('ts') ?? '')
  const [root, ...replies] = messages
  if (!root) return failed('thread_not_found')
  const page = pageOf(call, replies, call.mostObjects)
  if (typeof page === 'string') return failed(page)
  return {
    ok: true,
    messages: [root, ...page.values],
    has_more: page.next !== '',
    response_metadata: { next_cursor: page.next },
  }
}

/** Public channels, and private ones that the bot is in. */
function visibleChannel(call: SlackCall): EmulatedChannel | undefined {
  const id = call.arguments.get('channel')
  return call.state
    .channels()
    .find((channel) => channel.id === id && (!channel.isPrivate || channel.isMember))
}

function channelJson(channel: EmulatedChannel): Record<string, unknown> {
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: !channel.isPrivate,
    is_group: channel.isPrivate,
    is_private: channel.isPrivate,
    is_archived: channel.isArchived,
    is_member: channel.isMember,
    num_members: channel.members.size,
  }
}

/** Lists and histories accept a `limit` below a thousand. */
const LIST_MAX = 999
const CHANNEL_TYPES = new Set(['public_channel', 'private_channel', 'mpim', 'im'])
const TS = /^\d+(\.\d+)?$/

/** A page of a list, at most `most` long; an error code for an invalid cursor or limit. */
function pageOf<Value>(
  call: SlackCall,
  values: readonly Value[],
  most: number,
): { values: Value[]; next: string } | 'invalid_cursor' | 'invalid_limit' {
  const cursor = readCursor(call, 'offset')
  const from = Number(cursor ?? 0)
  if (cursor === null || !Number.isSafeInteger(from)) return 'invalid_cursor'
  const asked = limitOf(call)
  if (asked === null) return 'invalid_limit'
  const limit = Math.min(asked, most)
  return {
    values: values.slice(from, from + limit),
    next: from + limit < values.length ? writeCursor('offset', String(from + limit)) : '',
  }
}

/** The requested `limit`; null when Slack would refuse it. */
function limitOf(call: SlackCall): number | null {
  const limit = Number(call.arguments.get('limit') ?? 100)
  return Number.isInteger(limit) && limit >= 1 && limit <= LIST_MAX ? limit : null
}

/** Cursors are opaque: base64 of the next position, as at Slack. */
const writeCursor = (kind: string, value: string) => Buffer.from(`${kind}:${value}`).toString('base64')

/** The position in a cursor of this kind; undefined without a cursor, null for an invalid one. */
function readCursor(call: SlackCall, kind: string): string | null | undefined {
  const cursor = call.arguments.get('cursor')
  if (cursor === null || cursor === '') return undefined
  const text = Buffer.from(cursor, 'base64').toString('utf8')
  const value = text.startsWith(`${kind}:`) ? text.slice(kind.length + 1) : ''
  return /^\d+(\.\d+)?$/.test(value) && writeCursor(kind, value) === cursor ? value : null
}
