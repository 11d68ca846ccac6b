import type { Db } from '../../database/database.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import type { Candidate } from '../../vector-memory/index.ts'
import { type ChunkKey, type ChunkWords, keyText } from '../nearest-query.ts'
import { readTexts } from '../read-rows.ts'
import type { RowCache } from '../row-cache.ts'
import { type AskedWord, hashWord } from './hybrid-order.ts'

/** A query's stems, in order, with their weight in ordinary text. */
export function askedWords(query: string, terms: TermWeights): AskedWord[] {
  return terms.tokenize(query).map((stem) => ({ hash: hashWord(stem), weight: terms.backgroundWeight(stem) }))
}

/** The hashed words of a chunk. */
export function chunkWords(
  { title, content }: { title: string; content: string },
  terms: Pick<TermWeights, 'tokenize'>,
): ChunkWords {
  const ofTitle = terms.tokenize(title)
  const stems = [...ofTitle, ...terms.tokenize(content)]
  return { numbers: Uint32Array.from(stems, hashWord), titleWords: ofTitle.length }
}

/**
 * The words of chunks, by key: from the cache, or else from their texts; omits deleted chunks. If an item
 * changed since the revision, its words may be newer.
 * @param onMissing called if texts are read
 */
export type ReadWords = (
  of: { organizationId: string; revision: number },
  chunks: readonly Pick<Candidate, 'itemId' | 'position' | 'version'>[],
  options?: { signal?: AbortSignal | undefined; onMissing?: () => void },
) => Promise<ReadonlyMap<string, ChunkWords>>

export function createReadWords({
  db,
  terms,
  cache,
}: {
  db: Db
  terms: TermWeights
  cache: RowCache
}): ReadWords {
  return async ({ organizationId, revision }, chunks, { signal, onMissing } = {}) => {
    const found = new Map<string, ChunkWords>()
    const missing = new Map<string, (typeof chunks)[number]>()
    for (const chunk of chunks) {
      const words = cache.wordsOf(chunk)
      if (words) found.set(keyText(chunk), words)
      else missing.set(keyText(chunk), chunk)
    }
    if (missing.size === 0) return found
    onMissing?.()
    const read = await readTexts(db, organizationId, [...missing.values()])
    await inSlices(hash(read.texts, read.revision === revision), signal)
    return found

    function* hash(
      texts: readonly { key: ChunkKey; title: string; content: string }[],
      isCurrent: boolean,
    ): Pausable<void> {
      for (const { key, ...text } of texts) {
        yield
        const words = chunkWords(text, terms)
        found.set(keyText(key), words)
        const chunk = missing.get(keyText(key))
        if (chunk && isCurrent) cache.setWords(chunk, words)
      }
    }
  }
}
