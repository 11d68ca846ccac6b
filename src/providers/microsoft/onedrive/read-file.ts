import type { LimitFunction } from 'p-limit'
import type { ExtractedText, TextExtractor } from '../../../file-text/index.ts'
import type { FeedItem, SkippedItem } from '../../feed.ts'
import { type ItemMetadata, ProviderError, type ProviderSession } from '../../adapter.ts'
import { extractFile, tooLarge } from '../../extract-file.ts'
import type { Graph } from '../shared/graph.ts'
import { DriveItem, isFolder, pathOf, READ_FIELDS } from './drive-item.ts'
import type { Drive, Drives } from './drives.ts'
import type { Readers } from './readers.ts'

/** Only one file over this size is in memory at a time. */
const LARGE_BYTES = 4 * 2 ** 20

/** What is needed to read a drive's files. */
export interface DriveRun {
  graph: Graph
  session: ProviderSession
  extractor: TextExtractor
  readers: Readers
  drives: Drives
  itemsPerPage: number
  oneLarge: LimitFunction
}

/**
 * The current file; or why it has nothing to read; null if it does not exist or its drive is not read. `listed` saves
 * the request for files that are not read anyway. @throws ProviderError
 */
export async function readDriveItem(
  run: DriveRun,
  externalId: string,
  listed: DriveItem | null,
): Promise<FeedItem | null> {
  const drive = driveOf(run, externalId)
  if (drive === undefined) return null
  const reason = listed === null ? null : whyUnread(run, listed)
  if (reason !== null) return reason
  const item = await run.graph.find(`${pathOf(externalId)}?$select=${READ_FIELDS}`, DriveItem)
  if (item === null || item.deleted != null || isFolder(item)) return null
  const unread = whyUnread(run, item)
  if (unread !== null) return unread
  const accessPolicy = await run.readers.policyOf(externalId, drive)
  const { text, truncated } = await textOf(run, item)
  if (text === '') return { title: nameOf(item), skipped: 'it has no text' }
  return {
    externalId,
    sourceKind: 'file',
    title: nameOf(item),
    body: text,
    url: item.webUrl ?? null,
    authorName: item.createdBy?.user?.displayName ?? null,
    sourceCreatedAt: dateOf(item.createdDateTime),
    sourceUpdatedAt: dateOf(item.lastModifiedDateTime),
    metadata: {
      ...metadataOf(item, drive),
      workspace: (await run.readers.address()).split('@')[1] ?? '',
      ...(truncated && { truncated }),
      accessPolicy,
    },
  }
}

/** The drive of an item, if it is read now. */
export const driveOf = ({ drives }: Pick<DriveRun, 'drives'>, externalId: string): Drive | undefined =>
  drives.get(externalId.slice(0, externalId.indexOf('/')))

/** Why an item is not read; null if it is. */
export function whyUnread(run: Pick<DriveRun, 'extractor'>, item: DriveItem): SkippedItem | null {
  const reason = reasonOf(run, item)
  return reason === null ? null : { title: nameOf(item), skipped: reason }
}

function reasonOf({ extractor }: Pick<DriveRun, 'extractor'>, item: DriveItem): string | null {
  if (item.package != null) return `packages of type ${item.package.type ?? 'unknown'} are not read`
  if (item.remoteItem != null) return 'shortcuts to other drives are not followed'
  if (item.malware != null) return 'Microsoft found malware in it'
  if (item.file == null) return 'it is not a file'
  const type = item.file.mimeType ?? 'unknown'
  return extractor.formatOf(type, nameOf(item)) === null ? `files of type ${type} are not read` : null
}

const nameOf = (item: DriveItem): string => item.name || item.id

async function textOf(run: DriveRun, item: DriveItem): Promise<ExtractedText> {
  if ((item.size ?? 0) > run.session.limits.maxDownloadBytes) throw tooLarge(run.session)
  const read = () => downloadText(run, item)
  return (item.size ?? 0) > LARGE_BYTES ? await run.oneLarge(read) : await read()
}

async function downloadText(run: DriveRun, item: DriveItem): Promise<ExtractedText> {
  const url = item['@microsoft.graph.downloadUrl']
  if (!url) throw new ProviderError('rejected', 'Microsoft does not let this account download the file')
  const bytes = await run.graph.download(url)
  const format = run.extractor.formatOf(item.file?.mimeType ?? '', nameOf(item)) ?? 'text'
  return await extractFile(run, { format, bytes, charset: null, path: nameOf(item) })
}

function metadataOf(item: DriveItem, drive: Drive): ItemMetadata {
  const { displayName: sender, email: senderEmail } = item.createdBy?.user ?? {}
  const folder = [drive.site?.name, drive.site && drive.name, ...foldersOf(item)].filter(Boolean).join(' / ')
  return {
    fileId: item.id,
    ...(item.file?.mimeType && { mimeType: item.file.mimeType }),
    driveId: drive.id,
    drive: drive.name,
    ...(drive.site && { site: drive.site.name }),
    ...(folder !== '' && { folder }),
    ...(sender && { sender }),
    ...(senderEmail && { senderEmail }),
    ...(item.webUrl && { permalink: item.webUrl }),
  }
}

/** The folders above an item, from a path such as `/drives/ID/root:/Plans/2026%20Q1`. */
function foldersOf({ parentReference }: DriveItem): string[] {
  const path = parentReference?.path ?? ''
  const at = path.indexOf('root:')
  return at < 0
    ? []
    : path
        .slice(at + 'root:'.length)
        .split('/')
        .filter(Boolean)
        .map(decoded)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const dateOf = (time: string | null | undefined): Date | null => (time == null ? null : new Date(time))
