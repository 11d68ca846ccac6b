import { hash } from 'node:crypto'
import type { EmbeddingModel } from '../../src/inference/embedding-model.ts'

/**
 * A test model: a text's vector is the sum of its words' directions, so texts with shared words are near each other,
 * and one without is at a right angle. Deterministic; models with different names share no direction.
 */
export function hashEmbeddingModel(
  options: { id?: string; dimensions?: number } = {},
): EmbeddingModel & { calls: { documents: number; queries: string[] } } {
  const { id = 'hash-1', dimensions = 64 } = options
  const calls = { documents: 0, queries: [] as string[] }
  const embed = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions)
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const position = hash('md5', `${id} ${word}`, 'buffer').readUInt32LE() % dimensions
      vector[position] = (vector[position] ?? 0) + 1
    }
    const length = Math.hypot(...vector)
    return length === 0 ? vector : vector.map((value) => value / length)
  }
  return {
    id,
    dimensions,
    calls,
    async embedDocuments(documents, signal) {
      signal?.throwIfAborted()
      calls.documents += documents.length
      return documents.map(({ title, text }) => embed(`${title} ${text}`))
    },
    async embedQuery(query, signal) {
      signal?.throwIfAborted()
      calls.queries.push(query)
      return embed(query)
    },
  }
}
