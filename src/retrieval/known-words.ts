import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidate } from '../vector-memory/index.ts'
import type { Asked, FoundWords } from './asked-words.ts'
import { KeptWords } from './kept-words.ts'
import { nameOf } from './kept-chunks.ts'
import { keyText, readTexts } from './read-chunks.ts'

/** What each chunk has of a query's words, at a revision; null where the items' revision is another one by now. */
export type KnownWords = (
  of: { organizationId: string; revision: number },
  chunks: readonly Candidate[],
  asked: Asked,
  signal?: AbortSignal,
) => Promise<FoundWords[] | null>

/** Words by what is kept of them, and of what is read and then kept. */
export function createKnownWords({ db, terms }: { db: Db; terms: TermWeights }): KnownWords {
  const kept = new KeptWords()
  return async ({ organizationId, revision }, chunks, asked, signal) => {
    const names = chunks.map(nameOf)
    const words = kept.find(asked, names)
    const unknown = chunks.flatMap((chunk, at) => (words[at] ? [] : [{ ...chunk, at }]))
    if (unknown.length > 0) {
      const texts = await readTexts(db, organizationId, unknown)
      if (texts.some((text) => text.revision !== revision)) return null
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
        words[at] = kept.keep(names[at] ?? -1, terms.tokenize(`${title}\n${content}`), asked)
      }
    }
  }
}
