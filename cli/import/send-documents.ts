import type { ApiClient } from '../api-client.ts'
import { Anything, IngestAnswer } from '../api-shapes.ts'
import { ApiError } from '../failures.ts'
import { type RetryOptions, withRetries } from '../retry.ts'
import type { IngestDocument } from './ingest-document.ts'

/** A document on its way, and what to do when the service has taken or refused it. */
export interface Parcel {
  document: IngestDocument
  /** May have work to do at the service; it is waited for. */
  accepted(): Promise<void> | undefined
  refused(reason: string): void
}

export interface SendCounts {
  ingested: number
  skipped: number
}

/** Codes of refusals that are about a document; everything else would meet the next one as well. */
const DOCUMENT_FAULTS = new Set([
  'validation_failed',
  'body_too_large',
  'duplicate_document',
  'malformed_json',
])
/** When all of so many documents in a row are refused, the fault is not the documents'. */
const REFUSED_ALL = 4

/**
 * Pushes documents. The service takes a request whole or not at all, so a refused one is halved until the document at
 * fault is found; that one is reported to its parcel and the rest is stored.
 * @throws ApiError, ConnectionError when none can be stored
 */
export async function sendDocuments(
  client: ApiClient,
  parcels: readonly Parcel[],
  retry: RetryOptions,
): Promise<SendCounts> {
  const counts: SendCounts = { ingested: 0, skipped: 0 }
  let refused = 0
  const send = async (some: readonly Parcel[]): Promise<void> => {
    try {
      const documents = some.map((parcel) => parcel.document)
      const request = { method: 'POST', path: '/v1/ingest', body: { documents } } as const
      const answer = await withRetries(() => client.call(IngestAnswer, request), retry)
      counts.ingested += answer.ingested
      counts.skipped += answer.skipped
      for (const parcel of some) await parcel.accepted()
    } catch (error) {
      if (!(error instanceof ApiError) || !DOCUMENT_FAULTS.has(error.code)) throw error
      if (some.length === 1) {
        refused++
        if (refused === REFUSED_ALL && counts.ingested + counts.skipped === 0) throw error
        some[0]?.refused(`${error.message} (${error.code})`)
        return
      }
      const half = Math.ceil(some.length / 2)
      await send(some.slice(0, half))
      await send(some.slice(half))
    }
  }
  await send(parcels)
  return counts
}

/** Removes an item by its id in the caller's system; false when there was none. */
export async function deleteDocument(
  client: ApiClient,
  item: { provider: string; externalId: string },
  retry: RetryOptions,
): Promise<boolean> {
  const query = new URLSearchParams(item).toString()
  const request = { method: 'DELETE', path: `/v1/source-items?${query}` } as const
  try {
    await withRetries(() => client.call(Anything, request), retry)
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}
