/**
 * An import: each file is read, turned into documents and pushed in batches, while the next files are read. A file is
 * done, and noted in the state, once the service has taken all its documents; what is noted and unchanged is passed
 * over next time. One bad file costs that file only.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ApiClient } from '../api-client.ts'
import { messageOf, StoppedError } from '../failures.ts'
import type { RetryOptions } from '../retry.ts'
import type { Extractor } from './extractor.ts'
import { isFrontPage } from './file-types.ts'
import type { FileRecord, ImportState } from './import-state.ts'
import { externalIdOf, type IngestTarget, toIngestDocuments } from './ingest-document.ts'
import { deleteDocument, type Parcel, sendDocuments } from './send-documents.ts'
import type { Failure, FoundFile } from './walk-folder.ts'

export interface ImportDeps {
  client: ApiClient
  extractor: Extractor
  state: ImportState
  retry: RetryOptions
  /** Aborted when the person stops the import: what is under way ends, and nothing new begins. */
  stop: AbortSignal
  /** Told what is being read, and how many files came before it. */
  onFile(file: FoundFile, done: number): void
  /** Milliseconds. */
  now(): number
}

export interface ImportOptions {
  target: IngestTarget
  /** Also sends files that have not changed. */
  force: boolean
}

export interface ImportResult {
  /** Documents that the service stored, and those that it had already. */
  ingested: number
  skipped: number
  /** Files that have not changed since an earlier import. */
  unchanged: number
  /** Files without text. */
  empty: string[]
  failed: Failure[]
  /** Whether all files were looked at. */
  complete: boolean
}

const BATCH_DOCUMENTS_MAX = 100
const BATCH_BYTES_MAX = 2 * 1024 * 1024
const FILE_BYTES_MAX = 100 * 1024 * 1024
/** The state is written this often, so that a killed import repeats only the last moments. */
const SAVE_EVERY_MS = 2_000

/** Imports the files. @throws ApiError, ConnectionError, CommandError when the service takes nothing; the state is saved */
export async function runImport(
  deps: ImportDeps,
  files: readonly FoundFile[],
  options: ImportOptions,
): Promise<ImportResult> {
  const result: ImportResult = {
    ingested: 0,
    skipped: 0,
    unchanged: 0,
    empty: [],
    failed: [],
    complete: false,
  }
  const outbox = createOutbox(deps, result)
  try {
    for (const [index, file] of files.entries()) {
      if (deps.stop.aborted) break
      deps.onFile(file, index)
      await importFile(deps, file, options, outbox, result)
    }
    await outbox.flush()
    result.complete = !deps.stop.aborted
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
  } finally {
    await outbox.settle()
    await deps.state.save()
  }
  return result
}

/** Removes from the service the items of files that an earlier import stored and that are gone; counts them. */
export async function deleteMissing(
  deps: Pick<ImportDeps, 'client' | 'state' | 'retry' | 'stop'>,
  files: readonly FoundFile[],
  target: IngestTarget,
): Promise<number> {
  const present = new Set(files.map((file) => file.relativePath))
  let removed = 0
  try {
    for (const [relativePath, record] of deps.state.files) {
      if (present.has(relativePath)) continue
      if (deps.stop.aborted) break
      await deleteParts(deps, target, relativePath, 0, record.parts)
      deps.state.files.delete(relativePath)
      removed++
    }
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
  } finally {
    await deps.state.save()
  }
  return removed
}

async function deleteParts(
  deps: Pick<ImportDeps, 'client' | 'retry'>,
  target: IngestTarget,
  relativePath: string,
  from: number,
  to: number,
): Promise<void> {
  for (let part = from; part < to; part++) {
    const externalId = externalIdOf(target, relativePath, part)
    await deleteDocument(deps.client, { provider: target.provider, externalId }, deps.retry)
  }
}

