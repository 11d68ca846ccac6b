import { z } from 'zod'
import { parseJson } from '../../../kernel/parse-json.ts'
import type { Channel } from './channels.ts'

const time = z.iso.datetime({ offset: true })
const Named = z.object({ displayName: z.string().nullish() }).nullish()

const Attachment = z.object({
  name: z.string().nullish(),
  contentType: z.string().nullish().catch(null),
  /** JSON, by `contentType`. */
  content: z.string().nullish().catch(null),
})

/** https://learn.microsoft.com/graph/api/resources/chatmessageattachment */
const Forwarded = z.object({
  originalMessageContent: z.string(),
  originalMessageSender: z.object({ user: Named, application: Named }).partial().nullish().catch(null),
})

/** https://learn.microsoft.com/graph/api/resources/chatmessage */
export const Message = z.object({
  id: z.string().min(1),
  messageType: z.string().nullish(),
  createdDateTime: time,
  lastEditedDateTime: time.nullish(),
  deletedDateTime: z.string().nullish(),
  subject: z.string().nullish(),
  body: z.object({ contentType: z.string().nullish(), content: z.string().nullish() }).nullish(),
  from: z.object({ user: Named, application: Named }).nullish(),
  attachments: z.array(Attachment).nullish(),
  policyViolation: z.object({ dlpAction: z.string().nullish() }).nullish(),
  webUrl: z.string().nullish(),
})
export type Message = z.output<typeof Message>

/** A message with its replies, as returned in lists. */
export const Thread = Message.extend({
  // A reply in an unknown format must not fail the thread.
  replies: z.array(Message.nullable().catch(null)).nullish(),
  'replies@odata.nextLink': z.string().nullish(),
})
export type Thread = z.output<typeof Thread>

/** The id of a thread's item: message ids are unique in a channel. */
export const threadItemId = (channel: string, message: string): string => `${channel}/${message}`

export function partsOf(externalId: string): { channel: string; message: string } {
  const at = externalId.indexOf('/')
  return { channel: externalId.slice(0, at), message: externalId.slice(at + 1) }
}

/** Whether people can read it: it is not an event, not deleted, and not blocked by a data loss prevention policy. */
export const isContent = ({ messageType, deletedDateTime, policyViolation }: Message): boolean =>
  messageType === 'message' && !deletedDateTime && !/blockAccess/i.test(policyViolation?.dlpAction ?? '')

export const authorOf = ({ from }: Message): string =>
  from?.user?.displayName || from?.application?.displayName || 'unknown'

export const filesOf = ({ attachments }: Message): string[] =>
  (attachments ?? []).flatMap(({ name }) => name || [])

/** The messages that a message forwards: its own text does not repeat them. */
export const forwardedIn = ({ attachments }: Message): { author: string | null; html: string }[] =>
  (attachments ?? []).flatMap(({ contentType, content }) => {
    if (contentType !== 'forwardedMessageReference') return []
    const { data } = Forwarded.safeParse(parseJson(content ?? ''))
    if (data === undefined) return []
    const { user, application } = data.originalMessageSender ?? {}
    return {
      author: user?.displayName || application?.displayName || null,
      html: data.originalMessageContent,
    }
  })

export const changedAt = ({ createdDateTime, lastEditedDateTime: edited }: Message): Date =>
  new Date(edited ?? createdDateTime)

export const channelFields = ({ id, name, team }: Channel) => ({
  team: team.name,
  teamId: team.id,
  channel: name,
  channelId: id,
})
