import { createHash } from 'node:crypto'
import { isRejected, returnIf } from '../../adapter.ts'
import { permissionsHash } from './access-policy.ts'
import {
  File,
  filePages,
  filePath,
  FOLDER,
  type DriveFile,
  type DriveRun,
  type FolderPaths,
  type Sharing,
} from './run.ts'

const MOST_CACHED = 50_000
const DEEPEST = 50
const FOLDER_FIELDS = 'id,name,parents,hasAugmentedPermissions,inheritedPermissionsDisabled'

type FolderSource = Pick<DriveRun, 'api' | 'drives'>

interface FolderName {
  name: string
  parent: string | null
  sharing: Sharing
}

export function createFolderPaths(drive: FolderSource): FolderPaths {
  const known = new Map<string, FolderName | null>()

  function remember(id: string, folder: FolderName | null): void {
    // Evicts the oldest entry: folders are requested in the order of their files.
    const oldest = known.size >= MOST_CACHED ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    known.set(id, folder)
  }

  function learn(folder: File): void {
    if (folder.id && folder.name) remember(folder.id, folderName(folder, folder.name))
  }

  async function folderOf(id: string): Promise<FolderName | null> {
    const cached = known.get(id)
    if (cached !== undefined) return cached
    const folder = await readFolder(drive, id)
    remember(id, folder)
    return folder
  }

  async function pathOf(file: DriveFile): Promise<string | null> {
    const names: string[] = []
    let id = file.parents?.[0] ?? null
    while (id !== null && names.length < DEEPEST) {
      const folder = await folderOf(id)
      if (folder === null) break
      names.unshift(folder.name)
      id = folder.parent
    }
    return names.length === 0 ? null : names.join(' / ')
  }

  async function sharingOf(file: DriveFile): Promise<Sharing> {
    let found = sharingIn(file)
    let id = file.parents?.[0] ?? null
    for (let depth = 0; id !== null && found !== 'limited' && depth < DEEPEST; depth++) {
      const folder = await folderOf(id)
      // The account may not see the folder, so ask the file itself.
      if (folder === null || folder.sharing === 'limited') return 'limited'
      if (folder.sharing === 'augmented') found = 'augmented'
      id = folder.parent
    }
    // A folder above those looked at may be limited, so ask the file itself.
    return id === null ? found : 'limited'
  }

  async function learnAll(feed: string): Promise<void> {
    const query = `mimeType = '${FOLDER}' and trashed = false`
    const list = { feed, query, fields: FOLDER_FIELDS, pageSize: 1000 }
    let count = 0
    try {
      for await (const { files } of filePages(drive.api, list)) {
        for (const folder of files) learn(folder)
        count += files.length
        if (count >= MOST_CACHED) return
      }
    } catch (error) {
      // Only an optimization: after a refusal folders are requested one by one.
      if (!isRejected(error)) throw error
    }
  }

  return { learn, learnAll, pathOf, sharingOf }
}

const folderName = (folder: File, name: string): FolderName => ({
  name,
  parent: folder.parents?.[0] ?? null,
  sharing: sharingIn(folder),
})

function sharingIn(file: File): Sharing {
  if (file.inheritedPermissionsDisabled) return 'limited'
  return file.hasAugmentedPermissions ? 'augmented' : 'drive'
}

// The root of My Drive is an ordinary folder. A shared drive's root carries the drive's name, so paths start with
// either.
async function readFolder({ api, drives }: FolderSource, id: string): Promise<FolderName | null> {
  const drive = drives.names.get(id)
  if (drive !== undefined) return { name: drive, parent: null, sharing: 'drive' }
  const params = { fields: FOLDER_FIELDS, supportsAllDrives: true }
  // A file may be shared without its folder.
  const folder = await api.get(filePath(id), params, File).catch(returnIf(isRejected, null))
  return folder?.name ? folderName(folder, folder.name) : null
}

/** A short hash of what files inherit from a folder: its name, place and permissions. */
export function folderHash(folder: DriveFile): string {
  const inherited = [
    folder.name,
    folder.parents ?? [],
    permissionsHash(folder.permissions ?? []),
    sharingIn(folder),
  ]
  return createHash('sha256').update(JSON.stringify(inherited)).digest('base64url').slice(0, 8)
}
