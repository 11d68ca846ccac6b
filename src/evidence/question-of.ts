import type { Pausable } from '../kernel/cooperative.ts'
import { findingSentenceStarts } from '../text/sentences.ts'

/** Shorter sentences make no useful question. */
const SENTENCE_WORDS_MIN = 4
const WORDS_MAX = 8

/** A query that a passage answers: every second word of a middle sentence, up to eight. null: no sentence. */
export function* askingFor(content: string): Pausable<string | null> {
  const sentences: string[][] = []
  for (const line of content.split('\n')) {
    const starts = yield* findingSentenceStarts(line, 0, line.length)
    for (const [at, start] of starts.entries()) {
      const words = line
        .slice(start, starts[at + 1])
        .split(/\s+/)
        .filter((word) => word !== '')
      if (words.length >= SENTENCE_WORDS_MIN) sentences.push(words)
    }
  }
  const words = sentences[Math.floor(sentences.length / 2)]
  if (words === undefined) return null
  return words
    .filter((_, at) => at % 2 === 0)
    .slice(0, WORDS_MAX)
    .join(' ')
}
