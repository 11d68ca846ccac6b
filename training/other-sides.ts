import type { Pairs, Texts } from './contrast.ts'
import { sizeOf } from './matrices.ts'

/**
 * For each row that is `wanted`, the sum of the directions of the texts on the other side of its pairs, more
 * for a shorter text of its own; zeros for other rows. `vectors` has `dimensions` numbers a row.
 */
export function otherSides(
  vectors: Float32Array,
  dimensions: number,
  { left, right }: Pairs,
  wanted: (row: number) => boolean,
): Float64Array {
  const sums = new Float64Array(vectors.length)
  const add = (own: Texts, other: Texts): void => {
    const text = new Float64Array(dimensions)
    for (let pair = 0; pair + 1 < own.starts.length; pair++) {
      const entries = own.rows.subarray(own.starts[pair], own.starts[pair + 1])
      if (!entries.some(wanted)) continue
      addUpText(text, vectors, other, pair)
      const size = sizeOf(text)
      if (size === 0) continue
      const share = 1 / (size * Math.sqrt(entries.length))
      for (const row of entries) {
        if (!wanted(row)) continue
        const to = row * dimensions
        for (let i = 0; i < dimensions; i++) sums[to + i] = (sums[to + i] ?? 0) + share * (text[i] ?? 0)
      }
    }
  }
  add(left, right)
  add(right, left)
  return sums
}

/** Writes the weighted sum of a text's vectors to `text`. */
function addUpText(text: Float64Array, vectors: Float32Array, texts: Texts, pair: number): void {
  text.fill(0)
  for (let entry = texts.starts[pair] ?? 0; entry < (texts.starts[pair + 1] ?? 0); entry++) {
    const from = (texts.rows[entry] ?? 0) * text.length
    const count = texts.counts[entry] ?? 0
    for (let i = 0; i < text.length; i++) text[i] = (text[i] ?? 0) + count * (vectors[from + i] ?? 0)
  }
}