/** What is read but not yet sent; at most one batch is on its way while the next is filled. */
interface Outbox {
  add(parcel: Parcel): Promise<void>
  /** Sends what is left and waits for it. */
  flush(): Promise<void>
  /** Waits for what is on its way, whatever becomes of it. */
  settle(): Promise<void>
}

function createOutbox(deps: ImportDeps, result: ImportResult): Outbox {
  let parcels: Parcel[] = []
  let bytes = 0
  let savedAt = deps.now()
  let sending: Promise<void> = Promise.resolve()
  const sendBatch = async (batch: readonly Parcel[]): Promise<void> => {
    const counts = await sendDocuments(deps.client, batch, deps.retry)
    result.ingested += counts.ingested
    result.skipped += counts.skipped
    if (deps.now() - savedAt < SAVE_EVERY_MS) return
    savedAt = deps.now()
    await deps.state.save()
  }
  const dispatch = async (): Promise<void> => {
    await sending
    if (parcels.length === 0) return
    sending = sendBatch(parcels)
    // Its failure is met by the next `await sending`.
    sending.catch(() => undefined)
    parcels = []
    bytes = 0
  }
  return {
    async add(parcel) {
      const size = Buffer.byteLength(parcel.document.body)
      if (parcels.length === BATCH_DOCUMENTS_MAX || (bytes + size > BATCH_BYTES_MAX && parcels.length > 0)) {
        await dispatch()
      }
      parcels.push(parcel)
      bytes += size
    },
    async flush() {
      await dispatch()
      await sending
    },
    settle: () => sending.catch(() => undefined),
  }
}

async function importFile(
  deps: ImportDeps,
  file: FoundFile,
  options: ImportOptions,
  outbox: Outbox,
  result: ImportResult,
): Promise<void> {
  const known = deps.state.files.get(file.relativePath)
  const isSame = known?.size === file.size && known.modifiedMs === file.modifiedMs
  if (isSame && !options.force) {
    result.unchanged++
    return
  }
  const read = await readDocument(deps, file, options.force ? undefined : known)
  if ('failure' in read) {
    result.failed.push({ path: file.relativePath, reason: read.failure })
    return
  }
  if (read.document === undefined) {
    deps.state.files.set(file.relativePath, read.record)
    result.unchanged++
    return
  }
  const documents = toIngestDocuments(options.target, file, read.document)
  const record = { ...read.record, parts: documents.length }
  const finish = async (): Promise<void> => {
    await deleteParts(deps, options.target, file.relativePath, documents.length, known?.parts ?? 0)
    deps.state.files.set(file.relativePath, record)
  }
  if (documents.length === 0) {
    result.empty.push(file.relativePath)
    await finish()
    return
  }
  let waiting = documents.length
  for (const document of documents) {
    await outbox.add({
      document,
      accepted: () => {
        waiting--
        return waiting === 0 ? finish() : undefined
      },
      refused: (reason) => void result.failed.push({ path: file.relativePath, reason }),
    })
  }
}

type ReadResult =
  | { failure: string }
  /** Without a document when the content is the known one. */
  | { record: FileRecord; document: Awaited<ReturnType<Extractor['extract']>> | undefined }

async function readDocument(
  deps: Pick<ImportDeps, 'extractor'>,
  file: FoundFile,
  known: FileRecord | undefined,
): Promise<ReadResult> {
  if (file.size > FILE_BYTES_MAX) {
    return { failure: `it is larger than ${FILE_BYTES_MAX / 1024 / 1024} MiB` }
  }
  try {
    const bytes = await readFile(file.absolutePath)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const record = { size: file.size, modifiedMs: file.modifiedMs, sha256, parts: known?.parts ?? 0 }
    if (known?.sha256 === sha256) return { record, document: undefined }
    return {
      record,
      document: await deps.extractor.extract(file.type, bytes, isFrontPage(file.relativePath)),
    }
  } catch (error) {
    return { failure: messageOf(error) }
  }
}
