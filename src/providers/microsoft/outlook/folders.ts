import { z } from 'zod'
import { ProviderError } from '../../adapter.ts'
import type { Graph } from '../shared/graph.ts'

const FOLDERS_MAX = 5_000
const FIELDS = '$select=id,displayName,childFolderCount&$top=100'
const SEARCH_FOLDER = '#microsoft.graph.mailSearchFolder'

/** Folders that are not read: deleted, junk and unsent mail, chats, and sync failures. */
const OUTSIDE = ['deleteditems', 'junkemail', 'drafts', 'outbox', 'conversationhistory', 'syncissues']

const Folder = z.object({
  '@odata.type': z.string().optional(),
  id: z.string().min(1),
  displayName: z.string().nullish(),
  childFolderCount: z.number().nullish(),
})
type Folder = z.output<typeof Folder>
const Named = z.object({ id: z.string().min(1) })

/** The paths of the folders that are read, by id. */
export type Folders = ReadonlyMap<string, string>

/**
 * The mailbox's folders; each level is a separate list (https://learn.microsoft.com/graph/api/user-list-mailfolders).
 * A search folder holds mails of others.
 */
export async function listFolders(graph: Graph): Promise<Folders> {
  const outside = new Set<string>()
  for (const name of OUTSIDE) {
    const folder = await graph.find(`me/mailFolders/${name}?$select=id`, Named)
    if (folder !== null) outside.add(folder.id)
  }
  const folders = new Map<string, string>()
  const waiting: { address: string; path: string }[] = [{ address: `me/mailFolders?${FIELDS}`, path: '' }]
  for (let level = waiting.shift(); level !== undefined; level = waiting.shift()) {
    const found = await graph.all(level.address, Folder)
    for (const folder of found.filter((one) => isRead(one, outside))) {
      const path = [level.path, folder.displayName || folder.id].filter(Boolean).join(' / ')
      folders.set(folder.id, path)
      if ((folder.childFolderCount ?? 0) > 0)
        waiting.push({ address: `${folderPath(folder.id)}/childFolders?${FIELDS}`, path })
    }
    if (folders.size > FOLDERS_MAX)
      throw new ProviderError('rejected', `The mailbox has more than ${FOLDERS_MAX} folders`)
  }
  return folders
}

const isRead = (folder: Folder, outside: ReadonlySet<string>): boolean =>
  folder['@odata.type'] !== SEARCH_FOLDER && !outside.has(folder.id)

export const folderPath = (id: string): string => `me/mailFolders/${encodeURIComponent(id)}`
