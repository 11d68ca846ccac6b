import type { LimitFunction } from 'p-limit'
import type { TextExtractor } from '../../../file-text/index.ts'
import type { ProviderSession } from '../../adapter.ts'
import type { GoogleApi } from '../shared/calls.ts'

/** Shared by all steps of one run. */
export interface MailRun {
  session: ProviderSession
  api: GoogleApi
  extractor: TextExtractor
  /** Label names by id, requested once on first use. */
  labelNames(): Promise<ReadonlyMap<string, string>>
  /** Allows one attachment in memory at a time: only attachments are large. */
  oneAttachment: LimitFunction
}

/** Mails with one of these labels are not indexed: trash, spam, unsent or chats. */
const OUTSIDE = new Set(['TRASH', 'SPAM', 'DRAFT', 'CHAT'])
// Labels that change with every read, or that Google guesses; nobody searches by them.
const VOLATILE = /^(?:UNREAD|IMPORTANT|CATEGORY_.*)$/

export const isOutside = (labelIds: readonly string[] | null | undefined) =>
  labelIds?.some((label) => OUTSIDE.has(label)) ?? false
export const isVolatile = (labelId: string) => VOLATILE.test(labelId)

/** Message ids are unique only within a mailbox, so the item id includes the mailbox. */
export const mailItemId = (session: ProviderSession, messageId: string) =>
  `${session.account.externalAccountId}/${messageId}`
