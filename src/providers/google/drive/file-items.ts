import {
  isRejected,
  type ItemFailure,
  type ItemMetadata,
  ProviderError,
  type ProviderItem,
} from '../../adapter.ts'
import { isUnavailable } from '../../outage-guard.ts'
import { GoogleError, isNotFound } from '../shared/error.ts'
import { mapBounded } from '../../map-bounded.ts'
import { newSyncStep, type SyncStep } from './sync-step.ts'
import { isGoogleDocument, isSkipped, readContent } from './file-content.ts'
import { FOLDER, itemId, MY_DRIVE, SHORTCUT, UNKNOWN, type DriveFile, type DriveRun } from './run.ts'

const AT_ONCE = 4

/** A file to be stored under `externalId`. */
export interface FileToRead {
  externalId: string
  feed: string
  file: DriveFile
}

export const hasContent = ({ mimeType }: DriveFile): boolean => mimeType !== FOLDER && mimeType !== SHORTCUT

/** The files of a list that are items of a feed. */
export const toRead = (feed: string, files: readonly DriveFile[]): FileToRead[] =>
  files.filter(hasContent).map((file) => ({ externalId: itemId(feed, file.id), feed, file }))

/** Reads several files concurrently into a step; `again` holds item ids. @throws only errors that end the run */
export async function readFiles(
  run: DriveRun,
  files: readonly FileToRead[],
  read = newSyncStep(),
): Promise<SyncStep> {
  await mapBounded(files, AT_ONCE, async (entry) => {
    const { externalId } = entry
    try {
      const item = await readItem(run, entry)
      run.outage.passed()
      if (typeof item !== 'string') read.upserts.push(item)
      else {
        read.deletions.push(externalId)
        read.skipped.push({ externalId, title: entry.file.name, message: item })
      }
    } catch (error) {
      const failure = await run.outage.failureOf(externalId, error)
      // When the owner closes a file to readers, its stored copy must go.
      if (isNotFound(error) || isClosed(error)) read.deletions.push(externalId)
      if (!isNotFound(error))
        read.failures.push({ ...failure, title: entry.file.name, ...(await readersOf(run, entry.file)) })
      if (isUnavailable(error)) read.again.push(externalId)
    }
  })
  return read
}

const isClosed = (error: unknown) =>
  error instanceof GoogleError && ['cannotDownloadFile', 'cannotExportFile'].includes(error.reason ?? '')

/** The readers of a file whose content cannot be read; nothing if Google does not answer. */
async function readersOf(run: DriveRun, file: DriveFile): Promise<Pick<ItemFailure, 'accessPolicy'>> {
  try {
    return { accessPolicy: await run.policies.policyOf(file) }
  } catch (error) {
    return isRejected(error) ? { accessPolicy: null } : {}
  }
}

/** The item of a file, or why there is nothing to read. */
async function readItem(
  run: DriveRun,
  { externalId, feed, file }: FileToRead,
): Promise<ProviderItem | string> {
  if (file.mimeType === UNKNOWN)
    throw new ProviderError('unavailable', 'Google Drive returned the file in an unknown format')
  const content = isSkipped(run, file) ? null : await readContent(run, file)
  if (content === null) return `Files of type ${file.mimeType} are not read`
  if (content.text === '') return 'The file has no text'
  return {
    externalId,
    sourceKind: isGoogleDocument(file.mimeType) ? 'document' : 'file',
    title: file.name,
    body: content.text,
    url: file.webViewLink ?? null,
    authorName: authorOf(file)?.displayName ?? null,
    sourceCreatedAt: dateOf(file.createdTime),
    sourceUpdatedAt: dateOf(file.modifiedTime),
    metadata: await metadataOf(run, feed, file, content.truncated),
  }
}

async function metadataOf(
  run: DriveRun,
  feed: string,
  file: DriveFile,
  truncated: boolean,
): Promise<ItemMetadata> {
  const author = authorOf(file)
  const folder = await run.folders.pathOf(file)
  const policy = await run.policies.policyOf(file)
  return {
    workspace: workspaceOf(run),
    fileId: file.id,
    mimeType: file.mimeType,
    ...(feed === MY_DRIVE ? {} : { drive: run.drives.names.get(feed) ?? feed, driveId: feed }),
    ...(folder === null ? {} : { folder }),
    ...(author?.displayName ? { sender: author.displayName } : {}),
    ...(author?.emailAddress ? { senderEmail: author.emailAddress } : {}),
    ...(file.webViewLink ? { permalink: file.webViewLink } : {}),
    ...(truncated ? { truncated } : {}),
    ...(policy === null ? {} : { accessPolicy: policy }),
  }
}

// Files of shared drives have no owner, so the last editor counts as the author.
const authorOf = (file: DriveFile) => file.owners?.[0] ?? file.lastModifyingUser ?? null

/** The domain of the connected account's address. */
function workspaceOf(run: DriveRun): string {
  const account = run.session.account.externalAccountId
  return account.slice(account.indexOf('@') + 1)
}

function dateOf(time: string | null | undefined): Date | null {
  const date = new Date(time ?? '')
  return Number.isNaN(date.getTime()) ? null : date
}
