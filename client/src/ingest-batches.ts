import type { Shape } from './operations.ts'

export type IngestDocument = Shape<'IngestDocument'>

/** How much goes into one request. */
export interface IngestLimits {
  /** 1,000 by default, and at most. */
  documentsPerRequest: number
  /** Of the body, as JSON in UTF-8: 4 MiB by default, 10 MiB at most. One document may be longer than this. */
  bytesPerRequest: number
}

/** A document and its JSON, which is made once. */
export interface Weighed {
  document: IngestDocument
  json: string
}

/** The service's limits (docs/reference/ingest.md). */
const DOCUMENTS_MAX = 1_000
const REQUEST_BYTES_MAX = 10 * 1024 * 1024
const TEXT_BYTES_MAX = 1024 * 1024
/** Large enough to spare requests, small enough that a slow embedding model is done with it in time. */
const BYTES_DEFAULT = 4 * 1024 * 1024
const ENVELOPE_BYTES = '{"documents":[]}'.length

const encoder = new TextEncoder()

/**
 * Puts documents into batches within the limits, in their order. Two of one key never share a batch, since the service
 * refuses that. A document that no request can hold goes to `refuse`.
 * @throws RangeError for limits that the service does not have
 */
export async function* splitDocuments(
  documents: Iterable<IngestDocument> | AsyncIterable<IngestDocument>,
  limits: { [Key in keyof IngestLimits]?: IngestLimits[Key] | undefined },
  refuse: (document: IngestDocument, error: RangeError) => void,
): AsyncGenerator<Weighed[]> {
  const documentsMax = checkedLimit(
    'documentsPerRequest',
    limits.documentsPerRequest ?? DOCUMENTS_MAX,
    DOCUMENTS_MAX,
  )
  const bytesMax = checkedLimit('bytesPerRequest', limits.bytesPerRequest ?? BYTES_DEFAULT, REQUEST_BYTES_MAX)
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
  throw new RangeError(`${name} has to be a whole number from 1 to ${max}`)
}

/** Why the service cannot take a document, whatever else is in the request. */
function faultOf({ provider, externalId, body }: IngestDocument, jsonBytes: number): RangeError | undefined {
  const name = `The document "${externalId}" of ${provider}`
  const textBytes = byteLength(body)
  if (textBytes > TEXT_BYTES_MAX)
    return new RangeError(`${name} has a body of ${textBytes} bytes; at most ${TEXT_BYTES_MAX} fit: split it`)
  if (ENVELOPE_BYTES + jsonBytes > REQUEST_BYTES_MAX)
    return new RangeError(
      `${name} has ${jsonBytes} bytes as JSON; a request has at most ${REQUEST_BYTES_MAX}`,
    )
  return undefined
}

function byteLength(text: string): number {
  return encoder.encode(text).length
}
