import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import { createRandom } from '../src/kernel/seeded-random.ts'
import { isProse } from './corpus.ts'
import { documentationPairs, translationPairs, wordnetPairs } from './extract-pairs.ts'
import { extractFiles } from './extract-text.ts'
import { type PackageSource, SOURCES, TRANSLATIONS, WORDNET } from './sources.ts'

/** A text to learn from, and the English text that says what it means; null: the text itself does. */
export type TextWithMeaning = readonly [text: string, meaning: string | null]

/** More characters say little more about the subject, and cost as much to read. */
const CHARACTERS_MAX = 360
/** Paragraphs are most of the text; more of them change little. */
const PARAGRAPHS_MAX = 400_000
/** Paragraphs with the same first characters count as duplicates. */
const SAME_BEGINNING = 120
const SEED = 1
const RUN = /[\p{L}\p{N}\p{M}]+/gu

/** English paragraphs, headings, words and their definitions, and texts in other languages with translations. */
export function* distilledTexts(folderOf: (source: PackageSource) => string): Generator<TextWithMeaning> {
  const seen = new Set<string>()
  for (const text of englishTexts(folderOf)) {
    const short = text.slice(0, CHARACTERS_MAX)
    if (seen.has(short)) continue
    seen.add(short)
    yield [short, null]
  }
  for (const { left, right } of translationPairs(TRANSLATIONS, folderOf))
    yield [right.slice(0, CHARACTERS_MAX), left.slice(0, CHARACTERS_MAX)]
}

function* englishTexts(folderOf: (source: PackageSource) => string): Generator<string> {
  for (const { left, right } of wordnetPairs(folderOf(WORDNET))) yield* [left, right]
  for (const { kind, left } of documentationPairs(SOURCES, folderOf)) if (kind === 'heading') yield left
  yield* someOf(paragraphs(folderOf), PARAGRAPHS_MAX)
}

function* paragraphs(folderOf: (source: PackageSource) => string): Generator<string> {
  const seen = new Set<string>()
  for (const source of SOURCES) {
    for (const paragraph of [...extractFiles(folderOf(source), source)].flat()) {
      const beginning = paragraph.slice(0, SAME_BEGINNING)
      if (source.format === 'wordnet' || seen.has(beginning) || !isProse(paragraph)) continue
      seen.add(beginning)
      yield paragraph
    }
  }
}

/** A sample of `count`, the same each time. */
function someOf(texts: Iterable<string>, count: number): string[] {
  const random = createRandom(SEED)
  return [...texts]
    .map((text) => ({ text, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ text }) => text)
}

/** The words of texts, each with the rows of its stems. Words without a row are left out. */
export function rowsOfWords(
  texts: Iterable<TextWithMeaning>,
  stems: readonly string[],
): Map<string, number[]> {
  const rows = new Map(stems.map((stem, row) => [stem, row]))
  const words = new Map<string, number[]>()
  for (const [text] of texts) {
    for (const [word] of text.normalize('NFKC').toLowerCase().matchAll(RUN)) {
      if (words.has(word)) continue
      words.set(
        word,
        tokenize(word).flatMap((stem) => rows.get(stem) ?? []),
      )
    }
  }
  return new Map([...words].filter(([, found]) => found.length > 0))
}
