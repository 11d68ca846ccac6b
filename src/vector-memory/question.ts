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
  /** From where in a block the pairs are. */
  readonly pairsAt: number
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
export const QUESTION_HEAD_WORDS = 3

/**
 * A question's vector as the kernel takes it: of length 1, of the halves that the database compares too, rounded to 16 bits.
 * Every search makes one: what it takes is written where it stays, without lists in between.
 * @returns null where all its numbers are 0: then nothing is similar to it
 */
export function encodeQuestion(vector: Float32Array, layout: BlockLayout): Question | null {
  const unit = unitOf(vector, layout)
  if (unit === null) return null
  const step = greatestOf(unit) / STEPS
  const bounds = new Float32Array(layout.segments)
  const words = new Int32Array(layout.segments * (QUESTION_HEAD_WORDS + SEGMENT))
  const floats = new Float32Array(words.buffer)
  let segments = 0
  let end = 0
  let lost = 0
  for (let segment = 0; segment < layout.segments; segment++) {
    const to = (segment + 1) * SEGMENT
    let next = end + QUESTION_HEAD_WORDS
    let sum = 0
    for (let at = segment * SEGMENT; at < to; at += 2) {
      const one = unit[at] ?? 0
      const two = unit[at + 1] ?? 0
      if (one === 0 && two === 0) continue
      const first = Math.round(one / step)
      const second = Math.round(two / step)
      sum += Math.abs(one) + Math.abs(two)
      lost += (one - step * first) ** 2 + (two - step * second) ** 2
      if (first === 0 && second === 0) continue
      words[next] = layout.pairsAt + (at / 2) * PAIR_BYTES
      words[next + 1] = (second << 16) | (first & 0xffff)
      next += 2
    }
    bounds[segment] = sum / 2
    const pairs = (next - end - QUESTION_HEAD_WORDS) / 2
    if (pairs === 0) continue
    words[end] = segment * SCALES_BYTES
    words[end + 1] = pairs
    floats[end + 2] = sum / 2
    segments += 1
    end = next
  }
  const slack = ROW_LENGTH_MAX * Math.sqrt(lost) + Math.max(FLOAT_ERROR_MIN, layout.dimensions * FLOAT_ERROR)
  return { words: words.slice(0, end), segments, step, slack, bounds, pairsAt: layout.pairsAt }
}

/** The vector's halves, of length 1 together, filled up to whole segments. */
function unitOf(vector: Float32Array, { dimensions, segments }: BlockLayout): Float64Array | null {
  const unit = new Float64Array(segments * SEGMENT)
  unit.set(new Float16Array(vector.subarray(0, dimensions)))
  let square = 0
  for (let at = 0; at < dimensions; at++) square += (unit[at] ?? 0) ** 2
  const length = Math.sqrt(square)
  if (length === 0 || !Number.isFinite(length)) return null
  for (let at = 0; at < dimensions; at++) unit[at] = (unit[at] ?? 0) / length
  return unit
}

function greatestOf(unit: Float64Array): number {
  let most = 0
  for (let at = 0; at < unit.length; at++) most = Math.max(most, Math.abs(unit[at] ?? 0))
  return most
}
