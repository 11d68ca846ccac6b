import type { EmulatorReply, EmulatorRequest } from '../kit/server.ts'
import { pdfOf, type SheetContent, wordOf, workbookOf } from './file-formats.ts'
import { EXCEL, FOLDER, rootOf, SHORTCUT, SPREADSHEET, WORD } from './drive-seed.ts'
import type { DriveSeed, EmulatedFile } from './drive-seed.ts'
import { MY_FEED, type DriveStore } from './drive-state.ts'
import { answerFields } from './drive-fields.ts'
import { selects } from './field-mask.ts'
import { googleError, invalidParameter, refusePageSize, sizeOf } from './google-reply.ts'

/** The largest `pageSize` (developers.google.com/workspace/drive/api/reference/rest/v3). */
const MOST = { files: 1000, changes: 1000, drives: 100, permissions: 100 }
/** The largest page of files with their permissions, whatever was requested. */
const MOST_WITH_PERMISSIONS = 100

/** Answers `/drive/v3/…` as Google Drive does. */
export function answerDrive(store: DriveStore, seed: DriveSeed, request: EmulatorRequest): EmulatorReply {
  const path = request.path.slice('/drive/v3/'.length)
  if (path === 'about') {
    const user = { kind: 'drive#user', displayName: 'Demo User', emailAddress: seed.account, me: true }
    const about = { kind: 'drive#about', user: { ...user, permissionId: '1234567890' } }
    return answerFields('about', request.query, about)
  }
  if (path.startsWith('drives')) return answerDrives(store, path, request.query)
  if (path === 'changes/startPageToken') {
    const token = { kind: 'drive#startPageToken', startPageToken: String(store.log.length) }
    return answerFields('startPageToken', request.query, token)
  }
  if (path === 'changes') return listChanges(store, request.query)
  if (path === 'files') return listFiles(store, request.query)
  return answerFile(store, seed, request, path)
}

function answerDrives(store: DriveStore, path: string, query: URLSearchParams): EmulatorReply {
  if (path === 'drives') {
    const drives = store.drives().map(({ id, name }) => ({ kind: 'drive#drive', id, name }))
    const list = { kind: 'drive#driveList', drives }
    return refusePageSize(query, MOST.drives) ?? answerFields('drives', query, list)
  }
  const id = path.slice('drives/'.length)
  const found = store.drives().find((drive) => drive.id === id)
  return found ? answerFields('drive', query, { kind: 'drive#drive', ...found }) : driveNotFound(id)
}

function answerFile(
  store: DriveStore,
  seed: DriveSeed,
  request: EmulatorRequest,
  path: string,
): EmulatorReply {
  const [, id = '', action] = /^files\/([^/]+)(?:\/([a-z]+))?$/.exec(path) ?? []
  const drive = store.drives().find((one) => one.id === id)
  const permissionsOf = (permissions: readonly unknown[]): EmulatorReply =>
    refusePageSize(request.query, MOST.permissions) ??
    answerFields('permissions', request.query, { kind: 'drive#permissionList', permissions })
  if (action === 'permissions' && drive) return permissionsOf(membersOf(store, seed, id))
  if (id === 'root' || id === rootOf(0) || drive) {
    const root = { kind: 'drive#file', id: drive?.id ?? rootOf(0), name: drive ? 'Drive' : 'My Drive' }
    return answerFields('file', request.query, { ...root, mimeType: FOLDER })
  }
  const file = store.get(id)
  if (!file || !store.isVisible(file)) return notFound(id)
  if (action === 'permissions')
    return permissionsOf(file.permissions ?? permissionsInDrive(store, seed, file))
  if (action === 'export') return exportFile(store, file, request.query.get('mimeType') ?? '')
  if (action !== undefined) return notFound(id)
  if (request.query.get('alt') === 'media') return download(store, file)
  return answerFields('file', request.query, resource(store, file))
}

