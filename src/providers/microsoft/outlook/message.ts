import { z } from 'zod'
import type { ItemMetadata, ProviderSession } from '../../adapter.ts'

const RECIPIENTS_MAX = 50
const time = z.iso.datetime({ offset: true })
const Recipient = z.object({
  emailAddress: z.object({ name: z.string().nullish(), address: z.string().nullish() }).nullish(),
})
type Recipient = z.output<typeof Recipient>

/** https://learn.microsoft.com/graph/api/resources/message */
export const Message = z.object({
  id: z.string().min(1),
  parentFolderId: z.string().nullish(),
  conversationId: z.string().nullish(),
  subject: z.string().nullish(),
  body: z.object({ contentType: z.string().nullish(), content: z.string().nullish() }).nullish(),
  from: Recipient.nullish(),
  toRecipients: z.array(Recipient).nullish(),
  ccRecipients: z.array(Recipient).nullish(),
  receivedDateTime: time.nullish(),
  isDraft: z.boolean().nullish(),
  hasAttachments: z.boolean().nullish(),
  categories: z.array(z.string()).nullish(),
  webLink: z.string().nullish(),
  internetMessageHeaders: z.array(z.object({ name: z.string() })).nullish(),
})
export type Message = z.output<typeof Message>

export const MESSAGE_FIELDS = Object.keys(Message.shape).join(',')

/** A message's immutable id is unique in its mailbox. */
export const mailItemId = ({ account }: ProviderSession, message: string): string =>
  `${account.externalAccountId}/${message}`

export const messagePath = (externalId: string): string =>
  `me/messages/${encodeURIComponent(externalId.slice(externalId.lastIndexOf('/') + 1))}`

export const titleOf = ({ subject }: Message): string => subject?.trim() || '(no subject)'

/** Whether it answers another mail (RFC 5322, 3.6.4). */
export const isAnswer = ({ internetMessageHeaders: headers }: Message): boolean =>
  (headers ?? []).some(({ name }) => /^(?:in-reply-to|references)$/i.test(name))

/** The sender's name, or the address. */
export const senderOf = ({ from }: Message): { name: string; address: string } | null => {
  const address = from?.emailAddress?.address?.trim()
  return address ? { name: from?.emailAddress?.name?.trim() || address, address } : null
}

export function metadataOf(
  message: Message,
  { mailbox, folder }: { mailbox: string; folder: string },
): ItemMetadata {
  const sender = senderOf(message)
  const to = [...(message.toRecipients ?? []), ...(message.ccRecipients ?? [])].slice(0, RECIPIENTS_MAX)
  const addresses = to.flatMap(({ emailAddress }) => emailAddress?.address || [])
  const named = to.flatMap(namedOf)
  const labels = (message.categories ?? []).toSorted()
  return {
    workspace: mailbox.split('@')[1] ?? '',
    mailbox,
    folder,
    ...(sender !== null && { sender: sender.name, senderEmail: sender.address }),
    ...(addresses.length > 0 && { recipients: addresses }),
    ...(named.length > 0 && { namedRecipients: named }),
    ...(labels.length > 0 && { labels }),
    ...(message.conversationId && { threadId: message.conversationId }),
    ...(message.webLink && { permalink: message.webLink }),
    accessPolicy: { visibility: 'private' },
  }
}

function namedOf({ emailAddress }: Recipient): string[] {
  const { name, address } = emailAddress ?? {}
  return name && address && name !== address ? [`${name} <${address}>`] : []
}
