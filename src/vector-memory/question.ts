import { type BlockLayout, PAIR_BYTES, SCALES_BYTES, SEGMENT } from './block-layout.ts'

/** A question as the kernel takes it. */
export interface Question {
  /** For each segment in which it is not 0: where its scales are, how many pairs follow, its bound; then the pairs. */
  readonly words: Int32Array
  readonly segments: number
  /** What one step of its 16-bit numbers is. */
  readonly step: number
  /** What a similarity can be off by, whatever the row. */
  readonly slack: number
  /** For each segment, what a similarity can be off by for each unit of the row's scale in it. */
  readonly bounds: Float32Array
}

const STEPS = 32_767
/** The length of a row of bytes, whose vector has the length 1: each number is off by less than half of 1/127 of the greatest. */
const ROW_LENGTH_MAX = 1.5
/**
 * What 32-bit sums of as many terms as there are dimensions can be off by, here and in pgvector's `<=>`: for each term half a
 * unit in the last place of the product and of the lengths.
 */
const FLOAT_ERROR = 2 * 2 ** -23
const FLOAT_ERROR_MIN = 1e-5

/**
 * A question's vector as the kernel takes it: of length 1, of the halves that the database compares too, rounded to 16 bits.
 * @returns null where all its numbers are 0: then nothing is similar to it
 */
export function encodeQuestion(vector: Float32Array, layout: BlockLayout): Question | null {
  const numbers = Float64Array.from(Float16Array.from(vector))
  const length = Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0))
  if (length === 0 || !Number.isFinite(length)) return null
  const unit = numbers.map((value) => value / length)
  const step = unit.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / STEPS
  const steps = Int16Array.from(unit, (value) => Math.round(value / step))
  const bounds = new Float32Array(layout.segments)
  const words = new WordList()
  let segments = 0
  let lost = 0
  for (const [at, value] of unit.entries()) lost += (value - step * (steps[at] ?? 0)) ** 2
  for (let segment = 0; segment < layout.segments; segment++) {
    const from = segment * SEGMENT
    const bound = unit.subarray(from, from + SEGMENT).reduce((sum, value) => sum + Math.abs(value), 0) / 2
    bounds[segment] = bound
    const pairs = pairsOf(steps, from, layout)
    if (pairs.length === 0) continue
    segments += 1
    words.push(segment * SCALES_BYTES, pairs.length / 2)
    words.pushFloat(bounds[segment] ?? 0)
    words.push(...pairs)
  }
  const slack = ROW_LENGTH_MAX * Math.sqrt(lost) + Math.max(FLOAT_ERROR_MIN, layout.dimensions * FLOAT_ERROR)
  return { words: words.all(), segments, step, slack, bounds }
}

/** Where in a block a pair is and its two numbers, for each pair of the segment that is not 0. */
function pairsOf(steps: Int16Array, from: number, { pairsAt }: BlockLayout): number[] {
  const pairs: number[] = []
  for (let at = from; at < from + SEGMENT; at += 2) {
    const [first = 0, second = 0] = [steps[at], steps[at + 1]]
    if (first === 0 && second === 0) continue
    pairs.push(pairsAt + (at / 2) * PAIR_BYTES, (second << 16) | (first & 0xffff))
  }
  return pairs
}

class WordList {
  readonly #words: number[] = []

  /** A few numbers of 32 bits. */
  push(...words: number[]): void {
    this.#words.push(...words)
  }

  pushFloat(value: number): void {
    this.#words.push(new Int32Array(Float32Array.of(value).buffer)[0] ?? 0)
  }

  all(): Int32Array {
    return Int32Array.from(this.#words)
  }
}
