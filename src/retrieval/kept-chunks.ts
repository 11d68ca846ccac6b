import { LRUCache } from 'lru-cache'
import type { Candidate } from '../vector-memory/index.ts'
import type { ShownChunk } from './read-chunks.ts'
import type { SumOrder } from './sum-order.ts'

/** What all chunks take together, in bytes; one of 1,024 numbers and 1,000 characters takes 3.5 KiB. */
const BYTES_MAX = 48 * 2 ** 20
/** What a chunk takes beside its numbers and characters. */
const CHUNK_BYTES = 512
/** Names that are remembered; 256 KiB. */
const PLACES = 2 ** 16
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

/**
 * Chunks that were found lately, so that the process can tell how near they are to a query, and show them, without asking. What was
 * not asked for the longest goes first. Each has a name that changes with what is stored of it.
 */
export type KeptChunks = LRUCache<number, KeptChunk>

/** @param bytes how much is kept */
export function createKeptChunks(bytes = BYTES_MAX): KeptChunks {
  return new LRUCache({
    maxSize: bytes,
    sizeCalculation: ({ values, shown: { title, content, url, metadata } }) =>
      CHUNK_BYTES +
      values.byteLength +
      title.length +
      content.length +
      (url?.length ?? 0) +
      JSON.stringify(metadata).length,
  })
}

/** A name for what is stored of a chunk, which another text or vector in the same place has not. */
export function nameOf({ version, position }: Candidate): number {
  return version * POSITIONS_MAX + position
}

/** Remembers names, in a room of fixed size: it may take one for another, and forgets those whose place others take. */
export class SeenNames {
  readonly #places = new Float64Array(PLACES)

  /** Notes a name. @returns whether it was noted before */
  note(name: number): boolean {
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    const place =
      Math.imul(
        Math.floor(name / POSITIONS_MAX) ^ Math.imul(name % POSITIONS_MAX, 0x85ebca6b),
        0x9e3779b1,
      ) >>> 16
    const isSeen = this.#places[place] === name
    this.#places[place] = name
    return isSeen
  }
}
