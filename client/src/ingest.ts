import { DOCUMENT_FAULTS } from './api.ts'
import { type Issue, MemoryError } from './errors.ts'
import { type IngestDocument, type IngestLimits, splitDocuments, type Weighed } from './ingest-batches.ts'
import { parseAnswer, type RequestOptions, type Transport } from './transport.ts'

/** The progress of an ingest. */
export interface IngestProgress {
  /** Stored documents; `skipped` were already stored with the same content. */
  ingested: number
  skipped: number
  /** Refused documents. Without `onRefused`, the first refusal ends the ingest. */
  refused: number
  /** Answered requests. */
  requests: number
}

export interface IngestOptions extends RequestOptions, Partial<IngestLimits> {
  /** Called after each request. */
  onProgress?: ((progress: IngestProgress) => void) | undefined
  /** Called with the documents of each accepted request. The next request waits for it. */
  onStored?: ((documents: readonly IngestDocument[]) => void | Promise<void>) | undefined
  /**
   * Called with each invalid document; the others are stored. An error it throws ends the ingest. Without it, the first
   * refusal throws an `IngestError`. `issues` are the error's issues of this document.
   */
  onRefused?:
    | ((document: IngestDocument, error: MemoryError | RangeError, issues: readonly Issue[]) => void)
    | undefined
}

/** A request was refused because of its documents. Those of earlier requests are stored. */
export class IngestError extends MemoryError {
  override readonly name = 'IngestError'
  /** The documents of the refused request. None of them is stored. `issues` and `details.index` count them from 0. */
  readonly documents: readonly IngestDocument[]
  /** The progress before the refusal. */
  readonly progress: IngestProgress

  constructor(error: MemoryError, documents: readonly IngestDocument[], progress: IngestProgress) {
    super(error.message, error)
    this.cause = error
    this.documents = documents
    this.progress = progress
  }
}

const FAULTS: ReadonlySet<string> = new Set(DOCUMENT_FAULTS)

/**
 * Stores documents in as many requests as needed, one after the other, so that a later document with the same key updates
 * the earlier one. Requests are safe to retry, because stored documents are skipped.
 * @throws IngestError, RangeError (a text over the limit) without `onRefused`; what `send` throws
 */
export async function ingestDocuments(
  transport: Transport,
  documents: Iterable<IngestDocument> | AsyncIterable<IngestDocument>,
  { onProgress, onStored, onRefused, documentsPerRequest, bytesPerRequest, ...request }: IngestOptions,
): Promise<IngestProgress> {
  const progress: IngestProgress = { ingested: 0, skipped: 0, refused: 0, requests: 0 }
  const refuse = (
    document: IngestDocument,
    error: MemoryError | RangeError,
    issues: readonly Issue[] = [],
  ): void => {
    if (onRefused === undefined) throw error
    progress.refused++
    onRefused(document, error, issues)
  }
  const answered = (): void => {
    progress.requests++
    onProgress?.({ ...progress })
  }
  const store = async (batch: readonly Weighed[]): Promise<void> => {
    const some = batch.map(({ document }) => document)
    try {
      const answer = await transport.send(
        { method: 'POST', path: '/v1/ingest', body: bodyOf(batch), idempotent: true },
        request,
      )
      const { ingested, skipped } = parseAnswer<'ingest'>(answer)
      progress.ingested += ingested
      progress.skipped += skipped
    } catch (error) {
      if (!(error instanceof MemoryError) || !FAULTS.has(error.code)) throw error
      if (onRefused === undefined) throw new IngestError(error, some, { ...progress })
      await storeOthers(batch, error)
      return
    }
    answered()
    await onStored?.(some)
  }
  /** A request is all or nothing, so the documents without a fault are sent again. */
  const storeOthers = async (batch: readonly Weighed[], error: MemoryError): Promise<void> => {
    const faulty = batch.length === 1 ? new Set([0]) : faultyIndexes(error, batch.length)
    for (const index of faulty) {
      const document = batch[index]?.document
      const issues = error.issues.filter(({ path }) => path.startsWith(`documents.${index}.`))
      if (document !== undefined) refuse(document, error, issues)
    }
    answered()
    const others = batch.filter((_, index) => !faulty.has(index))
    // If the error names no document, halving the batch finds it.
    const half = faulty.size === 0 ? Math.ceil(others.length / 2) : others.length
    for (const part of [others.slice(0, half), others.slice(half)]) if (part.length > 0) await store(part)
  }
  const limits = { documentsPerRequest, bytesPerRequest }
  for await (const batch of splitDocuments(documents, limits, refuse)) await store(batch)
  return progress
}

function bodyOf(batch: readonly Weighed[]): string {
  return `{"documents":[${batch.map(({ json }) => json).join(',')}]}`
}

/** The indexes of the documents that a refusal names. */
function faultyIndexes({ issues, details }: MemoryError, length: number): Set<number> {
  const named = issues.map(({ path }) => /^documents\.(\d+)(?:\.|$)/.exec(path)?.[1])
  const indexes = [details['index'], ...named].map((index) => Number(index ?? Number.NaN))
  return new Set(indexes.filter((index) => Number.isInteger(index) && index >= 0 && index < length))
}
