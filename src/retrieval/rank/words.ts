import type { TermWeights } from '../../inference/term-weights.ts'
import { hashText } from '../../kernel/hash-text.ts'

/** A stem of the query with its weight in ordinary text. */
export interface AskedWord {
  hash: number
  /** Stems that count as the same word: the translations of a foreign one. */
  translations: readonly number[]
  weight: number
}

/** Hashes of a chunk's stems: those of its title, then those of its content. */
export interface ChunkWords {
  numbers: Uint32Array
  /** How many of the hashes belong to the title. */
  titleWords: number
}

export interface Titled {
  title: string
  content: string
}

/** The stems of a query, in order, with their weight in ordinary text. */
export function askedWords(query: string, terms: TermWeights): AskedWord[] {
  return terms.tokenize(query).map((stem) => ({
    hash: hashWord(stem),
    translations: terms.translationsOf(stem).map(hashWord),
    weight: terms.backgroundWeight(stem),
  }))
}

export function chunkWords({ title, content }: Titled, terms: Pick<TermWeights, 'tokenize'>): ChunkWords {
  const ofTitle = terms.tokenize(title)
  const stems = [...ofTitle, ...terms.tokenize(content)]
  return { numbers: Uint32Array.from(stems, hashWord), titleWords: ofTitle.length }
}

/** 32-bit hash of a stem. */
export function hashWord(stem: string): number {
  return hashText(stem) >>> 0
}
