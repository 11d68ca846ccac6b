import type { Db } from '../../database/database.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { runCooperatively, type Pausable } from '../../kernel/cooperative.ts'
import type { Candidate } from '../../vector-memory/index.ts'
import { type ChunkWords, keyText } from '../nearest-query.ts'
import { readTexts } from '../read-rows.ts'
import type { RowCache } from '../row-cache.ts'
import { type AskedWord, hashWord } from './hybrid-order.ts'

/** The stems of a query, in order, with their weight in ordinary text. */
export function askedWords(query: string, terms: TermWeights): AskedWord[] {
  return terms.tokenize(query).map((stem) => ({ hash: hashWord(stem), weight: terms.backgroundWeight(stem) }))
}

interface Titled {
  title: string
  content: string
}

export function chunkWords({ title, content }: Titled, terms: Pick<TermWeights, 'tokenize'>): ChunkWords {
  const ofTitle = terms.tokenize(title)
  const stems = [...ofTitle, ...terms.tokenize(content)]
  return { numbers: Uint32Array.from(stems, hashWord), titleWords: ofTitle.length }
}

/**
 * The words of chunks, in order, from the cache or else from their texts. If an item changed since the revision, its
 * words may be newer.
 * @param onMissing called if texts are read
 * @returns null if a chunk no longer exists
 */
export type ReadWords = (
  of: { organizationId: string; revision: number },
  chunks: readonly Pick<Candidate, 'itemId' | 'position' | 'version'>[],
  options?: { signal?: AbortSignal | undefined; onMissing?: () => void },
) => Promise<ChunkWords[] | null>

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
    const words = chunks.map((chunk) => cache.wordsOf(chunk))
    const missing = chunks.filter((_, at) => words[at] === undefined)
    if (missing.length > 0) {
      onMissing?.()
      const read = await readTexts(db, organizationId, missing)
      const texts = new Map(read.texts.map((text) => [keyText(text.key), text]))
      await runCooperatively(hash(texts, read.revision === revision), signal)
    }
    const found = words.filter((one) => one !== undefined)
    return found.length === chunks.length ? found : null

    function* hash(texts: ReadonlyMap<string, Titled>, isCurrent: boolean): Pausable<void> {
      for (const [at, chunk] of chunks.entries()) {
        const text = texts.get(keyText(chunk))
        if (words[at] || !text) continue
        yield
        const ofChunk = chunkWords(text, terms)
        words[at] = ofChunk
        if (isCurrent) cache.setWords(chunk, ofChunk)
      }
    }
  }
}
