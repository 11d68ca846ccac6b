/**
 * The words of a chunk: hashes of the stems of its title, then of its content. They share an array with other
 * chunks.
 */
export interface ChunkWords {
  numbers: Uint32Array
  from: number
  to: number
  /** How many of them belong to the title. */
  titleWords: number
}

/** Limit on the words of all snapshots together. */
export interface WordsBudget {
  bytesMax: number
  bytes: number
}

const BYTES_PER_NUMBER = 4
const FIRST_NUMBERS = 16_384
const GROWTH = 1.5

/**
 * The words of a snapshot's rows, concatenated in one array. Space of replaced rows is reclaimed once it is
 * half of the array.
 */
export class RowWords {
  readonly #budget: WordsBudget
  #numbers = new Uint32Array(0)
  #end = 0
  #unused = 0
  /** Where a row's numbers begin; -1: none. The first number counts the title's words. */
  readonly #starts: number[] = []
  readonly #lengths: number[] = []

  constructor(budget: WordsBudget) {
    this.#budget = budget
  }

  has(row: number): boolean {
    return (this.#lengths[row] ?? 0) > 0
  }

  /** The words of a row; null: not cached. */
  of(row: number): ChunkWords | null {
    const length = this.#lengths[row] ?? 0
    if (length === 0) return null
    const start = this.#starts[row] ?? 0
    const numbers = this.#numbers
    return { numbers, from: start + 1, to: start + length, titleWords: numbers[start] ?? 0 }
  }

  /** Caches the words of a row unless that exceeds the budget. */
  set(row: number, { numbers, from, to, titleWords }: ChunkWords): void {
    this.delete(row)
    const length = to - from + 1
    if (this.#end + length > this.#numbers.length && !this.#makeRoom(length)) return
    this.#numbers[this.#end] = titleWords
    this.#numbers.set(numbers.subarray(from, to), this.#end + 1)
    while (this.#starts.length <= row) {
      this.#starts.push(0)
      this.#lengths.push(0)
    }
    this.#starts[row] = this.#end
    this.#lengths[row] = length
    this.#end += length
  }

  delete(row: number): void {
    const length = this.#lengths[row] ?? 0
    if (length === 0) return
    this.#lengths[row] = 0
    this.#unused += length
  }

  clear(): void {
    this.#budget.bytes -= this.#numbers.byteLength
    this.#numbers = new Uint32Array(0)
    this.#starts.length = 0
    this.#lengths.length = 0
    this.#end = 0
    this.#unused = 0
  }

  /** @returns whether this many numbers fit */
  #makeRoom(length: number): boolean {
    const used = this.#end - this.#unused
    const isGarbage = this.#unused > used
    const wanted = Math.ceil(Math.max(FIRST_NUMBERS, (used + length) * GROWTH))
    const size = isGarbage && used + length <= this.#numbers.length ? this.#numbers.length : wanted
    const more = (size - this.#numbers.length) * BYTES_PER_NUMBER
    if (this.#budget.bytes + more > this.#budget.bytesMax) return false
    const numbers = new Uint32Array(size)
    let end = 0
    for (const [row, count] of this.#lengths.entries()) {
      if (count === 0) continue
      const start = this.#starts[row] ?? 0
      numbers.set(this.#numbers.subarray(start, start + count), end)
      this.#starts[row] = end
      end += count
    }
    this.#budget.bytes += more
    this.#numbers = numbers
    this.#end = end
    this.#unused = 0
    return true
  }
}
