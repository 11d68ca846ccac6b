import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { pdfOf, wordOf } from './file-formats.ts'
import { FOLDER, rootOf, SHORTCUT, WORD, type DriveSeed, type EmulatedFile } from './drive-seed.ts'
import { MY_FEED, type DriveStore } from './drive-state.ts'
import { googleError, sizeOf } from './google-reply.ts'

/** Answers `/drive/v3/…` as Google Drive does; `fields` is taken to ask for everything. */
export function answerDrive(store: DriveStore, seed: DriveSeed, request: EmulatorRequest): EmulatorReply {
  const path = request.path.slice('/drive/v3/'.length)
  if (path === 'about') {
    const user = { kind: 'drive#user', displayName: 'Demo User', emailAddress: seed.account, me: true }
    return { json: { kind: 'drive#about', user: { ...user, permissionId: '1234567890' } } }
  }
  if (path.startsWith('drives')) return answerDrives(store, path)
  if (path === 'changes/startPageToken') {
    return { json: { kind: 'drive#startPageToken', startPageToken: String(store.log.length) } }
  }
  if (path === 'changes') return listChanges(store, request.query)
  if (path === 'files') return listFiles(store, request.query)
  return answerFile(store, seed, request, path)
}

function answerDrives(store: DriveStore, path: string): EmulatorReply {
  if (path === 'drives') return { json: { kind: 'drive#driveList', drives: store.drives() } }
  const id = path.slice('drives/'.length)
  const found = store.drives().find((drive) => drive.id === id)
  return found ? { json: { kind: 'drive#drive', ...found } } : driveNotFound(id)
}

function answerFile(
  store: DriveStore,
  seed: DriveSeed,
  request: EmulatorRequest,
  path: string,
): EmulatorReply {
  const [, id = '', action] = /^files\/([^/]+)(?:\/([a-z]+))?$/.exec(path) ?? []
  const drive = store.drives().find((one) => one.id === id)
  if (action === 'permissions' && drive) return { json: { permissions: membersOf(store, seed, id) } }
  if (id === 'root' || id === rootOf(0) || drive) {
    const root = { kind: 'drive#file', id: drive?.id ?? rootOf(0), name: drive ? 'Drive' : 'My Drive' }
    return { json: { ...root, mimeType: FOLDER } }
  }
  const file = store.get(id)
  if (!file || !store.isVisible(file)) return notFound(id)
  if (action === 'permissions')
    return { json: { permissions: file.permissions ?? membersOf(store, seed, file.driveId) } }
  if (action === 'export') return exportFile(store, file, request.query.get('mimeType') ?? '')
  if (action !== undefined) return notFound(id)
  return request.query.get('alt') === 'media' ? download(store, file) : { json: resource(store, file) }
}

function listFiles(store: DriveStore, query: URLSearchParams): EmulatorReply {
  const driveId = query.get('driveId')
  if (driveId !== null && !store.drives().some((drive) => drive.id === driveId)) return driveNotFound(driveId)
  const matches = parseQuery(store, query.get('q') ?? '', driveId ?? MY_FEED)
  const size = sizeOf(query.get('pageSize'), 100, 1000)
  const [generation = '', offset = ''] = (query.get('pageToken') ?? `${store.listGeneration()}.0`).split('.')
  if (generation !== String(store.listGeneration()) || !/^\d+$/.test(offset)) {
    return googleError(400, 'invalid', 'Invalid Value')
  }
  const files: unknown[] = []
  let position = Number(offset)
  let file = store.at(position)
  while (file !== undefined && files.length < size) {
    if (file && matches(file)) files.push(resource(store, file))
    position += 1
    file = store.at(position)
  }
  const next = file === undefined ? {} : { nextPageToken: `${generation}.${position}` }
  return { json: { kind: 'drive#fileList', incompleteSearch: false, files, ...next } }
}

/** The clauses this project sends: `trashed = …`, `mimeType = '…'`, `'…' in parents`, joined with `and`. */
function parseQuery(store: DriveStore, text: string, feed: string): (file: EmulatedFile) => boolean {
  const tests = text
    .split(' and ')
    .filter(Boolean)
    .map((clause) => {
      const trashed = /^trashed ?= ?(true|false)$/.exec(clause)?.[1]
      if (trashed !== undefined) return (file: EmulatedFile) => store.isTrashed(file) === (trashed === 'true')
      const mimeType = /^mimeType ?= ?'(.*)'$/.exec(clause)?.[1]
      if (mimeType !== undefined) return (file: EmulatedFile) => file.mimeType === mimeType
      const parent = /^'(.*)' in parents$/.exec(clause)?.[1]
      if (parent !== undefined) return (file: EmulatedFile) => file.parent === parent
      throw new Error(`the emulator does not know the query clause ${clause}`)
    })
  // What nobody lists is still found by its folder, as at Google.
  const isInFolder = text.includes(' in parents')
  return (file) =>
    (store.isListed(file, feed) || (isInFolder && store.isVisible(file))) && tests.every((test) => test(file))
}

