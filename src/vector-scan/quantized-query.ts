import { PAIR_BYTES, SCALES_BYTES, SEGMENT, segmentsOf } from './block-layout.ts'
import { distanceError } from './score.ts'

export interface QuantizedQuery {
  /** For each segment that is not all 0: its unit's offset, number of pairs, and bound; then the pairs. */
  readonly words: Int32Array
  readonly segments: number
  /** The size of one step of its 16-bit numbers. */
  readonly step: number
  /** The maximum error of a similarity that is independent of the row. */
  readonly slack: number
  /** For each segment, the maximum error per unit of the row's scale. */
  readonly bounds: Float32Array
}

const WORD = 4
const STEPS = 32_767
/** The upper bound of a quantized row's length: the vector's 1, plus an error under half of 1/127 each. */
const ROW_LENGTH_MAX = 1.5
const FLOAT_ERROR_MIN = 1e-5
/** Words before each segment's pairs. */
const HEAD_WORDS = 3

/** Encodes a vector for the kernel, rounded to 16 bits, in place. @returns null if all numbers are 0 */
export function quantizeQuery(vector: Float32Array): QuantizedQuery | null {
  const segmentsMax = segmentsOf(vector.length)
  const unit = unitOf(vector, segmentsMax)
  if (unit === null) return null
  const step = greatestOf(unit) / STEPS
  const bounds = new Float32Array(segmentsMax)
  const words = new Int32Array(segmentsMax * (HEAD_WORDS + SEGMENT))
  const floats = new Float32Array(words.buffer)
  let segments = 0
  let end = 0
  let lost = 0
  for (let segment = 0; segment < segmentsMax; segment++) {
    let next = end + HEAD_WORDS
    let sum = 0
    for (let at = 0; at < SEGMENT; at += 2) {
      const one = unit[segment * SEGMENT + at] ?? 0
      const two = unit[segment * SEGMENT + at + 1] ?? 0
      if (one === 0 && two === 0) continue
      const first = Math.round(one / step)
      const second = Math.round(two / step)
      sum += Math.abs(one) + Math.abs(two)
      lost += (one - step * first) ** 2 + (two - step * second) ** 2
      if (first === 0 && second === 0) continue
      words[next] = SCALES_BYTES + (at / 2) * PAIR_BYTES
      words[next + 1] = (second << 16) | (first & 0xffff)
      next += 2
    }
    bounds[segment] = sum / 2
    const pairs = (next - end - HEAD_WORDS) / 2
    if (pairs === 0) continue
    words[end] = segment * WORD
    words[end + 1] = pairs
    floats[end + 2] = sum / 2
    segments += 1
    end = next
  }
  const slack = ROW_LENGTH_MAX * Math.sqrt(lost) + Math.max(FLOAT_ERROR_MIN, distanceError(vector.length))
  return { words: words.slice(0, end), segments, step, slack, bounds }
}

/** The vector's half-precision numbers, normalized and padded to whole segments. */
function unitOf(vector: Float32Array, segments: number): Float64Array | null {
  const unit = new Float64Array(segments * SEGMENT)
  unit.set(new Float16Array(vector))
  let square = 0
  for (let at = 0; at < vector.length; at++) square += (unit[at] ?? 0) ** 2
  const length = Math.sqrt(square)
  if (length === 0 || !Number.isFinite(length)) return null
  for (let at = 0; at < vector.length; at++) unit[at] = (unit[at] ?? 0) / length
  return unit
}

function greatestOf(unit: Float64Array): number {
  let most = 0
  for (let at = 0; at < unit.length; at++) most = Math.max(most, Math.abs(unit[at] ?? 0))
  return most
}
