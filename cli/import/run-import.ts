/**
 * Reads each file, turns it into documents and pushes these in batches while it reads the next files. A file is
 * recorded once the service has accepted all its documents; the next import skips it if unchanged. A bad file affects
 * no other.
 */
import { createHash } from 'node:crypto'
import { readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { COMMAND_FILE_LIMITS, type ExtractedText, type TextExtractor } from '../../src/file-text/index.ts'
import type { ApiClient } from '../api-client.ts'
import { isMissingFile, StoppedError } from '../failures.ts'
import { describeFileError } from '../describe-file-error.ts'
import { type ImportNotes, nameOf, type Place } from './import-notes.ts'
import { externalIdOf, type IngestTarget, toIngestDocuments } from './ingest-document.ts'
import { deleteDocument, type Parcel, sendDocuments, type Waiting } from './send-documents.ts'
import type { FileRecord } from './state-files.ts'
import type { Failure, FoundFile } from './walk-folder.ts'

export interface ImportDeps {
  client: ApiClient
  extractor: TextExtractor
  notes: ImportNotes
  waiting: Waiting
  /** Aborted when the user stops the import: the current batch finishes, and nothing new begins. */
  stop: AbortSignal
  /** Called with the file being read and the number of files before it. */
  onFile(file: FoundFile, done: number): void
  now(): number
}

export interface ImportOptions {
  target: IngestTarget
  /** Also sends unchanged files. */
  force: boolean
}

export interface ImportResult {
  /** Documents that the service stored or already had. */
  ingested: number
  skipped: number
  /** Files unchanged since an earlier import. */
  unchanged: number
  /** Files without text. */
  empty: string[]
  /** Files whose text exceeds the limit and was cut. */
  cut: string[]
  failed: Failure[]
  /** Whether all files were visited. */
  complete: boolean
}

const BATCH_DOCUMENTS_MAX = 100
const BATCH_BYTES_MAX = 2 * 1024 * 1024
/** How often the notes are saved, so that a killed import repeats little. */
const SAVE_EVERY_MS = 2_000

/** Imports the files. @throws MemoryError, ConnectionError, CommandError; the notes are saved */
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
    cut: [],
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
    await deps.notes.save()
  }
  return result
}

/** Deletes from the service the items of missing files below `folder`; returns the number of files. */
export async function deleteMissing(
  deps: Pick<ImportDeps, 'client' | 'notes' | 'waiting' | 'stop'>,
  files: readonly FoundFile[],
  folder: string,
  target: IngestTarget,
): Promise<number> {
  const present = new Set(files.map((file) => nameOf(deps.notes.placeOf(file.absolutePath))))
  const isPassedOver = passedOverBeside(files)
  let removed = 0
  try {
    for (const place of deps.notes.placesBelow(folder)) {
      if (present.has(nameOf(place)) || (await isPassedOver(place))) continue
      if (deps.stop.aborted) break
      await deleteParts(deps, target, nameOf(place), 0, deps.notes.recordOf(place)?.parts ?? 0)
      deps.notes.forget(place)
      removed++
    }
  } catch (error) {
    if (!(error instanceof StoppedError)) throw error
  } finally {
    await deps.notes.save()
  }
  return removed
}

/** Whether a stored file still exists but was passed over, as a hidden one is. Another path of a found file does not count. */
function passedOverBeside(files: readonly FoundFile[]): (place: Place) => Promise<boolean> {
  let found: Promise<Set<string>> | undefined
  return async ({ state, path: relativePath }) => {
    const file = path.join(state.root, relativePath)
    const exists = await stat(file).then(
      (info) => info.isFile(),
      // Also gone is a file whose folder was replaced by a file.
      (error: unknown) =>
        !isMissingFile(error) && !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR'),
    )
    if (!exists) return false
    found ??= Promise.all(files.map(({ absolutePath }) => realOf(absolutePath))).then((all) => new Set(all))
    return !(await found).has(await realOf(file))
  }
}

const realOf = (file: string): Promise<string> => realpath(file).catch(() => file)

async function deleteParts(
  deps: Pick<ImportDeps, 'client' | 'waiting'>,
  target: IngestTarget,
  name: string,
  from: number,
  to: number,
): Promise<void> {
  for (let part = from; part < to; part++) {
    const externalId = externalIdOf(name, part)
    await deleteDocument(deps.client, { provider: target.provider, externalId }, deps.waiting)
  }
}

/** Documents read but not sent; one batch is in flight while the next fills. */
interface Outbox {
  add(parcel: Parcel): Promise<void>
  /** Sends and waits for the rest. */
  flush(): Promise<void>
  /** Waits for the batch in flight, whether it succeeds or not. */
  settle(): Promise<void>
}

function createOutbox(deps: ImportDeps, result: ImportResult): Outbox {
  let parcels: Parcel[] = []
  let bytes = 0
  let savedAt = deps.now()
  let sending: Promise<void> = Promise.resolve()
  const sendBatch = async (batch: readonly Parcel[]): Promise<void> => {
    const counts = await sendDocuments(deps.client, batch, deps.waiting)
    result.ingested += counts.ingested
    result.skipped += counts.skipped
    if (deps.now() - savedAt < SAVE_EVERY_MS) return
    savedAt = deps.now()
    await deps.notes.save()
  }
  const dispatch = async (): Promise<void> => {
    await sending
    if (parcels.length === 0) return
    sending = sendBatch(parcels)
    // The next `await sending` handles its failure.
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
  const place = deps.notes.placeOf(file.absolutePath)
  const known = deps.notes.recordOf(place)
  const isSame = known?.size === file.size && known.modifiedMs === file.modifiedMs
  if (isSame && !options.force) {
    result.unchanged++
    return
  }
  const name = nameOf(place)
  const read = await readDocument(deps, file, name, options.force ? undefined : known)
  if ('failure' in read) {
    // The next import reads it.
    if (deps.stop.aborted) return
    result.failed.push({ path: file.relativePath, reason: read.failure })
    return
  }
  if (read.document === undefined) {
    deps.notes.note(place, read.record)
    result.unchanged++
    return
  }
  if (read.document.truncated) result.cut.push(file.relativePath)
  const documents = toIngestDocuments(options.target, name, file, read.document)
  const record = { ...read.record, parts: documents.length }
  const finish = async (): Promise<void> => {
    await deleteParts(deps, options.target, name, documents.length, known?.parts ?? 0)
    deps.notes.note(place, record)
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
  /** Without a document when the content is unchanged. */
  | { record: FileRecord; document: ExtractedText | undefined }

async function readDocument(
  deps: Pick<ImportDeps, 'extractor' | 'stop'>,
  file: FoundFile,
  name: string,
  known: FileRecord | undefined,
): Promise<ReadResult> {
  const { fileBytes, textBytes, timeoutMs, memoryMb } = COMMAND_FILE_LIMITS
  if (file.size > fileBytes) return { failure: `it is larger than ${fileBytes / 1024 / 1024} MiB` }
  try {
    const bytes = await readFile(file.absolutePath)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const record = { size: file.size, modifiedMs: file.modifiedMs, sha256, parts: known?.parts ?? 0 }
    if (known?.sha256 === sha256) return { record, document: undefined }
    const document = await deps.extractor.extract({
      format: file.format,
      bytes,
      charset: null,
      path: name,
      maxTextBytes: textBytes,
      timeoutMs,
      memoryMb,
      signal: deps.stop,
    })
    return { record, document }
  } catch (error) {
    return { failure: describeFileError(error) }
  }
}
