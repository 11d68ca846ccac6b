import { type Asked, findWords, type FoundWords } from './asked-words.ts'

/** What all texts take together, counted in numbers of four bytes. */
const NUMBERS_MAX = 4_194_304
/** What a text takes beside its stems, as many numbers. */
const NUMBERS_A_TEXT = 64
/** What the stems themselves take, in UTF-16 units, each with what stands around it. */
const CHARACTERS_MAX = 4_194_304
const CHARACTERS_A_STEM = 64

/**
 * The stems of texts, as numbers, so that a text that is found again need not be read and taken apart again. What was not asked
 * for the longest goes first. Whoever keeps a text names it by what changes with it.
 */
export class KeptWords {
  readonly #texts = new Map<number, Uint32Array>()
  readonly #numbers = new Map<string, number>()
  readonly #limits: { numbers: number; characters: number }
  #taken = 0
  #characters = 0

  constructor(limits: { numbers: number; characters: number } = DEFAULT_LIMITS) {
    this.#limits = limits
  }

  /** What each of some texts has of a query; null for one that is not kept. At once, so that it is of one state. */
  find(asked: Asked, names: readonly number[]): (FoundWords | null)[] {
    const isAsked = new Uint8Array(this.#numbers.size)
    const stems = new Map<number, string>()
    for (const stem of asked.keys()) {
      const number = this.#numbers.get(stem)
      if (number === undefined) continue
      isAsked[number] = 1
      stems.set(number, stem)
    }
    return names.map((name) => {
      const text = this.#texts.get(name)
      if (text === undefined) return null
      this.#texts.delete(name)
      this.#texts.set(name, text)
      const counts = new Map<string, number>()
      for (const number of text) {
        if (isAsked[number] !== 1) continue
        const stem = stems.get(number) ?? ''
        counts.set(stem, (counts.get(stem) ?? 0) + 1)
      }
      return { counts, length: text.length }
    })
  }

  /** Keeps a text's stems, in their order. @returns what it has of a query */
  keep(name: number, stems: readonly string[], asked: Asked): FoundWords {
    if (this.#characters > this.#limits.characters) this.#forgetAll()
    this.#forget(name)
    this.#texts.set(
      name,
      Uint32Array.from(stems, (stem) => this.#numberOf(stem)),
    )
    this.#taken += stems.length + NUMBERS_A_TEXT
    for (const oldest of this.#texts.keys()) {
      if (this.#taken <= this.#limits.numbers) break
      this.#forget(oldest)
    }
    return findWords(asked, stems)
  }

  #numberOf(stem: string): number {
    const known = this.#numbers.get(stem)
    if (known !== undefined) return known
    this.#characters += stem.length + CHARACTERS_A_STEM
    this.#numbers.set(stem, this.#numbers.size)
    return this.#numbers.size - 1
  }

  #forget(name: number): void {
    const text = this.#texts.get(name)
    if (text === undefined) return
    this.#texts.delete(name)
    this.#taken -= text.length + NUMBERS_A_TEXT
  }

  /** Stems are not counted, so they go all at once. */
  #forgetAll(): void {
    this.#texts.clear()
    this.#numbers.clear()
    this.#taken = 0
    this.#characters = 0
  }
}

const DEFAULT_LIMITS = { numbers: NUMBERS_MAX, characters: CHARACTERS_MAX }
