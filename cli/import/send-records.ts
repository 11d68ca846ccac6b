import { type IngestDocument, type Issue, MemoryError } from '../../client/src/index.ts'
import type { ApiClient } from '../api-client.ts'
import { StoppedError } from '../failures.ts'
import { patience } from '../patience.ts'
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
 * Pushes documents as they are read. One that the service refuses fails alone; one whose vectors do not fit there is
 * sent again without them.
 * @throws MemoryError, ConnectionError when none can be stored, what `entries` throws
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
  const lines = new Map<IngestDocument, number>()
  const again: IngestDocument[] = []
  let takesVectors = true
  let isRead = false

  async function* documents(): AsyncGenerator<IngestDocument> {
    while (!stop.aborted) {
      const waitingOne = again.shift()
      const next = waitingOne === undefined ? await entries.next() : undefined
      if (next?.done === true) {
        isRead = true
        return
      }
      const document = waitingOne ?? next?.value.document
      if (document === undefined) return
      if (next !== undefined) lines.set(document, next.value.line)
      yield takesVectors ? document : withoutVectors(document)
    }
  }

  function withoutVectors(document: IngestDocument): IngestDocument {
    if (document.embedding === undefined) return document
    const { embedding: _, ...bare } = document
    sent.withoutVectors++
    lines.set(bare, lines.get(document) ?? 0)
    lines.delete(document)
    return bare
  }

  function onRefused(document: IngestDocument, error: Error, issues: readonly Issue[]): void {
    const reason = reasonOf(error, issues)
    const field = /\.embedding\.(model|chunksSha256)$/.exec(issues[0]?.path ?? '')?.[1]
    if (document.embedding !== undefined && field !== undefined) {
      sent.reason ??= reason
      if (field === 'model') takesVectors = false
      again.push(withoutVectors(document))
      return
    }
    failed.push({ path: `line ${lines.get(document)}`, reason })
    lines.delete(document)
  }

  const { sleep, onWait } = waiting
  const before = { ingested: 0, skipped: 0 }
  try {
    while (!stop.aborted && (!isRead || again.length > 0)) {
      const { ingested, skipped } = await client.memory().ingest(documents(), {
        retry: { ...patience(client.url, onWait), sleep },
        onStored: (stored) => stored.forEach((document) => lines.delete(document)),
        onRefused,
        onProgress: (progress) => {
          sent.ingested = before.ingested + progress.ingested
          sent.skipped = before.skipped + progress.skipped
          onProgress(sent.ingested + sent.skipped)
        },
      })
      before.ingested += ingested
      before.skipped += skipped
    }
  } catch (error) {
    if (!(error instanceof StoppedError)) throw client.failureOf(error, 'patient')
  }
  sent.complete = isRead && again.length === 0
  return sent
}

/** The service names fields by the document's place in the request, which says nothing about the file. */
function reasonOf(error: Error, issues: readonly Issue[]): string {
  const message = issues[0]?.message ?? error.message
  const words = message.replace(/^documents\.\d+\.?:? ?/, '')
  return error instanceof MemoryError ? `${words} (${error.code})` : words
}
