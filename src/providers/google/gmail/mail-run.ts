import type { gmail_v1 } from '@googleapis/gmail'
import type { LimitFunction } from 'p-limit'
import type { TextExtractor } from '../../../file-text/index.ts'
import type { ProviderSession } from '../../provider.ts'
import type { GoogleCalls } from '../shared/calls.ts'
import type { ItemFailures } from '../shared/item-failures.ts'

/** Everything the steps of one run share. */
export interface MailRun {
  session: ProviderSession
  api: gmail_v1.Gmail
  call: GoogleCalls
  extractor: TextExtractor
  failures: ItemFailures
  /** Names of labels by id, asked once when first needed. */
  labelNames(): Promise<ReadonlyMap<string, string>>
  /** Lets one attachment be held at a time: they are the only large things a mailbox has. */
  oneAttachment: LimitFunction
}

/** Mails with one of these are not in the index: thrown away, spam, not sent yet, or no mail. */
const OUTSIDE = new Set(['TRASH', 'SPAM', 'DRAFT', 'CHAT'])
// Labels that come and go with every look at a mail, or that Google guesses; nobody searches by them.
const VOLATILE = /^(?:UNREAD|IMPORTANT|CATEGORY_.*)$/

export const isOutside = (labelIds: readonly string[] | null | undefined) =>
  labelIds?.some((label) => OUTSIDE.has(label)) ?? false
export const isVolatile = (labelId: string) => VOLATILE.test(labelId)

/** Message ids are unique in a mailbox only, so the mailbox is part of the item's id. */
export const mailItemId = (session: ProviderSession, messageId: string) =>
  `${session.account.externalAccountId}/${messageId}`
