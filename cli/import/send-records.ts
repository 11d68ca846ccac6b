import { type IngestDocument, type Issue, MemoryError } from '../../client/src/index.ts'
import type { ApiClient } from '../api-client.ts'
import { StoppedError } from '../failures.ts'
import { retryPolicy } from '../retry-policy.ts'
import type { Waiting } from './send-documents.ts'
import type { Failure } from './walk-folder.ts'

/** A document of a line. */
export interface Entry {
  line: number
  document: IngestDocument
}

export interface SentRecords {
  ingested: number
  skipped: number
  failed: Failure[]
  /** Documents sent without the vectors they had, and why the first was. */
  withoutVectors: number
  reason: string | null
  /** Whether all lines were read and sent. */
  complete: boolean
}

interface Sending {
  client: ApiClient
  waiting: Waiting
  /** Aborted when the user stops the import. */
  stop: AbortSignal
  onProgress(documents: number): void
}

/**
 * Pushes documents as they are read. A refused document does not affect others; a document whose vectors do not match
 * is sent again without them. @throws MemoryError, ConnectionError when none can be stored, what `entries` throws
 */
export async function sendRecords(
  { client, waiting, stop, onProgress }: Sending,
  entries: AsyncIterator<Entry>,
  failed: Failure[],
): Promise<SentRecords> {
  const sent: SentRecords = {
    ingested: 0,
    skipped: 0,
    failed,
    withoutVectors: 0,
    reason: null,
    complete: false,
  }
  const queue = createQueue(entries, stop, sent)
  const { sleep, onWait } = waiting
  try {
    while (!stop.aborted && !queue.isEmpty()) {
      const before = { ...sent }
      await client.memory().ingest(queue.documents(), {
        retry: { ...retryPolicy(client.url, onWait), sleep },
        onStored: queue.onStored,
        onRefused: queue.onRefused,
        onProgress: ({ ingested, skipped }) => {
          sent.ingested = before.ingested + ingested
          sent.skipped = before.skipped + skipped
          onProgress(sent.ingested + sent.skipped)
        },
      })
    }
  } catch (error) {
    if (!(error instanceof StoppedError)) throw client.failureOf(error, 'patient')
  }
  sent.complete = queue.isEmpty()
  return sent
}

interface Queue {
  isEmpty(): boolean
  /** The documents to send next. It may end before the queue is empty. */
  documents(): AsyncGenerator<IngestDocument>
  onStored(documents: readonly IngestDocument[]): void
  onRefused(document: IngestDocument, error: Error, issues: readonly Issue[]): void
}

/** Reads entries on demand. Documents in flight are the only ones in memory. */
function createQueue(entries: AsyncIterator<Entry>, stop: AbortSignal, sent: SentRecords): Queue {
  const lines = new Map<IngestDocument, number>()
  const again: IngestDocument[] = []
  let takesVectors = true
  let isRead = false

  async function next(): Promise<IngestDocument | undefined> {
    const refused = again.shift()
    if (refused !== undefined) return refused
    const { done, value } = await entries.next()
    if (done === true) {
      isRead = true
      return undefined
    }
    lines.set(value.document, value.line)
    return takesVectors ? value.document : withoutVectors(value.document)
  }

  function withoutVectors(document: IngestDocument): IngestDocument {
    if (document.embedding === undefined) return document
    const { embedding: _, ...bare } = document
    sent.withoutVectors++
    lines.set(bare, lines.get(document) ?? 0)
    lines.delete(document)
    return bare
  }

  return {
    isEmpty: () => isRead && again.length === 0,
    async *documents() {
      for (let one = await next(); one !== undefined; one = await next()) {
        yield one
        if (stop.aborted) return
      }
    },
    onStored(documents) {
      for (const document of documents) lines.delete(document)
    },
    onRefused(document, error, issues) {
      const reason = reasonOf(error, issues)
      const field = /\.embedding\.(model|chunksSha256)$/.exec(issues[0]?.path ?? '')?.[1]
      if (document.embedding !== undefined && field !== undefined) {
        sent.reason ??= reason
        if (field === 'model') takesVectors = false
        again.push(withoutVectors(document))
        return
      }
      sent.failed.push({ path: `line ${lines.get(document)}`, reason })
      lines.delete(document)
    },
  }
}

/** The service names fields by the document's place in the request, which says nothing about the file. */
function reasonOf(error: Error, issues: readonly Issue[]): string {
  const message = issues[0]?.message ?? error.message
  const words = message.replace(/^documents\.\d+\.?:? ?/, '')
  return error instanceof MemoryError ? `${words} (${error.code})` : words
}
