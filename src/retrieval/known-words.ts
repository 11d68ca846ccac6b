import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidate } from '../vector-memory/index.ts'
import { type Asked, findWords, type FoundWords } from './asked-words.ts'
import { KeptWords } from './kept-words.ts'
import { nameOf } from './kept-chunks.ts'
import { areUnchanged, type ChunkKey, keyText, readTexts } from './read-chunks.ts'

/**
 * What each chunk has of a query's words, at a revision; null where one of them is another one by now.
 * @param chunks by their keys alone where the copy does not have them as they are: their words are not kept
 */
export type KnownWords = (
  of: { organizationId: string; revision: number },
  chunks: readonly (Candidate | ChunkKey)[],
  asked: Asked,
  signal?: AbortSignal,
) => Promise<FoundWords[] | null>

/** No text is kept under it. */
const NO_NAME = -1

/** Words by what is kept of them, and of what is read and then kept. */
export function createKnownWords({ db, terms }: { db: Db; terms: TermWeights }): KnownWords {
  const kept = new KeptWords()
  return async ({ organizationId, revision }, chunks, asked, signal) => {
    const names = chunks.map((chunk) => ('version' in chunk ? nameOf(chunk) : NO_NAME))
    const words = kept.find(asked, names)
    const unknown = chunks.flatMap((chunk, at) => (words[at] ? [] : [{ ...chunk, at }]))
    if (unknown.length > 0) {
      const texts = await readTexts(db, organizationId, unknown)
      const to = texts[0]?.revision ?? revision
      if (!(await areUnchanged(db, organizationId, unknown, { from: revision, to }))) return null
      const places = new Map(unknown.map((one) => [keyText(one), one.at]))
      await inSlices(keeping(texts, places), signal)
    }
    const all = words.flatMap((one) => one ?? [])
    return all.length === chunks.length ? all : null

    function* keeping(
      texts: Awaited<ReturnType<typeof readTexts>>,
      places: Map<string, number>,
    ): Pausable<void> {
      for (const { id, position, title, content } of texts) {
        yield
        const at = places.get(keyText({ itemId: id, position })) ?? -1
        const name = names[at] ?? NO_NAME
        const tokens = terms.tokenize(`${title}\n${content}`)
        words[at] = name === NO_NAME ? findWords(asked, tokens) : kept.keep(name, tokens, asked)
      }
    }
  }
}
