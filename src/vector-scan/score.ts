export interface StoredVector {
  values: Float16Array
  length: number
}

/**
 * Scores stored vectors against a query: the cosine similarity of the stored half-precision numbers, summed
 * in 64 bits in the order of the dimensions, between 0 and 1. Every path scores with this function, so all
 * paths agree by construction.
 * @param vector the query's vector, rounded to half precision like the stored ones
 */
export function createScore(vector: Float32Array): (row: StoredVector) => number {
  const halves = new Float16Array(vector)
  const dimensions = new Uint16Array(vector.length)
  const numbers = new Float64Array(vector.length)
  let count = 0
  for (let dimension = 0; dimension < vector.length; dimension++) {
    const value = halves[dimension] ?? 0
    if (value === 0) continue
    dimensions[count] = dimension
    numbers[count] = value
    count += 1
  }
  const length = lengthOf(numbers)
  return (row) => {
    const { values } = row
    let product = 0
    for (let at = 0; at < count; at++) product += (numbers[at] ?? 0) * (values[dimensions[at] ?? 0] ?? 0)
    const lengths = length * row.length
    return lengths > 0 ? Math.max(0, Math.min(1, product / lengths)) : 0
  }
}

export function lengthOf(values: Float16Array | Float64Array): number {
  let square = 0
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0
    square += value * value
  }
  return Math.sqrt(square)
}

/** For each dimension, half a unit in the last place of 32-bit products and lengths. */
const FLOAT_ERROR = 2 * 2 ** -23

/** The maximum error of a similarity summed in 32 bits, as the kernel and pgvector's `<=>` do. */
export function distanceError(dimensions: number): number {
  return dimensions * FLOAT_ERROR
}
