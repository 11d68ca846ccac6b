import { STOP_WORDS } from '../src/inference/embedding-models/builtin/stop-words.ts'
import { tokenize } from '../src/inference/embedding-models/builtin/tokenize.ts'
import { OUT_OF_VOCABULARY, PARAGRAPH_END } from './co-occurrence.ts'
import { extractFiles } from './extract-text.ts'
import type { TrainingSource } from './sources.ts'

/** All text as numbers of stems, in order, including `PARAGRAPH_END` and `FILE_END`. */
export interface Corpus {
  names: string[]
  ids: Uint32Array
  /** Number of stems in each source, in the order of the sources. */
  stemsOf: Map<string, number>
}

export interface CountedVocabulary {
  /** Number of chunk-sized pieces in which frequencies were counted. */
  documents: number
  stems: string[]
  frequencies: Uint32Array
  /** The text, renumbered by this vocabulary. */
  ids: Uint32Array
}

const FILE_END = 0xffff_fffd

/** A paragraph with fewer words, or a smaller share of stop words, is a heading, a list or code. */
const PROSE_WORDS_MIN = 8
const PROSE_STOP_WORDS_MIN = 0.22
/**
 * Paragraphs with the same first characters count as duplicates: licenses, page furniture, options repeated
 * from page to page.
 */
const SAME_BEGINNING = 120
/** Stems per piece for counting frequencies: about a chunk. */
const PIECE_STEMS = 100
const STEM_LENGTH_MAX = 24

/** Reads every source in order. `folderOf` returns a package's unpacked folder. */
export function gatherCorpus(
  sources: readonly TrainingSource[],
  folderOf: (source: TrainingSource) => string,
): Corpus {
  const numbers = new Map<string, number>()
  const seen = new Set<string>()
  const stemsOf = new Map<string, number>()
  let ids = new Uint32Array(1 << 22)
  let length = 0
  const push = (id: number): void => {
    if (length === ids.length) {
      const larger = new Uint32Array(2 * length)
      larger.set(ids)
      ids = larger
    }
    ids[length++] = id
  }
  for (const source of sources) {
    let stems = 0
    for (const paragraphs of extractFiles(folderOf(source), source)) {
      for (const paragraph of paragraphs) {
        if (source.format !== 'wordnet' && !isProse(paragraph)) continue
        const beginning = paragraph.slice(0, SAME_BEGINNING)
        if (seen.has(beginning)) continue
        seen.add(beginning)
        for (const stem of tokenize(paragraph)) {
          const number = numbers.get(stem) ?? numbers.size
          if (number === numbers.size) numbers.set(stem, number)
          push(number)
          stems++
        }
        push(PARAGRAPH_END)
      }
      push(FILE_END)
    }
    stemsOf.set(source.package, stems)
  }
  return { names: [...numbers.keys()], ids: ids.slice(0, length), stemsOf }
}

/** Whether a paragraph reads as English sentences. */
export function isProse(paragraph: string): boolean {
  const words = paragraph.split(' ')
  if (words.length < PROSE_WORDS_MIN) return false
  const stops = words.filter((word) => STOP_WORDS.has(word.toLowerCase())).length
  return stops / words.length >= PROSE_STOP_WORDS_MIN
}

/** The `size` stems in the most pieces, ties in the order of code units, and the text numbered by them. */
export function countVocabulary(corpus: Corpus, size: number): CountedVocabulary {
  const { documents, frequencies } = countPieces(corpus)
  const nameOf = (id: number): string => corpus.names[id] ?? ''
  const order = [...corpus.names.keys()]
    .filter((id) => isWordLike(nameOf(id)))
    .toSorted((a, b) => (frequencies[b] ?? 0) - (frequencies[a] ?? 0) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, size)
  const rows = new Uint32Array(corpus.names.length).fill(OUT_OF_VOCABULARY)
  for (const [row, id] of order.entries()) rows[id] = row
  return {
    documents,
    stems: order.map(nameOf),
    frequencies: Uint32Array.from(order, (id) => frequencies[id] ?? 0),
    ids: corpus.ids.map((id) => (id >= FILE_END ? PARAGRAPH_END : (rows[id] ?? OUT_OF_VOCABULARY))),
  }
}

function countPieces(corpus: Corpus): { documents: number; frequencies: Uint32Array } {
  const frequencies = new Uint32Array(corpus.names.length)
  const countedIn = new Int32Array(corpus.names.length).fill(-1)
  let documents = 0
  let length = 0
  for (const id of corpus.ids) {
    if (id === FILE_END || (id === PARAGRAPH_END && length >= PIECE_STEMS)) {
      if (length > 0) documents++
      length = 0
    }
    if (id >= FILE_END) continue
    length++
    if (countedIn[id] === documents) continue
    countedIn[id] = documents
    frequencies[id] = (frequencies[id] ?? 0) + 1
  }
  return { documents: length > 0 ? documents + 1 : documents, frequencies }
}

/** Keeps hashes, addresses and long numbers out of the vocabulary. */
export function isWordLike(stem: string): boolean {
  return stem.length <= STEM_LENGTH_MAX && !/^\d{5,}$/.test(stem) && !/\d.*[a-z].*\d/.test(stem)
}
