import type { gmail_v1 } from '@googleapis/gmail'
import { eachBounded } from '../shared/each-bounded.ts'
import { newSyncStep, type SyncStep } from '../shared/sync-steps.ts'
import { mailItemOf } from './mail-item.ts'
import { isOutside, mailItemId, type MailRun } from './mail-run.ts'

/** Concurrent reads. A message costs 20 of a new project's 6,000 quota units a minute, so more would only wait. */
const AT_ONCE = 6

/** Messages read between two checks of how much text is in memory. */
const CHUNK = 24
/** Characters of text held before a batch is yielded, so that a page of huge mails does not fill the memory. */
const MOST_HELD = 8_000_000

/** The result of a batch; `again` holds message ids. */
export interface ReadMails extends SyncStep {
  /** Ids of messages that need no retry. */
  settled: string[]
}

/** Reads messages and yields a batch once it holds much text; the last has `isLast`. @throws what ends the run */
export async function* readMailBatches(
  run: MailRun,
  ids: readonly string[],
): AsyncGenerator<{ read: ReadMails; isLast: boolean }> {
  let read = noMails()
  for (let start = 0; start < ids.length; start += CHUNK) {
    await readMails(run, ids.slice(start, start + CHUNK), read)
    const held = read.upserts.reduce((sum, { body }) => sum + body.length, 0)
    if (held < MOST_HELD || start + CHUNK >= ids.length) continue
    yield { read, isLast: false }
    read = noMails()
  }
  yield { read, isLast: true }
}

const noMails = (): ReadMails => ({ ...newSyncStep(), settled: [] })

/** Reads several messages concurrently into a step. One that is gone, in trash or spam is a deletion. @throws what ends the run */
export async function readMails(run: MailRun, ids: readonly string[], read = noMails()): Promise<ReadMails> {
  await eachBounded(ids, AT_ONCE, async (id) => {
    const externalId = mailItemId(run.session, id)
    try {
      const message = await getMessage(run, id)
      run.failures.succeeded()
      let isWhole = true
      if (isOutside(message.labelIds)) read.deletions.push(externalId)
      else {
        const { item, unread, skipped, again } = await mailItemOf(run, { ...message, id })
        read.upserts.push(item)
        for (const failure of unread) read.failures.push(failure)
        for (const skip of skipped) read.skipped.push(skip)
        isWhole = !again
      }
      if (isWhole) read.settled.push(id)
      else read.again.push(id)
    } catch (error) {
      run.session.signal.throwIfAborted()
      const { verdict, failure } = await run.failures.judge(externalId, error)
      if (verdict === 'gone') read.deletions.push(externalId)
      else read.failures.push(failure)
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
