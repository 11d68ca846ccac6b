import type { GivenFile } from './file-check.ts'

/** More at one time are not taken: the list would be of no use to anybody. */
export const FILES_MAX = 5_000
const DEPTH_MAX = 32

/** What an input of files or of a folder was given. */
export function chosenFiles(list: FileList | null): GivenFile[] {
  return [...(list ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }))
}

/**
 * The files that were dropped, with those in folders, up to {@link FILES_MAX}. What to read has to be taken while the event
 * lasts, so call it at once and wait afterwards.
 */
export async function droppedFiles(data: DataTransfer): Promise<GivenFile[]> {
  const items = [...data.items].filter(({ kind }) => kind === 'file')
  const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? [])
  // What is dropped from elsewhere than a disk is a file without an entry.
  const found = items.flatMap((item): GivenFile[] => {
    const file = item.webkitGetAsEntry() === null ? item.getAsFile() : null
    return file === null ? [] : [{ name: file.name, file }]
  })
  for (const entry of entries) await collect(entry, found, 0)
  return found
}

async function collect(entry: FileSystemEntry, found: GivenFile[], depth: number): Promise<void> {
  if (found.length >= FILES_MAX || depth > DEPTH_MAX) return
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    found.push({ name: entry.fullPath.replace(/^\//, ''), file })
    return
  }
  if (!isFolder(entry)) return
  for (const child of await childrenOf(entry)) await collect(child, found, depth + 1)
}

/** A reader gives a hundred at a time, and none at the end. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const children: FileSystemEntry[] = []
  while (children.length < FILES_MAX) {
    const more = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (more.length === 0) break
    for (const child of more) children.push(child)
  }
  return children
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
