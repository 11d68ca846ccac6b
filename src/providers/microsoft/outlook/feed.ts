import { z } from 'zod'
import type { Feed } from '../../feed.ts'
import { ProviderError } from '../../adapter.ts'
import { storedBelow } from '../../stored-ids.ts'
import { createPositionFeed, NOTHING, type Step } from '../shared/position-feed.ts'
import { type Folders, folderPath } from './folders.ts'
import { mailItemId } from './message.ts'
import { type MailRun, readMail } from './read-mail.ts'

const IDS_AT_ONCE = 1_000
const Entry = z.object({ id: z.string().min(1) })

/** Where the next page of a folder's messages begins, and the folder's changes once all of it was read. */
const Folder = z.object({ link: z.string(), isRead: z.boolean() })
type Folder = z.output<typeof Folder>

const Position = z.object({
  folders: z.record(z.string(), Folder),
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
  let missing: string[] | undefined

  async function nextPage(position: Position, id: string, folder: Folder): Promise<Step<null>> {
    try {
      const { entries, next, delta } = await graph.page(folder.link, Entry)
      folder.link = next ?? delta ?? firstPage(id)
      if (next === null) folder.isRead = true
      const ids = new Set(entries.map((entry) => mailItemId(session, entry.id)))
      return { ...toLookUp([...ids]), isRead: next === null }
    } catch (error) {
      forgive(position, id, error)
      return NOTHING
    }
  }

  return createPositionFeed<Position, Folder, null>({
    schema: Position,
    empty: () => ({ folders: {}, sweep: false }),
    match: (position) => matchFolders(position, folders),
    partsIn: (position) => position.folders,
    isCrawled: ({ isRead }) => isRead,
    crawl: nextPage,
    changes: nextPage,
    /** Stored mails that no folder lists. Each is looked up, because it may have moved meanwhile. */
    async survey(position) {
      if (!position.sweep) return undefined
      missing ??= await missingIn(run)
      const some = missing.splice(0, run.itemsPerPage)
      position.sweep = missing.length > 0
      if (!position.sweep) missing = undefined
      return toLookUp(some)
    },
    isSurveyed: ({ sweep }) => !sweep,
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
