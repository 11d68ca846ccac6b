import path from 'node:path'
import type { Db } from '../database/database.ts'
import {
  FORMATS_IN_WORDS,
  type ExtractedText,
  ExtractionError,
  SERVICE_FILE_LIMITS,
  shortTitle,
  sourceKindOf,
  type TextExtractor,
  type TextFormat,
} from '../file-text/index.ts'
import { AppError } from '../kernel/errors.ts'
import { createFairLimit } from '../kernel/fair-limit.ts'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { providersOf } from '../providers/index.ts'
import type { StoredFile } from './console-schemas.ts'
import { cleanItem } from './item.ts'
import type { Items } from './items.ts'

export interface GivenFile {
  connectorId: string
  /** The file's name, with its folders if any. It becomes the externalId. */
  name: string
  /** From `Content-Type`; `''`: missing. */
  mediaType: string
  modifiedAt: Date | null
  bytes: Buffer
}

export interface Files {
  /** Stores a file's text as the document of its name. @throws AppError as ingest, `file_unreadable` */
  ingest(caller: Caller, file: GivenFile, requestId: string, signal: AbortSignal): Promise<StoredFile>
  /** Ends the reading threads. */
  stop(): Promise<void>
}

/** Files that this process reads at once, in their own threads. */
const READING = { concurrency: 2, concurrencyPerOwner: 1, waitMaxMs: 30_000 }
/** A request may take a minute, and embedding and storing the text must fit in. */
const RECOGNITION_ENDS_MS = 50_000

export function createFiles(deps: { db: Db; items: Items; extractor: TextExtractor }): Files {
  const admit = createFairLimit({ what: 'files', ...READING })
  return {
    async ingest(caller, given, requestId, signal) {
      const enough = AbortSignal.timeout(RECOGNITION_ENDS_MS)
      const provider = await findProviderOf(deps.db, caller, given.connectorId)
      const format = formatOf(deps.extractor, given)
      const { title, text, truncated } = await admit({
        owner: caller.organizationId,
        cost: given.bytes.length,
        run: () => read(deps.extractor, { given, format, signal, enough }),
        signal,
      })
      const folder = path.posix.dirname(given.name)
      const item = cleanItem({
        sourceId: given.connectorId,
        provider,
        sourceKind: sourceKindOf(format),
        externalId: given.name,
        title: shortTitle(title),
        body: text,
        sourceUpdatedAt: given.modifiedAt,
        metadata: { path: given.name, folder: folder === '.' ? '' : folder, fileType: format },
      })
      const counts = await deps.items.ingest(caller, [item], requestId, signal)
      const { externalId, sourceKind } = item
      return { file: { externalId, title: item.title, sourceKind, isTruncated: truncated }, ...counts }
    },
    stop: () => deps.extractor.close(),
  }
}

/** The provider of a source's documents. @throws AppError `not_found` */
async function findProviderOf(db: Db, caller: Caller, sourceId: string): Promise<ProviderId> {
  const source = await db
    .selectFrom('sources')
    .select('provider')
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', sourceId)
    .where('provider', 'in', providersOf(caller))
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (!source) throw new AppError('not_found', 'There is no such source')
  return source.provider
}

/** The format by media type, or by name, because browsers send their own types. @throws AppError `file_unreadable` */
function formatOf(extractor: TextExtractor, { mediaType, name }: GivenFile): TextFormat {
  const format = extractor.formatOf(mediaType, name) ?? extractor.formatOf('', name)
  if (format !== null) return format
  throw unreadable(
    'format',
    `This type of file is not supported. Supported types: ${FORMATS_IN_WORDS}, PNG and JPEG`,
  )
}

async function read(
  extractor: TextExtractor,
  {
    given,
    format,
    ...signals
  }: { given: GivenFile; format: TextFormat; signal: AbortSignal; enough: AbortSignal },
): Promise<ExtractedText> {
  const { timeoutMs, memoryMb, textBytes } = SERVICE_FILE_LIMITS
  const charset = /charset="?([\w-]{1,40})/i.exec(given.mediaType)?.[1] ?? null
  try {
    const found = await extractor.extract({
      format,
      bytes: given.bytes,
      charset,
      path: given.name,
      maxTextBytes: textBytes,
      timeoutMs,
      memoryMb,
      ...signals,
    })
    if (found.text !== '') return found
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error
    throw unreadable(error.reason, error.message, error)
  }
  throw unreadable('empty', 'The file has no text')
}

function unreadable(
  reason: 'format' | 'empty' | ExtractionError['reason'],
  message: string,
  cause?: unknown,
): AppError {
  return new AppError('file_unreadable', message, { details: { reason }, cause })
}
