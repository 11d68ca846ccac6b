import type { gmail_v1 } from '@googleapis/gmail'
import { ProviderError } from '../../adapter.ts'
import { GoogleError } from '../shared/error.ts'
import type { GmailCursor } from './cursor.ts'
import { isOutside, isVolatile, mailItemId, type MailRun } from './mail-run.ts'
import { readMailBatches, type ReadMails } from './mail-reader.ts'

const PAGE_SIZE = 100

/** Reads the history from `state.historyId` and advances it. @throws `cursor_expired` when Gmail no longer has it */
export async function* changesSince(run: MailRun, state: GmailCursor): AsyncGenerator<ReadMails> {
  for (;;) {
    const page = await historyPage(run, state)
    const { gone, changed } = verdictsOf(page.history ?? [])
    // The next run rereads what happens while pages are read, so nothing is missed.
    const nextHistoryId = state.history?.nextHistoryId ?? page.historyId ?? state.historyId
    const discovered = gone.length + changed.length
    for await (const { read, isLast } of readMailBatches(run, changed)) {
      if (!isLast) {
        yield { ...read, discovered: 0 }
        continue
      }
      moveOn(state, page.nextPageToken, nextHistoryId)
      const deletions = [...read.deletions, ...gone.map((id) => mailItemId(run.session, id))]
      if (discovered > 0) yield { ...read, deletions, settled: [...read.settled, ...gone], discovered }
    }
    if (!page.nextPageToken) return
  }
}

function moveOn(state: GmailCursor, pageToken: string | null | undefined, nextHistoryId: string): void {
  state.history = pageToken ? { pageToken, nextHistoryId } : null
  if (!pageToken) state.historyId = nextHistoryId
}

async function historyPage(run: MailRun, state: GmailCursor): Promise<gmail_v1.Schema$ListHistoryResponse> {
  const params = {
    userId: 'me',
    startHistoryId: state.historyId,
    maxResults: PAGE_SIZE,
    ...(state.history === null ? {} : { pageToken: state.history.pageToken }),
  }
  try {
    return await run.call((options) => run.api.users.history.list(params, options))
  } catch (error) {
    if (!(error instanceof GoogleError)) throw error
    if (error.status === 404) {
      throw new ProviderError('cursor_expired', error.message, { code: '404', cause: error })
    }
    // The page token comes from a run that died long ago; the history itself still exists.
    if (error.status !== 400 || state.history === null) throw error
    state.history = null
    return await historyPage(run, state)
  }
}

/** Which messages of a history page are gone and which must be read again. The last record for a message wins. */
function verdictsOf(records: readonly gmail_v1.Schema$History[]): { gone: string[]; changed: string[] } {
  const verdicts = new Map<string, 'gone' | 'changed'>()
  const note = (message: gmail_v1.Schema$Message | undefined, verdict: 'gone' | 'changed') => {
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
