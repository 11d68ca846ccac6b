import type { gmail_v1 } from '@googleapis/gmail'
import { GoogleError } from '../shared/error.ts'
import type { GmailCursor } from './cursor.ts'
import { readMailBatches, type ReadMails } from './mail-reader.ts'
import type { MailRun } from './mail-run.ts'

const PAGE_SIZE = 100

/** Lists the mailbox, newest first, and reads every message. Sets `state.crawl` to null after the last message. */
export async function* crawlMailbox(run: MailRun, state: GmailCursor): AsyncGenerator<ReadMails> {
  while (state.crawl !== null) {
    const { name, pageToken, listed } = state.crawl
    if (listed) {
      state.crawl = null
      return
    }
    const page = await listPage(run, pageToken)
    const ids = (page.messages ?? []).flatMap(({ id }) => (id ? [id] : []))
    for await (const { read, isLast } of readMailBatches(run, ids)) {
      if (isLast) state.crawl = { name, pageToken: page.nextPageToken ?? null, listed: !page.nextPageToken }
      yield { ...read, discovered: isLast ? ids.length : 0 }
    }
  }
}

async function listPage(
  run: MailRun,
  pageToken: string | null,
): Promise<gmail_v1.Schema$ListMessagesResponse> {
  const params = {
    userId: 'me',
    maxResults: PAGE_SIZE,
    includeSpamTrash: false,
    q: '-in:drafts -in:chats',
    ...(pageToken === null ? {} : { pageToken }),
  }
  try {
    return await run.call((options) => run.api.users.messages.list(params, options))
  } catch (error) {
    // Page tokens expire. Listing again from the start stores nothing twice.
    if (pageToken === null || !(error instanceof GoogleError) || error.status !== 400) throw error
    return await listPage(run, null)
  }
}
