import type { Db } from '../../database/database.ts'
import type { TermWeights } from '../../inference/term-weights.ts'
import { inSlices, type Pausable } from '../../kernel/slices.ts'
import type { Candidate, ChunkWords, HeldSnapshot, VectorSnapshot } from '../../vector-memory/index.ts'
import { type ChunkKey, keyText, type NearestQuery, type Proposer } from '../nearest-query.ts'
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
  missedWords,
  ...deps
}: {
  db: Db
  terms: TermWeights
  missedWords: (held: HeldSnapshot) => void
}): ReadWords {
  return async ({ held }, { organizationId }, candidates, revision) => {
    const missing = candidates.filter(({ words }) => words === null)
    if (missing.length > 0 && held) missedWords(held)
    const read = await hashTexts(deps, { organizationId, revision, snapshot: held?.snapshot }, missing)
    const found = candidates.flatMap((candidate) => candidate.words ?? read.get(keyText(candidate)) ?? [])
    return found.length === candidates.length ? found : null
  }
}

/**
 * Reads the words of chunks from their texts, by key; omits deleted chunks. A snapshot of that revision caches
 * the words of its rows.
 * @param signal aborts between slices of at most `sliceMs` milliseconds
 */
export async function hashTexts(
  { db, terms }: { db: Db; terms: TermWeights },
  of: { organizationId: string; revision: number; snapshot: VectorSnapshot | undefined },
  chunks: readonly (ChunkKey & { row: number | null })[],
  signal?: AbortSignal,
  sliceMs?: number,
): Promise<ReadonlyMap<string, ChunkWords>> {
  const found = new Map<string, ChunkWords>()
  if (chunks.length === 0) return found
  const rows = new Map(chunks.map((chunk) => [keyText(chunk), chunk.row]))
  const { texts, revision } = await readTexts(db, of.organizationId, chunks)
  await inSlices(hashing(), signal, sliceMs)
  return found
  function* hashing(): Pausable<void> {
    for (const { key, ...text } of texts) {
      yield
      const words = chunkWords(text, terms)
      found.set(keyText(key), words)
      const row = rows.get(keyText(key)) ?? null
      if (row !== null && revision === of.revision) of.snapshot?.keepWords(row, words, revision)
    }
  }
}