function listChanges(store: DriveStore, query: URLSearchParams): EmulatorReply {
  const driveId = query.get('driveId')
  if (driveId !== null && !store.drives().some((drive) => drive.id === driveId)) return driveNotFound(driveId)
  const token = query.get('pageToken') ?? ''
  const from = Number(token)
  if (!/^\d+$/.test(token) || from > store.log.length) return googleError(400, 'invalid', 'Invalid Value')
  if (from < store.oldestChange()) return googleError(410, 'gone', 'The page token is no longer valid.')
  const feed = driveId ?? MY_FEED
  const size = sizeOf(query.get('pageSize'), 100, 1000)
  const changes: unknown[] = []
  let position = from
  for (; position < store.log.length && changes.length < size; position += 1) {
    const entry = store.log[position]
    if (!entry || entry.feed !== feed) continue
    // One entry a file, at the place of its latest change.
    const isLatest =
      store.log.findLastIndex((other) => other.feed === feed && other.fileId === entry.fileId) === position
    if (isLatest) changes.push(changeOf(store, feed, entry.fileId))
  }
  const end = position >= store.log.length
  const next = end ? { newStartPageToken: String(store.log.length) } : { nextPageToken: String(position) }
  return { json: { kind: 'drive#changeList', changes, ...next } }
}

function changeOf(store: DriveStore, feed: string, fileId: string) {
  const file = store.get(fileId)
  const isHere = file !== null && store.isListed(file, feed)
  const change = { kind: 'drive#change', type: 'file', changeType: 'file', fileId, removed: !isHere }
  return isHere ? { ...change, file: resource(store, file) } : change
}

/** A file as the API shows it. */
function resource(store: DriveStore, file: EmulatedFile) {
  const person = { kind: 'drive#user', displayName: file.owner.name, emailAddress: file.owner.email }
  const isShared = file.driveId !== null
  const isText = !file.mimeType.startsWith('application/vnd.google-apps.')
  return {
    kind: 'drive#file',
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
    trashed: store.isTrashed(file),
    ...(file.parent === null ? {} : { parents: [file.parent] }),
    createdTime: new Date(file.createdAt).toISOString(),
    modifiedTime: new Date(file.modifiedAt).toISOString(),
    webViewLink: `https://drive.google.com/file/d/${file.id}/view`,
    lastModifyingUser: person,
    ...(isShared ? { driveId: file.driveId, hasAugmentedPermissions: false } : { owners: [person] }),
    ...(file.permissions === null ? {} : { permissions: file.permissions }),
    ...(isText ? { size: String(sizeOfContent(store, file)) } : {}),
    ...(file.mimeType === SHORTCUT ? { shortcutDetails: { targetId: file.targetId } } : {}),
    ...(isShared ? {} : { ownedByMe: file.owner.email === store.account }),
    ...(isShared || file.unlisted ? {} : { sharedWithMeTime: new Date(file.createdAt).toISOString() }),
  }
}

function exportFile(store: DriveStore, file: EmulatedFile, mimeType: string): EmulatorReply {
  if (!file.mimeType.startsWith('application/vnd.google-apps.')) {
    return googleError(403, 'fileNotExportable', 'Export only supports Docs Editors files.')
  }
  if (!['text/markdown', 'text/plain', 'text/csv'].includes(mimeType)) {
    return googleError(400, 'badRequest', 'The requested conversion is not supported.')
  }
  const text = store.textOf(file)
  if (text.length > 10 * 1024 * 1024) {
    return googleError(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.')
  }
  return { bytes: Buffer.from(text), headers: { 'content-type': mimeType } }
}

function download(store: DriveStore, file: EmulatedFile): EmulatorReply {
  if (file.mimeType.startsWith('application/vnd.google-apps.')) {
    return googleError(403, 'fileNotDownloadable', 'Only files with binary content can be downloaded.')
  }
  return { bytes: bytesOf(store, file), headers: { 'content-type': file.mimeType } }
}

function bytesOf(store: DriveStore, file: EmulatedFile): Uint8Array {
  if (file.content instanceof Uint8Array) return file.content
  const text = store.textOf(file)
  if (file.mimeType === 'application/pdf') return pdfOf(text.split(/(?<=\.) /))
  if (file.mimeType === WORD) return wordOf(text.split('\n\n'))
  if (file.mimeType === 'text/html') return Buffer.from(`<html><body><p>${text}</p></body></html>`)
  return Buffer.from(text)
}

// Near enough for a list; making every PDF only to measure it would be dear.
function sizeOfContent(store: DriveStore, file: EmulatedFile): number {
  return file.content instanceof Uint8Array ? file.content.length : store.textOf(file).length
}

function membersOf(store: DriveStore, seed: DriveSeed, driveId: string | null) {
  const set = driveId === null ? null : store.membersOf(driveId)
  if (set) return set
  const user = { id: `p-${seed.account}`, type: 'user', emailAddress: seed.account }
  return [user, { id: 'p-team', type: 'group', emailAddress: `team@${seed.domain}` }]
}

const notFound = (id: string) => googleError(404, 'notFound', `File not found: ${id}.`)
const driveNotFound = (id: string) => googleError(404, 'notFound', `Shared drive not found: ${id}`)
