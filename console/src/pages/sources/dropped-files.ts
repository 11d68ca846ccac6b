import type { GivenFile } from './file-check.ts'

/** The maximum number of files per drop: a longer list is unreadable. */
export const FILES_MAX = 5_000
const DEPTH_MAX = 32

/** The files of a file or folder input. */
export function chosenFiles(list: FileList | null): GivenFile[] {
  return [...(list ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file }))
}

/**
 * The dropped files, including those in folders, up to {@link FILES_MAX}.
 * Call it during the event and await the result later: browsers clear the data after the event.
 */
export async function droppedFiles(data: DataTransfer): Promise<GivenFile[]> {
  const items = [...data.items].filter(({ kind }) => kind === 'file')
  const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? [])
  // A file dropped from another application has no entry.
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

/** `readEntries` returns up to 100 entries per call, and none at the end. */
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
