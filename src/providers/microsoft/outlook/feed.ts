import { z } from 'zod'
import type { Feed } from '../../feed.ts'
import { ProviderError } from '../../adapter.ts'
import { storedBelow } from '../../stored-ids.ts'
import { createPositionFeed, type Step } from '../shared/position-feed.ts'
import { type Folders, folderPath } from './folders.ts'
import { mailItemId } from './message.ts'
import { type MailRun, readMail } from './read-mail.ts'

const IDS_AT_ONCE = 1_000
const Entry = z.object({ id: z.string().min(1) })

/** Where the next page of each folder's messages begins, and the folder's changes once all of it was read. */
const Position = z.object({
  folders: z.record(z.string(), z.object({ link: z.string(), isRead: z.boolean() })),
  /** Whether stored mails are compared with current ones. */
  sweep: z.boolean(),
})
type Position = z.output<typeof Position>

/**
 * A mailbox by one delta query for each folder (https://learn.microsoft.com/graph/delta-query-messages). A mail
 * reported as removed may have moved, and a mail that moved and came back is reported only as removed. So every
 * change is looked up by the mail's immutable id.
 */
export function createMailFeed(run: MailRun): Feed<null> {
  const { graph, session, folders } = run
  /** Folders whose changes this run has read. */
  const read = new Set<string>()
  let missing: string[] | undefined

  /** The next page of the first folder for which `isNext`. */
  async function folderPage(
    position: Position,
    isNext: (id: string, state: { isRead: boolean }) => boolean,
  ): Promise<Step<null>> {
    const [id, state] = Object.entries(position.folders).find(([one, its]) => isNext(one, its)) ?? []
    if (id === undefined || state === undefined) return undefined
    try {
      const { entries, next, delta } = await graph.page(state.link, Entry)
      state.link = next ?? delta ?? firstPage(id)
      if (next === null) {
        state.isRead = true
        read.add(id)
      }
      const ids = new Set(entries.map((entry) => mailItemId(session, entry.id)))
      return toLookUp([...ids])
    } catch (error) {
      forgive(position, id, error)
      return toLookUp([])
    }
  }

  /** Stored mails that no folder lists. Each is looked up, because it may have moved meanwhile. */
  async function sweepPage(position: Position): Promise<Step<null>> {
    if (!position.sweep) return undefined
    missing ??= await missingIn(run)
    const some = missing.splice(0, run.itemsPerPage)
    position.sweep = missing.length > 0
    if (!position.sweep) missing = undefined
    return toLookUp(some)
  }

  return createPositionFeed<Position, null>({
    schema: Position,
    empty: () => ({ folders: {}, sweep: false }),
    match: (position) => matchFolders(position, folders),
    crawl: (position) => folderPage(position, (_id, { isRead }) => !isRead),
    isCrawled: (position) => Object.values(position.folders).every(({ isRead }) => isRead),
    async changes(position) {
      session.signal.throwIfAborted()
      return (await folderPage(position, (id) => !read.has(id))) ?? (await sweepPage(position))
    },
    isDone: (position) => !position.sweep && Object.keys(position.folders).every((id) => read.has(id)),
    read: (externalId) => readMail(run, externalId),
  })
}

const toLookUp = (ids: readonly string[]) => ({
  listed: ids.map((externalId) => ({ externalId, entry: null })),
  gone: [],
})

/** Adds new folders; missing ones may have left stored mails behind. */
function matchFolders(position: Position, folders: Folders): void {
  for (const id of Object.keys(position.folders)) {
    if (folders.has(id)) continue
    delete position.folders[id]
    position.sweep = true
  }
  for (const id of folders.keys())
    if (!Object.hasOwn(position.folders, id)) position.folders[id] = { link: firstPage(id), isRead: false }
}

/** With an expired token, removals are not reported; nor is anything in a removed folder. */
function forgive(position: Position, id: string, error: unknown): void {
  if (!(error instanceof ProviderError)) throw error
  if (error.kind === 'cursor_expired') position.folders[id] = { link: firstPage(id), isRead: false }
  else if (error.code === '404') delete position.folders[id]
  else throw error
  position.sweep = true
}

const firstPage = (id: string): string => `${folderPath(id)}/messages/delta?$select=id`

async function missingIn(run: MailRun): Promise<string[]> {
  const { graph, session, folders } = run
  const there = new Set<string>()
  for (const id of folders.keys()) {
    const address = `${folderPath(id)}/messages?$select=id&$top=${IDS_AT_ONCE}`
    for (const message of await graph.all(address, Entry)) there.add(mailItemId(session, message.id))
  }
  return (await storedBelow(session, mailItemId(session, ''))).filter((id) => !there.has(id))
}
