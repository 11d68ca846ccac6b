import { readFileSync } from 'node:fs'
import path from 'node:path'

import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import { OUT_OF_VOCABULARY, PARAGRAPH_END } from './co-occurrence.ts'

/** Synonyms with their definition and the keys of related synsets. */
export interface Synset {
  key: string
  words: string[]
  related: string[]
  gloss: string
}

const FILES = ['noun', 'verb', 'adj', 'adv']
/**
 * Kind-of, similar, derived, see also, attribute, pertains to, entails, causes, has part, part of, member of.
 */
const RELATIONS: ReadonlySet<string> = new Set(['@', '&', '+', '^', '=', '\\', '*', '>', '%p', '#p', '#m'])
/** How often WordNet's relations count relative to the text. */
const RELATION_COUNT = 2

/** The synsets of one of WordNet's data files (https://wordnet.princeton.edu/documentation/wndb5wn). */
export function* readSynsets(data: string): Generator<Synset> {
  for (const line of data.split('\n')) {
    const bar = line.indexOf('| ')
    if (bar < 0 || line.startsWith('  ')) continue
    const fields = line.slice(0, bar).split(' ')
    const field = (at: number): string => fields[at] ?? ''
    const count = Number.parseInt(field(3), 16)
    const words = Array.from({ length: count }, (_, n) => plainWord(field(4 + 2 * n)))
    const pointersAt = 4 + 2 * count
    const pointers = Array.from({ length: Number(field(pointersAt)) }, (_, n) => pointersAt + 1 + 4 * n)
    const related = pointers
      .filter((at) => RELATIONS.has(field(at)))
      .map((at) => synsetKey(field(at + 2), field(at + 1)))
    const key = synsetKey(field(2), field(0))
    yield { key, words, related: [...new Set(related)], gloss: line.slice(bar + 2).trim() }
  }
}

function plainWord(word: string): string {
  return word.replace(/\(.*\)/, '').replaceAll('_', ' ')
}

/** References name a satellite adjective ("s") as an adjective. */
function synsetKey(kind: string, offset: string): string {
  return `${kind === 's' ? 'a' : kind}${offset}`
}

/** All synsets by their keys. `folder` is the unpacked package. */
export function readWordnet(folder: string): Map<string, Synset> {
  const synsets = new Map<string, Synset>()
  for (const name of FILES) {
    const data = readFileSync(path.join(folder, 'usr/share/wordnet', `data.${name}`), 'utf8')
    for (const synset of readSynsets(data)) synsets.set(synset.key, synset)
  }
  return synsets
}

/**
 * WordNet's relations as text in the vocabulary's numbers: each synset's words alone, then with those of each
 * related synset. `folder` is the unpacked package.
 */
export function relatedWords(folder: string, stems: readonly string[]): Uint32Array {
  const rows = new Map(stems.map((stem, row) => [stem, row]))
  const synsets = readWordnet(folder)
  const ids: number[] = []
  const rowsOf = (synset: Synset | undefined): number[] =>
    tokenize(synset?.words.join(' ') ?? '').map((stem) => rows.get(stem) ?? OUT_OF_VOCABULARY)
  for (const synset of synsets.values()) {
    const own = rowsOf(synset)
    ids.push(...own, PARAGRAPH_END)
    for (const key of synset.related) ids.push(...own, ...rowsOf(synsets.get(key)), PARAGRAPH_END)
  }
  return Uint32Array.from(
    { length: RELATION_COUNT * ids.length },
    (_, at) => ids[at % ids.length] ?? PARAGRAPH_END,
  )
}
