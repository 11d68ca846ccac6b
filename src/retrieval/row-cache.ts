import { LRUCache } from 'lru-cache'
import type { Candidate, VectorSnapshot } from '../vector-memory/index.ts'
import type { ChunkRow } from './nearest-query.ts'
import type { ChunkWords } from './rank/words.ts'

/** The memory limit of all cached rows. A row with 1,024 dimensions and 1,000 characters takes 3.5 KiB. */
const BYTES_MAX = 52 * 2 ** 20
/** Organizations with more vector data are not cached, so that all rows of a cached one fit. */
const VECTOR_BYTES_MAX = 24 * 2 ** 20
const BYTES_PER_NUMBER = 2
/** The overhead of a row, besides its numbers and characters. */
const ROW_BYTES = 512
/** Overhead of the words of a chunk. */
const WORDS_BYTES = 256
/** The memory of an average chunk's words, with overhead: 128 MiB hold those of 150,000 chunks. */
export const CHUNK_WORDS_BYTES = 900
/** The overhead of a list or object of metadata, and of each value or key. */
const LIST_BYTES = 64
const VALUE_BYTES = 32
/** More chunks than any document has. */
const POSITIONS_MAX = 2 ** 20

type Chunk = Pick<Candidate, 'version' | 'position'>

/** An LRU cache of stored rows and of chunks' words, by item version and position. */
export class RowCache {
  readonly #rows = new LRUCache<number, ChunkRow>({ maxSize: BYTES_MAX, sizeCalculation: bytesOfRow })
  readonly #words: LRUCache<number, ChunkWords>
  /** About how many chunks' words fit. */
  readonly wordsMax: number

  /** @param wordsBytes the memory limit of all words; by default none are cached */
  constructor(wordsBytes = 0) {
    this.wordsMax = Math.floor(wordsBytes / CHUNK_WORDS_BYTES)
    this.#words = new LRUCache({
      maxSize: Math.max(1, Math.floor(wordsBytes)),
      sizeCalculation: bytesOfWords,
    })
  }

  get(chunk: Chunk): ChunkRow | undefined {
    return this.#rows.get(nameOf(chunk))
  }

  set(chunk: Chunk, row: ChunkRow | undefined): void {
    if (row && chunk.version !== null) this.#rows.set(nameOf(chunk), row)
  }

  wordsOf(chunk: Chunk): ChunkWords | undefined {
    return this.#words.get(nameOf(chunk))
  }

  setWords(chunk: Chunk, words: ChunkWords): void {
    if (chunk.version !== null) this.#words.set(nameOf(chunk), words)
  }
}

/** Whether all rows of an organization with this many vector numbers can be cached. */
export function fitsRowCache({ table: { rows, dimensions } }: VectorSnapshot): boolean {
  return rows * dimensions * BYTES_PER_NUMBER <= VECTOR_BYTES_MAX
}

/** Without a version the key is negative and never stored. */
function nameOf({ version, position }: Chunk): number {
  return version === null ? -1 : version * POSITIONS_MAX + position
}

function bytesOfWords({ numbers }: ChunkWords): number {
  return WORDS_BYTES + numbers.byteLength
}

function bytesOfRow({ values, shown: { title, content, url, metadata } }: ChunkRow): number {
  const text = bytesOfText(title) + bytesOfText(content) + bytesOfText(url ?? '')
  return ROW_BYTES + values.byteLength + text + bytesOf(metadata)
}

/** The memory of a JSON value, which can be many times its text: an empty object of two characters takes 64 bytes. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + bytesOfText(value)
  if (value === null || typeof value !== 'object') return VALUE_BYTES
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + bytesOf(inner), LIST_BYTES)
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + VALUE_BYTES + bytesOfText(key) + bytesOf(inner),
    LIST_BYTES,
  )
}

/** Text with non-ASCII characters can take two bytes per character. */
function bytesOfText(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length
}
