import { LRUCache } from 'lru-cache'
import type { Candidate, WholeCopy } from '../vector-memory/index.ts'
import type { ShownChunk } from './read-chunks.ts'
import type { SumOrder } from './sum-order.ts'

/** What chunks of small organizations take together, in bytes; one of 1,024 numbers and 1,000 characters takes 3.5 KiB. */
const SMALL_BYTES_MAX = 48 * 2 ** 20
/** What those of the others take, of which there are too many to keep them all. */
const LARGE_BYTES_MAX = 4 * 2 ** 20
/** The vectors of a small organization take no more. */
const VECTOR_BYTES_MAX = 24 * 2 ** 20
const BYTES_A_NUMBER = 2
/** What a chunk takes beside its numbers and characters. */
const CHUNK_BYTES = 512
/** What a list or an object of metadata takes beside what is in it, another value or a key beside its characters. */
const LIST_BYTES = 64
const VALUE_BYTES = 32
/** Names that are counted; 576 KiB. */
const PLACES = 2 ** 16
/** Counts are halved after so many names, so that what came long ago counts little (Einziger and others, TinyLFU, 2017). */
const HALVED_EVERY = 2 ** 15
/** More than a document has. */
const POSITIONS_MAX = 2 ** 20

/** A chunk as it is stored. */
export interface KeptChunk {
  /** Its vector. */
  values: Float16Array
  /** The sum of the vector's squares, as the database makes it that adds up in this order. */
  squares: number
  order: SumOrder
  shown: ShownChunk
}

/** Chunks by a name that changes with what is stored of them. What was not asked for the longest goes first. */
export type Kept = LRUCache<number, KeptChunk>

/** Chunks that were found lately, so that the process can tell how near they are to a query, and show them, without asking. */
export interface KeptChunks {
  /** Where those of an organization are. */
  of(copy: WholeCopy): Kept
}

/** Whether all chunks of an organization can be kept. */
export function isSmall({ vectorNumbers }: WholeCopy): boolean {
  return vectorNumbers * BYTES_A_NUMBER <= VECTOR_BYTES_MAX
}

export function createKeptChunks(): KeptChunks {
  const small = createKept(SMALL_BYTES_MAX)
  const large = createKept(LARGE_BYTES_MAX)
  return { of: (copy) => (isSmall(copy) ? small : large) }
}

/** @param bytes how much is kept */
export function createKept(bytes: number): Kept {
  return new LRUCache({
    maxSize: bytes,
    sizeCalculation: ({ values, shown: { title, content, url, metadata } }) =>
      CHUNK_BYTES +
      values.byteLength +
      bytesOfText(title) +
      bytesOfText(content) +
      bytesOfText(url ?? '') +
      bytesOf(metadata),
  })
}

/** What a value of JSON takes, about, which can be twenty times what is written: an empty object of two characters takes 64 bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + bytesOfText(value)
  if (value === null || typeof value !== 'object') return VALUE_BYTES
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + bytesOf(inner), LIST_BYTES)
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + VALUE_BYTES + bytesOfText(key) + bytesOf(inner),
    LIST_BYTES,
  )
}

/** A text of other characters than ASCII may take two bytes for each. */
function bytesOfText(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length
}

/** A name for what is stored of a chunk, which another text or vector in the same place has not. */
export function nameOf({ version, position }: Candidate): number {
  return version * POSITIONS_MAX + position
}

/** Counts how often names came lately, in a room of fixed size: those whose place others take are forgotten. */
export class SeenNames {
  readonly #names = new Float64Array(PLACES)
  readonly #times = new Uint8Array(PLACES)
  #noted = 0

  /** Notes a name. @returns how often it came lately, this time too */
  note(name: number): number {
    this.#noted += 1
    if (this.#noted % HALVED_EVERY === 0)
      for (let at = 0; at < PLACES; at++) this.#times[at] = (this.#times[at] ?? 0) >> 1
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    const place =
      Math.imul(
        Math.floor(name / POSITIONS_MAX) ^ Math.imul(name % POSITIONS_MAX, 0x85ebca6b),
        0x9e3779b1,
      ) >>> 16
    const times = this.#names[place] === name ? Math.min(255, (this.#times[place] ?? 0) + 1) : 1
    this.#names[place] = name
    this.#times[place] = times
    return times
  }
}
