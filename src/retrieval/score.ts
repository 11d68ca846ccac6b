/**
 * Scores stored vectors against a query: the cosine similarity of the stored halves, summed in 64 bits in the order of the
 * dimensions, at least 0 and at most 1. Every path scores with this function, so all paths agree by construction.
 * @param vector the query's vector, rounded to halves like the stored ones
 */
export function createScore(vector: Float32Array): (values: Float16Array) => number {
  const query = new Float16Array(vector)
  const dimensions: number[] = []
  const numbers: number[] = []
  for (const [dimension, value] of query.entries()) {
    if (value === 0) continue
    dimensions.push(dimension)
    numbers.push(value)
  }
  const length = lengthOf(query)
  return (values) => {
    let product = 0
    for (let at = 0; at < dimensions.length; at++)
      product += (numbers[at] ?? 0) * (values[dimensions[at] ?? 0] ?? 0)
    const lengths = length * lengthOf(values)
    return lengths > 0 ? Math.max(0, Math.min(1, product / lengths)) : 0
  }
}

function lengthOf(values: Float16Array): number {
  let square = 0
  for (let at = 0; at < values.length; at++) square += (values[at] ?? 0) ** 2
  return Math.sqrt(square)
}

/** For each dimension, half a unit in the last place of products and lengths of 32 bits. */
const FLOAT_ERROR = 2 * 2 ** -23

/** What pgvector's cosine distance, which it sums in 32 bits, can be off by. */
export function distanceError(dimensions: number): number {
  return dimensions * FLOAT_ERROR
}
