import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { inSlices, type Pausable } from '../kernel/slices.ts'
import type { Candidate } from '../vector-memory/index.ts'
import type { Asked, FoundWords } from './asked-words.ts'
import { KeptWords } from './kept-words.ts'
import { keyText, readTexts } from './read-chunks.ts'

/** What each chunk has of a query's words; null where one of them is gone. */
export type KnownWords = (
  organizationId: string,
  chunks: readonly Candidate[],
  asked: Asked,
  signal?: AbortSignal,
) => Promise<FoundWords[] | null>

/** A name for what is stored of a chunk, which another text or vector in the same place has not. */
export function nameOf({ version, position }: Candidate): string {
  return `${version}:${position}`
}

/** Words by what is kept of them, and of what is read and then kept. */
export function createKnownWords({ db, terms }: { db: Db; terms: TermWeights }): KnownWords {
  const kept = new KeptWords()
  return async (organizationId, chunks, asked, signal) => {
    const names = chunks.map(nameOf)
    const words = kept.find(asked, names)
    const unknown = chunks.flatMap((chunk, at) => (words[at] ? [] : [{ ...chunk, at }]))
    if (unknown.length > 0) {
      const texts = await readTexts(db, organizationId, unknown)
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
        words[at] = kept.keep(names[at] ?? '', terms.tokenize(`${title}\n${content}`), asked)
      }
    }
  }
}
