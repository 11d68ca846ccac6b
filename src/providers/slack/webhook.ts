import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import type { WebhookEvent, WebhookRequest } from '../provider.ts'
import type { SlackHint } from './hints.ts'
import { isStorable } from '../../kernel/text.ts'
import { isSystemSubtype } from './reading/messages.ts'
import { validate } from '../../kernel/validate.ts'

const LARGEST_AGE_SECONDS = 300

/** Whether Slack signed a request within five minutes (docs.slack.dev/authentication/verifying-requests-from-slack). */
export function verifySlackSignature(input: {
  signingSecret: string
  timestamp: string | undefined
  signature: string | undefined
  rawBody: string | Uint8Array
  now: Date
}): boolean {
  const { timestamp, signature } = input
  if (timestamp === undefined || signature === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(input.now.getTime() / 1000 - Number(timestamp)) > LARGEST_AGE_SECONDS) return false
  const expected = Buffer.from(signSlackBody(input.signingSecret, timestamp, input.rawBody))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** The `X-Slack-Signature` of a body sent at a time (seconds since the epoch, as text). */
export function signSlackBody(
  signingSecret: string,
  timestamp: string,
  rawBody: string | Uint8Array,
): string {
  const hmac = createHmac('sha256', signingSecret).update(`v0:${timestamp}:`).update(rawBody)
  return `v0=${hmac.digest('hex')}`
}

/** Verifies and parses a request of the Events API, for every source of its workspace. @throws AppError */
export function readSlackRequest(
  { headers, rawBody }: WebhookRequest,
  signingSecret: string | undefined,
  now: Date,
): WebhookEvent {
  if (signingSecret === undefined)
    throw new AppError('not_configured', "Slack's events need SLACK_SIGNING_SECRET")
  const timestamp = single(headers['x-slack-request-timestamp'])
  const signature = single(headers['x-slack-signature'])
  if (!verifySlackSignature({ timestamp, signature, rawBody, signingSecret, now }))
    throw new AppError('unauthenticated', 'The request has no valid Slack signature from the last 5 minutes')
  return readSlackEvent(parseJson(rawBody))
}

function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function parseJson(rawBody: Buffer): unknown {
  try {
    return JSON.parse(rawBody.toString('utf8'))
  } catch (error) {
    throw new AppError('malformed_json', 'The body is not JSON', { cause: error })
  }
}

/** Slack's ids and timestamps are far shorter. Rejects text that PostgreSQL cannot store. */
const id = z.string().max(255).refine(isStorable, 'must not hold NUL or lone surrogates')

const innerEvent = z.looseObject({ type: z.string() })

const envelope = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('url_verification'), challenge: z.string() }),
  z.looseObject({
    type: z.literal('event_callback'),
    team_id: id,
    event_id: id,
    event: innerEvent,
    /** An installation that the event is for. In a channel shared by companies, `team_id` may be the sender's. */
    authorizations: z
      .array(z.looseObject({ team_id: id.nullish() }))
      .optional()
      .catch(undefined),
  }),
  z.looseObject({ type: z.literal('app_rate_limited'), team_id: z.string() }),
])

const userChange = z.looseObject({
  user: z.looseObject({
    deleted: z.boolean().optional(),
    is_restricted: z.boolean().optional(),
    is_ultra_restricted: z.boolean().optional(),
  }),
})

const messageRef = z.looseObject({
  ts: id,
  thread_ts: id.optional(),
  subtype: z.string().optional(),
})

const messageEvent = z.looseObject({
  type: z.literal('message'),
  subtype: z.string().optional(),
  channel: id,
  ts: id.optional(),
  thread_ts: id.optional(),
  message: messageRef.optional(),
  previous_message: messageRef.optional(),
  deleted_ts: id.optional(),
})

/** Events that require a new channel list: created, renamed, deleted, or the bot joined or left. */
const CHANNEL_EVENTS = new Set([
  'channel_created',
  'channel_deleted',
  'channel_rename',
  'channel_archive',
  'channel_unarchive',
  'channel_left',
  'channel_id_changed',
  'channel_shared',
  'channel_unshared',
  'group_deleted',
  'group_rename',
  'group_archive',
  'group_unarchive',
  'group_left',
  'member_joined_channel',
])

/**
 * Parses a request of the Events API (docs.slack.dev/apis/events-api). Slack sends an event up to four times.
 * @throws AppError `validation_failed`
 */
export function readSlackEvent(body: unknown): WebhookEvent {
  const request = validate(envelope, body, 'body')
  if (request.type === 'url_verification') return { kind: 'challenge', challenge: request.challenge }
  if (request.type === 'app_rate_limited') return { kind: 'ignored', reason: 'app_rate_limited' }
  const { event_id: eventId, event } = request
  const accountId = request.authorizations?.[0]?.team_id ?? request.team_id
  if (event.type === 'app_uninstalled')
    return { kind: 'disconnected', accountId, eventId, reason: event.type }
  if (event.type === 'tokens_revoked') return readRevocation(accountId, eventId, event)
  if (isOfPeople(event)) return { kind: 'permissions', accountId, eventId }
  if (CHANNEL_EVENTS.has(event.type) || isConversion(event)) {
    const hints: SlackHint[] = [{ kind: 'channels' }]
    return { kind: 'changed', accountId, eventId, hints, changesPermissions: true }
  }
  if (event.type !== 'message') return { kind: 'ignored', reason: event.type }
  const hint = messageHint(event)
  if (hint === null) return { kind: 'ignored', reason: 'not content' }
  return { kind: 'changed', accountId, eventId, hints: [hint] }
}

/** Whether a channel became private or public. */
const isConversion = ({ type, subtype }: z.output<typeof innerEvent>): boolean =>
  type === 'message' && typeof subtype === 'string' && subtype.startsWith('channel_convert_to_')

/** Whether a user joined or left, or became a guest. Other changes of users wait for a poll. */
function isOfPeople(event: z.output<typeof innerEvent>): boolean {
  if (event.type === 'member_left_channel' || event.type === 'team_join') return true
  if (event.type !== 'user_change') return false
  const change = userChange.safeParse(event)
  if (!change.success) return false
  const { deleted, is_restricted, is_ultra_restricted } = change.data.user
  return deleted === true || is_restricted === true || is_ultra_restricted === true
}

/** Only the bot's own tokens matter: `tokens.oauth` are users' tokens. */
function readRevocation(accountId: string, eventId: string, event: unknown): WebhookEvent {
  const tokens = z
    .looseObject({ tokens: z.looseObject({ bot: z.array(z.string()).optional() }) })
    .safeParse(event)
  const bots = tokens.success ? (tokens.data.tokens.bot ?? []) : []
  if (bots.length === 0) return { kind: 'ignored', reason: 'no bot token revoked' }
  return { kind: 'disconnected', accountId, eventId, reason: 'tokens_revoked' }
}

function messageHint(event: unknown): SlackHint | null {
  const parsed = messageEvent.safeParse(event)
  if (!parsed.success || isSystemSubtype(parsed.data.subtype)) return null
  const {
    channel,
    message,
    previous_message: previous,
    deleted_ts: deleted,
    ts,
    thread_ts: thread,
  } = parsed.data
  const touched = message?.ts ?? deleted ?? previous?.ts ?? ts
  if (touched === undefined || isSystemSubtype(message?.subtype ?? previous?.subtype)) return null
  const threadTs = message?.thread_ts ?? previous?.thread_ts ?? thread
  return { kind: 'message', channel, ts: touched, ...(threadTs === undefined ? {} : { threadTs }) }
}
