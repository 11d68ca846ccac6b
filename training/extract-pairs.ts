import { htmlParagraphs, manualParagraphs, readTexts } from './extract-text.ts'
import { extractTranslations } from './extract-translations.ts'
import type { TrainingSource, TranslationSource } from './sources.ts'
import { readWordnet, type Synset } from './wordnet.ts'

/** Why two texts are related. */
export type PairKind = 'gloss' | 'example' | 'related' | 'heading' | 'sentence' | 'name' | 'message' | 'label'

/** Two texts with the same meaning, or where one says what the other is about. */
export interface TextPair {
  kind: PairKind
  left: string
  right: string
}

const HEADING_START = '\u0001'
const SECTION_CHARACTERS = 900
/** Shorter blocks are labels, cells or lines of code. */
const BLOCK_WORDS_MIN = 6
/** A heading of more sections is generic: "Parameters", "See also". */
const SAME_HEADINGS_MAX = 5
const RELATIONS_MAX = 3
const FIRST_SENTENCE = /^(.{30,400}?[.?!]) +(?=[A-Z])(.{40,})$/
/** Paragraphs and sections with the same first characters count as duplicates. */
const SAME_BEGINNING = 100

/** Pairs from WordNet: words and their definitions, examples and their words, words and related words. */
export function* wordnetPairs(folder: string): Generator<TextPair> {
  const synsets = readWordnet(folder)
  for (const { words, gloss, related } of synsets.values()) {
    const meaning = meaningOf(gloss)
    yield { kind: 'gloss', left: words.join(' '), right: meaning }
    for (const [, example = ''] of gloss.matchAll(/"([^"]+)"/g)) {
      yield { kind: 'example', left: example, right: meaning }
    }
    for (const key of related.slice(0, RELATIONS_MAX)) {
      const other: Synset | undefined = synsets.get(key)
      if (other === undefined) continue
      const right = `${other.words.join(' ')} ${meaningOf(other.gloss)}`
      yield { kind: 'related', left: words.join(' '), right }
    }
  }
}

/** A gloss without its examples. */
function meaningOf(gloss: string): string {
  return gloss.split(/; (?=")/)[0] ?? ''
}

/**
 * Pairs from documentation: headings and sections, first sentences and their continuation, names and
 * descriptions.
 */
export function* documentationPairs(
  sources: readonly TrainingSource[],
  folderOf: (source: TrainingSource) => string,
): Generator<TextPair> {
  const sections: TextPair[] = []
  const seen = new Set<string>()
  for (const source of sources) {
    for (const text of readTexts(folderOf(source), source)) {
      if (source.format === 'manual') yield* manualPair(text)
      if (source.format !== 'html') continue
      const blocks = htmlParagraphs(markHeadings(text))
      sections.push(...sectionPairs(blocks))
      yield* sentencePairs(blocks, seen)
    }
  }
  yield* withoutFurniture(sections)
}

function markHeadings(html: string): string {
  return html
    .replace(/<title\b[\s\S]*?<\/title>/i, '')
    .replace(/<h[1-6]\b[^>]*>/gi, (tag) => `${tag}<p>${HEADING_START}`)
}

/** Each heading with the blocks below it, up to the next. Headings in `blocks` are marked. */
export function sectionPairs(blocks: readonly string[]): TextPair[] {
  const pairs: TextPair[] = []
  let heading = ''
  let body = ''
  const flush = (): void => {
    if (heading !== '' && body !== '')
      pairs.push({ kind: 'heading', left: heading, right: body.slice(0, SECTION_CHARACTERS) })
    body = ''
  }
  for (const block of blocks) {
    if (block.startsWith(HEADING_START)) {
      flush()
      heading = block.slice(1).replace(/[¶#]/g, '').trim()
    } else if (isLong(block) && body.length < SECTION_CHARACTERS) {
      body += ` ${block}`
    }
  }
  flush()
  return pairs
}

function* sentencePairs(blocks: readonly string[], seen: Set<string>): Generator<TextPair> {
  for (const block of blocks) {
    const beginning = block.slice(0, SAME_BEGINNING)
    if (block.startsWith(HEADING_START) || !isLong(block) || seen.has(beginning)) continue
    seen.add(beginning)
    const [, left, right] = FIRST_SENTENCE.exec(block) ?? []
    if (left !== undefined && right !== undefined) yield { kind: 'sentence', left, right }
  }
}

function isLong(block: string): boolean {
  return block.split(' ').length >= BLOCK_WORDS_MIN
}

function* withoutFurniture(sections: readonly TextPair[]): Generator<TextPair> {
  const times = new Map<string, number>()
  for (const { left } of sections) times.set(left, (times.get(left) ?? 0) + 1)
  const seen = new Set<string>()
  for (const section of sections) {
    const key = section.left + section.right.slice(0, SAME_BEGINNING)
    if ((times.get(section.left) ?? 0) > SAME_HEADINGS_MAX || seen.has(key)) continue
    seen.add(key)
    yield section
  }
}

/** A manual page's NAME line with its DESCRIPTION. */
export function* manualPair(page: string): Generator<TextPair> {
  const name = /^\.S[Hh] "?NAME"?\s*\n([\s\S]*?)\n\.S[Hh]/m.exec(page)?.[1]
  const description = /^\.S[Hh] "?DESCRIPTION"?\s*\n([\s\S]*?)(?:\n\.S[Hh]|$(?![\s\S]))/m.exec(page)?.[1]
  if (name === undefined || description === undefined) return
  yield { kind: 'name', left: manualText(name), right: manualText(description) }
}

function manualText(part: string): string {
  return manualParagraphs(part).join(' ').trim().slice(0, SECTION_CHARACTERS)
}

/** Pairs of English and another language. */
export function* translationPairs(
  sources: readonly TranslationSource[],
  folderOf: (source: TranslationSource) => string,
): Generator<TextPair> {
  for (const source of sources) {
    const kind = source.format === 'cldr' ? 'label' : 'message'
    for (const [left, right] of extractTranslations(folderOf(source), source)) yield { kind, left, right }
  }
}
