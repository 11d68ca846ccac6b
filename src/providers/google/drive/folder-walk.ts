import { returnIf } from '../../adapter.ts'
import { isNotFound } from '../shared/error.ts'
import {
  driveFile,
  FILE_FIELDS,
  filePages,
  FOLDER,
  getFile,
  MY_DRIVE,
  SHORTCUT,
  type DriveFile,
  type DriveRun,
} from './run.ts'

const PAGE_SIZE = 200
/** Limits on a folder behind a shortcut: another user may own the tree, and it may have any size. */
const MOST_FOLLOWED_FILES = 500
/** Folders that are listed and shortcuts that are followed. */
const MOST_OPENED = 200

/** Pages of files below a folder, at any depth. Folders go to `onFolder` instead. Each folder is listed once. */
export async function* filesBelow(
  run: DriveRun,
  feed: string,
  folderId: string,
  onFolder: (folder: DriveFile) => void,
): AsyncGenerator<DriveFile[]> {
  const seen = new Set([folderId])
  const waiting = [folderId]
  for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
    for await (const children of childrenOf(run, feed, id)) {
      for (const child of children) {
        if (child.mimeType !== FOLDER || seen.has(child.id)) continue
        run.folders.learn(child)
        onFolder(child)
        seen.add(child.id)
        waiting.push(child.id)
      }
      yield children.filter((child) => child.mimeType !== FOLDER)
    }
  }
}

/** The files a shortcut leads to, directly or below a folder, each once. Null when the target is gone or not shared. */
export async function filesBehind(run: DriveRun, targetId: string): Promise<DriveFile[] | null> {
  const target = await getTarget(run, targetId)
  if (target === null) return null
  const seen = new Set([target.id])
  const files: DriveFile[] = []
  const waiting = [target]
  let opened = 0
  for (
    let file = waiting.shift();
    file !== undefined && files.length < MOST_FOLLOWED_FILES;
    file = waiting.shift()
  ) {
    if (file.mimeType !== SHORTCUT && file.mimeType !== FOLDER) {
      files.push(file)
      continue
    }
    opened += 1
    if (opened > MOST_OPENED) break
    if (file.mimeType === SHORTCUT) {
      const next = await getTarget(run, file.shortcutDetails?.targetId ?? '')
      if (next && !seen.has(next.id)) waiting.push(next)
      if (next) seen.add(next.id)
    } else {
      for await (const children of childrenOf(run, MY_DRIVE, file.id)) {
        for (const child of children) {
          if (!seen.has(child.id)) waiting.push(child)
          seen.add(child.id)
        }
        if (files.length + waiting.length >= MOST_FOLLOWED_FILES + MOST_OPENED) break
      }
    }
  }
  return files
}

async function* childrenOf(run: DriveRun, feed: string, folderId: string): AsyncGenerator<DriveFile[]> {
  const query = `'${folderId.replaceAll(/['\\]/g, '\\$&')}' in parents and trashed = false`
  const list = { feed, query, fields: FILE_FIELDS, pageSize: PAGE_SIZE }
  for await (const { files } of filePages(run.api, list)) yield files.map(driveFile)
}

async function getTarget(run: DriveRun, fileId: string): Promise<DriveFile | null> {
  if (fileId === '') return null
  const file = await getFile(run, fileId).catch(returnIf(isNotFound, null))
  return file?.trashed ? null : file
}
