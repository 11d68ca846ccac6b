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
/** Of each segment, before its pairs. */
const HEAD_WORDS = 3
/** A segment of a question that is not all 0. */
interface Part {
  segment: number
  /** Where in a block a pair is and its two numbers, one pair after the other. */
  pairs: number[]
}

/**
 * A question's vector as the kernel takes it: of length 1, of the halves that the database compares too, rounded to 16 bits.
 * @returns null where all its numbers are 0: then nothing is similar to it
 */
export function encodeQuestion(vector: Float32Array, layout: BlockLayout): Question | null {
  const unit = unitOf(vector, layout)
  if (unit === null) return null
  let most = 0
  for (const value of unit) most = Math.max(most, Math.abs(value))
  const step = most / STEPS
  const bounds = new Float32Array(layout.segments)
  const parts: Part[] = []
  let lost = 0
  for (let segment = 0; segment < layout.segments; segment++) {
    const pairs: number[] = []
    const from = segment * SEGMENT
    let sum = 0
    for (let at = from; at < from + SEGMENT; at += 2) {
      const [one = 0, two = 0] = [unit[at], unit[at + 1]]
      if (one === 0 && two === 0) continue
      const [first, second] = [Math.round(one / step), Math.round(two / step)]
      sum += Math.abs(one) + Math.abs(two)
      lost += (one - step * first) ** 2 + (two - step * second) ** 2
      if (first !== 0 || second !== 0)
        pairs.push(layout.pairsAt + (at / 2) * PAIR_BYTES, (second << 16) | (first & 0xffff))
    }
    bounds[segment] = sum / 2
    if (pairs.length > 0) parts.push({ segment, pairs })
  }
  const slack = ROW_LENGTH_MAX * Math.sqrt(lost) + Math.max(FLOAT_ERROR_MIN, layout.dimensions * FLOAT_ERROR)
  return { words: wordsOf(parts, bounds), segments: parts.length, step, slack, bounds }
}

/** The vector's halves, of length 1 together, filled up to whole segments. */
function unitOf(vector: Float32Array, { dimensions, segments }: BlockLayout): Float64Array | null {
  const unit = new Float64Array(segments * SEGMENT)
  let square = 0
  for (let at = 0; at < dimensions; at++) {
    const value = Math.f16round(vector[at] ?? 0)
    unit[at] = value
    square += value * value
  }
  const length = Math.sqrt(square)
  if (length === 0 || !Number.isFinite(length)) return null
  for (let at = 0; at < dimensions; at++) unit[at] = (unit[at] ?? 0) / length
  return unit
}

function wordsOf(parts: readonly Part[], bounds: Float32Array): Int32Array {
  const words = new Int32Array(parts.reduce((sum, { pairs }) => sum + HEAD_WORDS + pairs.length, 0))
  const floats = new Float32Array(words.buffer)
  let at = 0
  for (const { segment, pairs } of parts) {
    words[at] = segment * SCALES_BYTES
    words[at + 1] = pairs.length / 2
    floats[at + 2] = bounds[segment] ?? 0
    words.set(pairs, at + HEAD_WORDS)
    at += HEAD_WORDS + pairs.length
  }
  return words
}
