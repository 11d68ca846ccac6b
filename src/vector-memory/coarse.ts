import type { MeaningPart } from '../inference/embedding-model.ts'
import { layoutOf, PAIR_BYTES, SCALES_BYTES, SEGMENT } from './block-layout.ts'
import { encodeQuestion, type Question, QUESTION_HEAD_WORDS } from './question.ts'
import { quantize } from './write-rows.ts'

/**
 * How near a quantized vector is to a query. Rows of a snapshot and rows from the database get the same
 * numbers.
 */
export interface CoarseNearness {
  cosine: number
  /** Product of the quantized meaning parts; null: not requested. */
  meaning: number | null
  /** Upper bound of the exact score. */
  atMost: number
}

/** A quantized row: its bytes by pairs of dimensions, and its scales. */
export interface QuantizedRow {
  bytes: Int8Array
  /** Offset of the first pair, and the distance to the next. */
  pairsAt: number
  pairStep: number
  scales: Float32Array
  scalesAt: number
  scaleStep: number
}

/** Compares vectors with a query exactly as the scan compares a snapshot's rows, bit for bit. */
export function createCoarse(
  vector: Float32Array,
  meaning: MeaningPart | null,
): (values: Float16Array) => CoarseNearness {
  const layout = layoutOf(vector.length)
  const question = encodeQuestion(vector, layout)
  const meaningOf = createMeaning(vector, meaning)
  return (values) => {
    if (question === null) return { cosine: 0, meaning: meaning && 0, atMost: 0 }
    const { bytes, scales } = quantize(values, layout)
    const atMost = upperBound(question, bytes, scales)
    const row: QuantizedRow = { bytes, pairsAt: 0, pairStep: 2, scales, scalesAt: 0, scaleStep: 1 }
    const cosine = atMost - offBy(question, (segment) => scales[segment] ?? 0)
    return { atMost, cosine, meaning: meaningOf(row) }
  }
}

/** The product of a quantized row's meaning part with the query's; null: not requested. */
export function createMeaning(
  vector: Float32Array,
  part: MeaningPart | null,
): (row: QuantizedRow) => number | null {
  if (part === null) return () => null
  const { from } = part
  const numbers = Float64Array.from(new Float16Array(vector.subarray(from, from + part.length)))
  return ({ bytes, pairsAt, pairStep, scales, scalesAt, scaleStep }) => {
    let sum = 0
    for (let at = 0; at < numbers.length;) {
      const segment = Math.floor((from + at) / SEGMENT)
      const end = Math.min(numbers.length, (segment + 1) * SEGMENT - from)
      let ofSegment = 0
      for (; at < end; at++) {
        const dimension = from + at
        ofSegment +=
          (numbers[at] ?? 0) * (bytes[pairsAt + (dimension >> 1) * pairStep + (dimension & 1)] ?? 0)
      }
      sum += ofSegment * (scales[scalesAt + segment * scaleStep] ?? 0)
    }
    return sum
  }
}

/** Maximum difference between a row's similarity and that of its quantized vector. */
export function offBy({ slack, bounds }: Question, scaleAt: (segment: number) => number): number {
  let sum = slack
  for (let segment = 0; segment < bounds.length; segment++) sum += (bounds[segment] ?? 0) * scaleAt(segment)
  return sum
}

/** Mirrors the kernel (scripts/kernels/scan.ts) in order and precision. */
function upperBound(question: Question, bytes: Int8Array, scales: Float32Array): number {
  const { words, segments, pairsAt } = question
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length)
  const step = Math.fround(question.step)
  let upper = Math.fround(question.slack)
  let at = 0
  for (let segment = 0; segment < segments; segment++) {
    const scale = scales[(words[at] ?? 0) / SCALES_BYTES] ?? 0
    const bound = floats[at + 2] ?? 0
    const end = at + QUESTION_HEAD_WORDS + 2 * (words[at + 1] ?? 0)
    let sum = 0
    for (at += QUESTION_HEAD_WORDS; at < end; at += 2) {
      const dimension = (2 * ((words[at] ?? 0) - pairsAt)) / PAIR_BYTES
      const numbers = words[at + 1] ?? 0
      sum += ((numbers << 16) >> 16) * (bytes[dimension] ?? 0) + (numbers >> 16) * (bytes[dimension + 1] ?? 0)
    }
    const similarity = Math.fround(bound + Math.fround(step * Math.fround(sum)))
    upper = Math.fround(upper + Math.fround(scale * similarity))
  }
  return upper
}
