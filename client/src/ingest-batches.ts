import { INGEST_LIMITS } from './api.ts'
import type { Shape } from './operations.ts'

export type IngestDocument = Shape<'IngestDocument'>

/** The limits of one request. */
export interface IngestLimits {
  /** By default, the service's maximum. */
  documentsPerRequest: number
  /** The body as JSON in UTF-8: 4 MiB by default. A single larger document is sent alone. */
  bytesPerRequest: number
}

/** A document with its JSON. */
export interface Weighed {
  document: IngestDocument
  json: string
}

/** Few requests, and few enough documents for a slow embedding model to finish in time. */
const BYTES_DEFAULT = 4 * 1024 * 1024
const ENVELOPE_BYTES = '{"documents":[]}'.length

const encoder = new TextEncoder()

/**
 * Groups documents into batches within the limits, in their order. Documents with the same key are never in one batch,
 * because the service refuses that. `refuse` gets a document that is too large for any request.
 * @throws RangeError for limits that the service does not have
 */
export async function* splitDocuments(
  documents: Iterable<IngestDocument> | AsyncIterable<IngestDocument>,
  limits: { [Key in keyof IngestLimits]?: IngestLimits[Key] | undefined },
  refuse: (document: IngestDocument, error: RangeError) => void,
): AsyncGenerator<Weighed[]> {
  const documentsMax = checkedLimit(
    'documentsPerRequest',
    limits.documentsPerRequest ?? INGEST_LIMITS.documents,
    INGEST_LIMITS.documents,
  )
  const bytesMax = checkedLimit(
    'bytesPerRequest',
    limits.bytesPerRequest ?? BYTES_DEFAULT,
    INGEST_LIMITS.requestBytes,
  )
  let batch = new Map<string, Weighed>()
  let bytes = ENVELOPE_BYTES
  for await (const document of documents) {
    const json = JSON.stringify(document)
    const size = byteLength(json) + 1
    const fault = faultOf(document, size)
    if (fault !== undefined) {
      refuse(document, fault)
      continue
    }
    const key = JSON.stringify([document.provider, document.externalId])
    const isFull = batch.size === documentsMax || bytes + size > bytesMax
    if (batch.size > 0 && (isFull || batch.has(key))) {
      yield [...batch.values()]
      batch = new Map()
      bytes = ENVELOPE_BYTES
    }
    batch.set(key, { document, json })
    bytes += size
  }
  if (batch.size > 0) yield [...batch.values()]
}

function checkedLimit(name: keyof IngestLimits, value: number, max: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw new RangeError(`${name} must be a whole number from 1 to ${max}`)
}

/** Why a document is too large for any request. */
function faultOf({ provider, externalId, body }: IngestDocument, jsonBytes: number): RangeError | undefined {
  const name = `The document "${externalId}" of ${provider}`
  const textBytes = byteLength(body)
  if (textBytes > INGEST_LIMITS.textBytes)
    return new RangeError(
      `${name} has a body of ${textBytes} bytes; the limit is ${INGEST_LIMITS.textBytes}: split it`,
    )
  if (ENVELOPE_BYTES + jsonBytes > INGEST_LIMITS.requestBytes)
    return new RangeError(
      `${name} has ${jsonBytes} bytes as JSON; a request has at most ${INGEST_LIMITS.requestBytes}`,
    )
  return undefined
}

function byteLength(text: string): number {
  return encoder.encode(text).length
}
