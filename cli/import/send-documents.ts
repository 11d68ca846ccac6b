import { type IngestDocument, MemoryError } from '../../client/src/index.ts'
import type { ApiClient } from '../api-client.ts'
import { Anything } from '../api-shapes.ts'
import { codeOf } from '../failures.ts'
import { type OnWait, retryPolicy } from '../retry-policy.ts'

/** A document in flight, with callbacks for the service's decision. */
export interface Parcel {
  document: IngestDocument
  /** May return work that the sender awaits. */
  accepted(): Promise<void> | undefined
  refused(reason: string): void
}

export interface SendCounts {
  ingested: number
  skipped: number
}

export interface Waiting {
  /** Waits `milliseconds`; rejects when the command is stopped. */
  sleep(milliseconds: number): Promise<void>
  onWait: OnWait
}

/** After this many documents in a row, all refused, the cause is not the documents. */
const REFUSED_ALL = 4

/**
 * Pushes documents. The service accepts a request whole or not at all. The parcel of a faulty document is notified,
 * and the rest is stored.
 * @throws MemoryError, ConnectionError when none can be stored
 */
export async function sendDocuments(
  client: ApiClient,
  parcels: readonly Parcel[],
  { sleep, onWait }: Waiting,
): Promise<SendCounts> {
  const byDocument = new Map<object, Parcel>(parcels.map((parcel) => [parcel.document, parcel]))
  let stored = 0
  let refused = 0
  try {
    return await client.memory().ingest(
      parcels.map(({ document }) => document),
      {
        retry: { ...retryPolicy(client.url, onWait), sleep },
        onStored: async (documents) => {
          stored += documents.length
          for (const document of documents) await byDocument.get(document)?.accepted()
        },
        onRefused: (document, error) => {
          refused++
          if (refused === REFUSED_ALL && stored === 0) throw error
          const code = error instanceof MemoryError ? ` (${codeOf(error)})` : ''
          byDocument.get(document)?.refused(`${error.message}${code}`)
        },
      },
    )
  } catch (error) {
    throw client.failureOf(error, 'patient')
  }
}

/** Deletes an item by its id in the caller's system; false when there was none. */
export async function deleteDocument(
  client: ApiClient,
  item: { provider: string; externalId: string },
  { sleep, onWait }: Waiting,
): Promise<boolean> {
  const retry = { ...retryPolicy(client.url, onWait), sleep }
  try {
    await client.use(Anything, (memory, options) => memory.sourceItems.delete(item, options), retry)
    return true
  } catch (error) {
    if (error instanceof MemoryError && error.status === 404) return false
    throw error
  }
}
