/** What all vectors take together, counted in numbers of two bytes. */
const NUMBERS_MAX = 16_777_216
/** What a vector takes beside its numbers, as many of them. */
const NUMBERS_A_VECTOR = 128

/** A chunk's vector as it is stored. */
export interface KeptVector {
  values: Float16Array
  /** The square root of the sum of their squares. */
  length: number
  /** How many are not 0. */
  terms: number
}

/**
 * Vectors of chunks that were found lately, so that the process can tell how near they are. What was not asked for the longest goes
 * first. Whoever keeps a vector names it by what changes with it.
 */
export class KeptVectors {
  readonly #vectors = new Map<string, KeptVector>()
  readonly #numbersMax: number
  #taken = 0

  constructor(numbersMax = NUMBERS_MAX) {
    this.#numbersMax = numbersMax
  }

  /** null: it is not kept. */
  find(name: string): KeptVector | null {
    const vector = this.#vectors.get(name)
    if (vector === undefined) return null
    this.#vectors.delete(name)
    this.#vectors.set(name, vector)
    return vector
  }

  keep(name: string, values: Float16Array): KeptVector {
    const vector = measured(values)
    this.#forget(name)
    this.#vectors.set(name, vector)
    this.#taken += values.length + NUMBERS_A_VECTOR
    for (const oldest of this.#vectors.keys()) {
      if (this.#taken <= this.#numbersMax) break
      this.#forget(oldest)
    }
    return vector
  }

  #forget(name: string): void {
    const vector = this.#vectors.get(name)
    if (vector === undefined) return
    this.#vectors.delete(name)
    this.#taken -= vector.values.length + NUMBERS_A_VECTOR
  }
}

function measured(values: Float16Array): KeptVector {
  let square = 0
  let terms = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    if (value === 0) continue
    square += value * value
    terms += 1
  }
  return { values, length: Math.sqrt(square), terms }
}
