import type { Db } from '../../database/database.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import type { Candidate, ChunkWords, HeldSnapshot } from '../../vector-memory/index.ts'
import { keyText, type NearestQuery, type Proposer } from '../nearest-query.ts'
import { readTexts } from '../read-rows.ts'
import { type AskedWord, hashWord } from './hybrid-order.ts'

/** A query's stems, in order, with their weight in ordinary text. */
export function askedWords(query: string, terms: TermWeights): AskedWord[] {
  return terms.tokenize(query).map((stem) => ({ hash: hashWord(stem), weight: terms.backgroundWeight(stem) }))
}

/** The hashed words of a chunk: those of its title, then those of its content. */
export function chunkWords(
  { title, content }: { title: string; content: string },
  terms: Pick<TermWeights, 'tokenize'>,
): ChunkWords {
  const ofTitle = terms.tokenize(title)
  const stems = [...ofTitle, ...terms.tokenize(content)]
  const numbers = Uint32Array.from(stems, hashWord)
  return { numbers, from: 0, to: numbers.length, titleWords: ofTitle.length }
}

/**
 * The words of candidates, in order: from memory, or else from their texts. If an item changed since the
 * proposal, its words may be newer; the caller notices when it reads rows.
 * @returns null if a candidate no longer exists
 */
export type ReadWords = (
  proposer: Proposer,
  query: Pick<NearestQuery, 'organizationId'>,
  candidates: readonly Candidate[],
  revision: number,
) => Promise<ChunkWords[] | null>

/** @param deps.missedWords called if words were read that a snapshot could have */
export function createReadWords({
  db,
  terms,
  missedWords,
}: {
  db: Db
  terms: TermWeights
  missedWords: (held: HeldSnapshot) => void
}): ReadWords {
  return async ({ held }, { organizationId }, candidates, proposed) => {
    const missing = new Map(
      candidates.filter(({ words }) => words === null).map((candidate) => [keyText(candidate), candidate]),
    )
    const read = new Map<string, ChunkWords>()
    if (missing.size > 0) {
      if (held) missedWords(held)
      const { texts, revision } = await readTexts(db, organizationId, [...missing.values()])
      await inSlices(hashing())
      function* hashing(): Pausable<void> {
        for (const { key, ...text } of texts) {
          yield
          const words = chunkWords(text, terms)
          read.set(keyText(key), words)
          const row = missing.get(keyText(key))?.row ?? null
          if (row !== null && revision === proposed) held?.snapshot.keepWords(row, words, revision)
        }
      }
    }
    const found = candidates.flatMap((candidate) => candidate.words ?? read.get(keyText(candidate)) ?? [])
    return found.length === candidates.length ? found : null
  }
}
