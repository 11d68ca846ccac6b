import type { gmail_v1 } from '@googleapis/gmail'
import type { ItemFailure, ProviderItem } from '../../provider.ts'
import { mapBounded } from '../google/map-bounded.ts'
import { mailItemOf } from './mail-item.ts'
import { isOutside, mailItemId, type MailRun } from './mail-run.ts'

/** Messages read at once: a message takes 20 of a new project's 6,000 quota units a minute, so more would only wait. */
const AT_ONCE = 6

/** What became of a batch of messages. */
export interface ReadMails {
  upserts: ProviderItem[]
  deletions: string[]
  failures: ItemFailure[]
  /** Message ids to try again by the next run. */
  again: string[]
  /** Message ids that need no other try. */
  settled: string[]
}

/**
 * Reads messages, a few at once, as they are now: one that is gone, in the trash or spam is a deletion. `format=full` rather
 * than `raw`: it costs the same quota and leaves pictures and other attachments where they are. Throws only what ends the run.
 */
export async function readMails(run: MailRun, ids: readonly string[]): Promise<ReadMails> {
  const read: ReadMails = { upserts: [], deletions: [], failures: [], again: [], settled: [] }
  await mapBounded(ids, AT_ONCE, async (id) => {
    const externalId = mailItemId(run.session, id)
    try {
      const message = await getMessage(run, id)
      if (isOutside(message.labelIds)) read.deletions.push(externalId)
      else {
        const { item, unread } = await mailItemOf(run, { ...message, id })
        read.upserts.push(item)
        for (const what of unread) read.failures.push({ externalId, message: what })
      }
      run.failures.succeeded()
      read.settled.push(id)
    } catch (error) {
      run.session.signal.throwIfAborted()
      const { verdict, message } = await run.failures.judge(error)
      if (verdict === 'gone') read.deletions.push(externalId)
      else read.failures.push({ externalId, message })
      if (verdict === 'again') read.again.push(id)
      else read.settled.push(id)
    }
  })
  return read
}

async function getMessage(run: MailRun, id: string): Promise<gmail_v1.Schema$Message> {
  const maxContentLength = Math.ceil(run.session.limits.maxDownloadBytes * 1.4)
  return await run.call((options) =>
    run.api.users.messages.get({ userId: 'me', id, format: 'full' }, { ...options, maxContentLength }),
  )
}
