import { z } from 'zod'
import type { Feed, Listed } from '../../feed.ts'
import { ProviderError } from '../../adapter.ts'
import { parseCursor } from '../../run-state.ts'
import { GoogleError } from '../shared/error.ts'
import { readMail } from './mail-item.ts'
import { isOutside, isVolatile, mailItemId, type MailRun } from './mail-run.ts'

const PAGE_SIZE = 50

/** Where the history is read from. `page`: the next page of a half-read one, and where the following round begins. */
const Position = z.object({
  historyId: z.string(),
  page: z.object({ token: z.string(), nextHistoryId: z.string() }).nullable(),
})
type Position = z.output<typeof Position>

const PageToken = z.string().nullable()

/** https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/list */
const MessageList = z.object({
  messages: z.array(z.object({ id: z.string().nullish() })).nullish(),
  nextPageToken: z.string().nullish(),
})

/** A message whose labels are in an unknown format is read, which reports its fault. */
const Labels = z.array(z.string()).nullish().catch(null)
const Changed = z.object({
  message: z.object({ id: z.string().nullish(), labelIds: Labels }).nullish(),
  labelIds: Labels,
})
type Changed = z.output<typeof Changed>

/** https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.history/list */
const History = z.object({
  messagesAdded: z.array(Changed).nullish(),
  labelsAdded: z.array(Changed).nullish(),
  labelsRemoved: z.array(Changed).nullish(),
  messagesDeleted: z.array(Changed).nullish(),
})
const HistoryList = z.object({
  history: z.array(History).nullish(),
  historyId: z.string().nullish(),
  nextPageToken: z.string().nullish(),
})

const Profile = z.object({ historyId: z.string().min(1) })

/** A mailbox as the list of its messages, newest first, and its history. */
export function createMailFeed(run: MailRun): Feed<null> {
  return {
    async start(): Promise<Position> {
      const { historyId } = await run.api.get('profile', {}, Profile)
      return { historyId, page: null }
    },
    async list(after) {
      const { messages, nextPageToken } = await messagePage(run, parseCursor(after, PageToken))
      const listed = toRead(
        run,
        (messages ?? []).flatMap(({ id }) => id ?? []),
      )
      return { listed, next: nextPageToken ?? null, isLast: !nextPageToken }
    },
    async changes(since) {
      const position = parseCursor(since, Position)
      const { history, historyId, nextPageToken } = await historyPage(run, position)
      const { gone, changed } = verdictsOf(history ?? [])
      // The next round rereads what happens while pages are read, so nothing is missed.
      const nextHistoryId = position.page?.nextHistoryId ?? historyId ?? position.historyId
      const next: Position = nextPageToken
        ? { historyId: position.historyId, page: { token: nextPageToken, nextHistoryId } }
        : { historyId: nextHistoryId, page: null }
      return {
        listed: toRead(run, changed),
        gone: gone.map((id) => mailItemId(run.session, id)),
        next,
        isLast: !nextPageToken,
      }
    },
    read: (externalId) => readMail(run, externalId),
  }
}

const toRead = ({ session }: MailRun, ids: readonly string[]): Listed<null>[] =>
  ids.map((id) => ({ externalId: mailItemId(session, id), entry: null }))

async function messagePage(run: MailRun, pageToken: string | null): Promise<z.output<typeof MessageList>> {
  const params = {
    maxResults: PAGE_SIZE,
    includeSpamTrash: false,
    q: '-in:drafts -in:chats',
    ...(pageToken !== null && { pageToken }),
  }
  try {
    return await run.api.get('messages', params, MessageList)
  } catch (error) {
    // Page tokens expire. Listing again from the start stores nothing twice.
    if (pageToken === null || !(error instanceof GoogleError) || error.status !== 400) throw error
    return await messagePage(run, null)
  }
}

/** @throws ProviderError `cursor_expired` when Gmail no longer has the history */
async function historyPage(
  run: MailRun,
  { historyId, page }: Position,
): Promise<z.output<typeof HistoryList>> {
  const params = {
    startHistoryId: historyId,
    maxResults: PAGE_SIZE,
    ...(page !== null && { pageToken: page.token }),
  }
  try {
    return await run.api.get('history', params, HistoryList)
  } catch (error) {
    if (!(error instanceof GoogleError)) throw error
    if (error.status === 404)
      throw new ProviderError('cursor_expired', error.message, { code: '404', cause: error })
    // The page token comes from a run that died long ago; the history itself still exists.
    if (error.status !== 400 || page === null) throw error
    return await historyPage(run, { historyId, page: null })
  }
}

/** Which messages of a history page are gone and which must be read again. The last record for a message wins. */
function verdictsOf(records: readonly z.output<typeof History>[]): { gone: string[]; changed: string[] } {
  const verdicts = new Map<string, 'gone' | 'changed'>()
  const note = (message: Changed['message'], verdict: 'gone' | 'changed') => {
    if (message?.id) verdicts.set(message.id, verdict)
  }
  for (const record of records) {
    for (const { message } of record.messagesAdded ?? []) {
      // Spam, and each save of a draft, are not worth the quota of a read.
      note(message, isOutside(message?.labelIds) ? 'gone' : 'changed')
    }
    for (const { message, labelIds } of record.labelsAdded ?? []) {
      if (isOutside(labelIds)) note(message, 'gone')
      else if (!labelIds?.every(isVolatile)) note(message, 'changed')
    }
    for (const { message, labelIds } of record.labelsRemoved ?? []) {
      if (!labelIds?.every(isVolatile)) note(message, 'changed')
    }
    for (const { message } of record.messagesDeleted ?? []) note(message, 'gone')
  }
  const ids = (wanted: 'gone' | 'changed') =>
    [...verdicts].filter(([, verdict]) => verdict === wanted).map(([id]) => id)
  return { gone: ids('gone'), changed: ids('changed') }
}