function listFiles(store: DriveStore, query: URLSearchParams): EmulatorReply {
  const driveId = query.get('driveId')
  if (driveId !== null && !store.drives().some((drive) => drive.id === driveId)) return driveNotFound(driveId)
  const refusal = refusePageSize(query, MOST.files)
  if (refusal) return refusal
  const matches = parseQuery(store, query.get('q') ?? '', driveId ?? MY_FEED)
  if (!matches) return invalidParameter('q', 'Invalid Value', 'invalid')
  const withPermissions = query.has('fields') && selects(query.get('fields') ?? '', ['files', 'permissions'])
  const size = sizeOf(query.get('pageSize'), 100, withPermissions ? MOST_WITH_PERMISSIONS : MOST.files)
  const [generation = '', offset = ''] = (query.get('pageToken') ?? `${store.listGeneration()}.0`).split('.')
  if (generation !== String(store.listGeneration()) || !/^\d+$/.test(offset)) {
    return invalidParameter('pageToken', 'Invalid Value', 'invalid')
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
  return answerFields('files', query, { kind: 'drive#fileList', incompleteSearch: false, files, ...next })
}

/** Parses the clauses that this project sends, joined with `and`; null for others. */
function parseQuery(store: DriveStore, text: string, feed: string): ((file: EmulatedFile) => boolean) | null {
  const tests = text
    .split(' and ')
    .filter(Boolean)
    .map((clause): ((file: EmulatedFile) => boolean) | null => {
      const trashed = /^trashed ?= ?(true|false)$/.exec(clause)?.[1]
      if (trashed !== undefined) return (file: EmulatedFile) => store.isTrashed(file) === (trashed === 'true')
      const mimeType = /^mimeType ?= ?'(.*)'$/.exec(clause)?.[1]
      if (mimeType !== undefined) return (file: EmulatedFile) => file.mimeType === mimeType
      const parent = /^'(.*)' in parents$/.exec(clause)?.[1]
      if (parent !== undefined) return (file: EmulatedFile) => file.parent === parent
      return null
    })
    .filter((test) => test !== null)
  if (tests.length < text.split(' and ').filter(Boolean).length) return null
  // As at Google, a query by folder also finds unlisted files.
  const isInFolder = text.includes(' in parents')
  return (file) =>
    (store.isListed(file, feed) || (isInFolder && store.isVisible(file))) && tests.every((test) => test(file))
}

function listChanges(store: DriveStore, query: URLSearchParams): EmulatorReply {
  const driveId = query.get('driveId')
  if (driveId !== null && !store.drives().some((drive) => drive.id === driveId)) return driveNotFound(driveId)
  const token = query.get('pageToken') ?? ''
  const from = Number(token)
  const refusal = refusePageSize(query, MOST.changes)
  if (refusal) return refusal
  if (!/^\d+$/.test(token) || from > store.log.length)
    return invalidParameter('pageToken', 'Invalid Value', 'invalid')
  if (from < store.oldestChange()) return googleError(410, 'gone', 'The page token is no longer valid.')
  const feed = driveId ?? MY_FEED
  const size = sizeOf(query.get('pageSize'), 100, 1000)
  const changes: unknown[] = []
  let position = from
  for (; position < store.log.length && changes.length < size; position += 1) {
    const entry = store.log[position]
    if (!entry || entry.feed !== feed) continue
    // One entry per file, at its latest change.
    const isLatest =
      store.log.findLastIndex((other) => other.feed === feed && other.fileId === entry.fileId) === position
    if (isLatest) changes.push(changeOf(store, feed, entry.fileId))
  }
  const end = position >= store.log.length
  const next = end ? { newStartPageToken: String(store.log.length) } : { nextPageToken: String(position) }
  return answerFields('changes', query, { kind: 'drive#changeList', changes, ...next })
}

function changeOf(store: DriveStore, feed: string, fileId: string) {
  const file = store.get(fileId)
  const isHere = file !== null && store.isListed(file, feed)
  const change = { kind: 'drive#change', type: 'file', changeType: 'file', fileId, removed: !isHere }
  return isHere ? { ...change, file: resource(store, file) } : change
}

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
    ...(isShared
      ? {
          driveId: file.driveId,
          hasAugmentedPermissions: file.augmented.length > 0,
          inheritedPermissionsDisabled: file.limited,
        }
      : { owners: [person] }),
    ...(file.permissions === null ? {} : { permissions: file.permissions }),
    ...(isText ? { size: String(sizeOfContent(store, file)) } : {}),
    ...(file.mimeType === SHORTCUT ? { shortcutDetails: { targetId: file.targetId } } : {}),
    ...(isShared ? {} : { ownedByMe: file.owner.email === store.account }),
    ...(isShared || file.unlisted ? {} : { sharedWithMeTime: new Date(file.createdAt).toISOString() }),
  }
}

function sheetOf(csv: string): SheetContent {
  return {
    name: 'Sheet1',
    rows: csv
      .trim()
      .split('\n')
      .map((line) => line.split(',')),
  }
}

function exportFile(store: DriveStore, file: EmulatedFile, mimeType: string): EmulatorReply {
  if (!file.mimeType.startsWith('application/vnd.google-apps.')) {
    return googleError(403, 'fileNotExportable', 'Export only supports Docs Editors files.')
  }
  const isSheet = file.mimeType === SPREADSHEET
  if (!(isSheet ? [EXCEL, 'text/csv'] : ['text/markdown', 'text/plain']).includes(mimeType)) {
    return googleError(400, 'badRequest', 'The requested conversion is not supported.')
  }
  const text = store.textOf(file)
  if (text.length > 10 * 1024 * 1024) {
    return googleError(403, 'exportSizeLimitExceeded', 'This file is too large to be exported.')
  }
  const bytes = mimeType === EXCEL ? workbookOf([sheetOf(text)]) : Buffer.from(text)
  return { bytes, headers: { 'content-type': mimeType } }
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

// An estimate suffices for a list: generating every PDF to measure it would be expensive.
function sizeOfContent(store: DriveStore, file: EmulatedFile): number {
  return file.content instanceof Uint8Array ? file.content.length : store.textOf(file).length
}

function membersOf(store: DriveStore, seed: DriveSeed, driveId: string | null) {
  const set = driveId === null ? null : store.membersOf(driveId)
  if (set) return set
  const user = { id: `p-${seed.account}`, type: 'user', emailAddress: seed.account }
  return [user, { id: 'p-team', type: 'group', emailAddress: `team@${seed.domain}` }]
}

/** The drive's members, unless access is limited, plus permissions on the file and its folders. */
function permissionsInDrive(store: DriveStore, seed: DriveSeed, file: EmulatedFile) {
  const augmented: object[] = []
  let isLimited = false
  for (let one: EmulatedFile | null = file; one !== null && !isLimited; one = store.get(one.parent ?? '')) {
    augmented.push(...withDetails(one.augmented, 'file'))
    isLimited = one.limited
  }
  const members = isLimited ? [] : membersOf(store, seed, file.driveId)
  return [...withDetails(members, 'member'), ...augmented]
}

const withDetails = (permissions: readonly object[], permissionType: 'file' | 'member') =>
  permissions.map((permission) => Object.assign({ permissionDetails: [{ permissionType }] }, permission))

const notFound = (id: string) =>
  googleError(404, 'notFound', `File not found: ${id}.`, { location: 'fileId', locationType: 'parameter' })
const driveNotFound = (id: string) => googleError(404, 'notFound', `Shared drive not found: ${id}`)
