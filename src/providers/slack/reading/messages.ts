import { z } from 'zod'
import { escaped, shownText } from './block-kit.ts'

/** A field of an unexpected type is dropped: one odd message must not cost its channel. */
const text = z.string().optional().catch(undefined)

interface Attachment {
  title?: string | undefined
  text?: string | undefined
  fallback?: string | undefined
  /** The message that it repeats. */
  repeats?: { channelId: string; url: string } | undefined
}

const flag = z.boolean().optional().catch(undefined)
const CHANNEL_IN_URL = /\/archives\/(\w{1,40})\//

const attachmentSchema = z
  .object({
    title: text,
    text,
    fallback: text,
    pretext: text,
    fields: z.array(z.object({ title: text, value: text }).nullable()).catch([]),
    blocks: z.unknown().optional(),
    author_name: text,
    from_url: text,
    channel_id: text,
    is_msg_unfurl: flag,
    is_share: flag,
  })
  .transform(({ title, text: own, fallback, pretext, fields, blocks, ...source }): Attachment => {
    const { author_name: author, from_url: url = '[a message]', channel_id: channel } = source
    const isRepeated = source.is_msg_unfurl === true || source.is_share === true
    const channelId = channel ?? CHANNEL_IN_URL.exec(url)?.[1] ?? ''
    const facts = fields.map((field) => [field?.title, field?.value].filter(Boolean).join(': '))
    const all = [pretext, shownText(own, blocks), ...facts].filter(Boolean).join('\n')
    const shown = { title, text: all === '' ? undefined : all, fallback }
    return isRepeated ? { ...shown, title: title ?? author, repeats: { channelId, url } } : shown
  })

const messageSchema = z.object({
  ts: z.string(),
  subtype: text,
  user: text,
  username: text,
  bot_id: text,
  bot_profile: z.object({ name: text }).optional().catch(undefined),
  text,
  thread_ts: text,
  reply_count: z.number().optional().catch(undefined),
  latest_reply: text,
  edited: z.object({ ts: text }).optional().catch(undefined),
  hidden: z.boolean().optional().catch(undefined),
  files: z
    .array(z.object({ title: text, name: text }))
    .optional()
    .catch(undefined),
  attachments: z.array(attachmentSchema).optional().catch(undefined),
  blocks: z.unknown().optional(),
})

/** A message's fields under Slack's names. `ts` is its id: always 17 characters, so it sorts as text. */
export type SlackMessage = Omit<z.infer<typeof messageSchema>, 'blocks'>

/** Subtypes of system events, which are not content; their cleanup removes items with them. */
export const SLACK_SYSTEM_SUBTYPES = [
  'channel_join',
  'channel_leave',
  'channel_archive',
  'channel_unarchive',
  'channel_name',
  'channel_topic',
  'channel_purpose',
  'group_join',
  'group_leave',
  'group_archive',
  'group_unarchive',
  'group_name',
  'group_topic',
  'group_purpose',
  'channel_convert_to_private',
  'channel_convert_to_public',
  'pinned_item',
  'unpinned_item',
  'ekm_access_denied',
  'channel_posting_permissions',
  'bot_add',
  'bot_remove',
  'reminder_add',
] as const

const SYSTEM_SUBTYPES: ReadonlySet<string> = new Set(SLACK_SYSTEM_SUBTYPES)

export function isSystemSubtype(subtype: string | null | undefined): boolean {
  return subtype !== null && subtype !== undefined && SYSTEM_SUBTYPES.has(subtype)
}

export function readMessages(messages: readonly unknown[] | undefined): SlackMessage[] {
  return (messages ?? []).flatMap((message) => {
    const read = messageSchema.safeParse(message)
    if (!read.success) return []
    const { blocks, ...fields } = read.data
    return [blocks === undefined ? fields : { ...fields, text: shownText(fields.text, blocks) }]
  })
}

/** Whether a message has content: not a system event, not hidden, not the `tombstone` of a deleted root. */
export const isContent = (message: SlackMessage): boolean =>
  !isSystemSubtype(message.subtype) &&
  message.hidden !== true &&
  message.subtype !== 'tombstone' &&
  shownParts(message).length > 0

/**
 * A message's own text, its attachments and the names of its files, in mrkdwn. A message of a channel that not every
 * reader may open appears as its link only.
 */
export function shownParts(
  { text: own = '', attachments = [], files = [] }: SlackMessage,
  isOpen: (channelId: string) => boolean = () => true,
): string[] {
  const names = files.flatMap((file) => file.title?.trim() || file.name?.trim() || [])
  return [
    own,
    ...attachments.map(({ title, text: shown, fallback, repeats }) =>
      repeats && !isOpen(repeats.channelId)
        ? repeats.url
        : [title, shown ?? fallback].filter(Boolean).join(': '),
    ),
    ...names.map((name) => `[file: ${escaped(name)}]`),
  ].filter((part) => part.trim() !== '')
}

export function isThreadRoot(message: SlackMessage): boolean {
  return (
    (message.reply_count ?? 0) > 0 && (message.thread_ts === undefined || message.thread_ts === message.ts)
  )
}

/** Whether a message is a reply, including one also shown in the channel (`thread_broadcast`). */
export function isReply(message: SlackMessage): boolean {
  return message.thread_ts !== undefined && message.thread_ts !== message.ts
}

const HOUR_SECONDS = 3600

/** The hour of a `ts`, in hours since the epoch. */
export const hourOf = (ts: string): number => Math.floor(Number(ts) / HOUR_SECONDS)

/** The `ts` at which an hour begins. */
export const tsOfHour = (hour: number): string => toTs(hour * HOUR_SECONDS)

/** The start of a message's clock hour (UTC), as a `ts`. Conversations lie within these blocks. */
export const blockStart = (ts: string): string => tsOfHour(hourOf(ts))
export const blockEnd = (ts: string): string => tsOfHour(hourOf(ts) + 1)

/** Whether a `ts` is the start of a block. */
export const isOnTheHour = (ts: string): boolean => ts === blockStart(ts)

/** Seconds since the epoch as a `ts`; never below 0. */
export function toTs(seconds: number): string {
  return `${String(Math.max(0, Math.floor(seconds))).padStart(10, '0')}.000000`
}

/** The `ts` one microsecond before; with it Slack's `latest` and `oldest` need no `inclusive`. */
export function tsBefore(ts: string): string {
  const [seconds = '0', micros = '0'] = ts.split('.')
  if (Number(micros) > 0) return `${seconds}.${String(Number(micros) - 1).padStart(6, '0')}`
  return `${String(Math.max(0, Number(seconds) - 1)).padStart(10, '0')}.999999`
}

/** The time of a `ts`, to the millisecond. */
export function tsDate(ts: string): Date {
  return new Date(Math.floor(Number(ts) * 1000))
}
