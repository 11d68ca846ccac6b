import { hash } from 'node:crypto'
import type { ValidationIssue } from '../kernel/errors.ts'
import type { Pausable } from '../kernel/cooperative.ts'
import { floatsOf, type GivenEmbedding } from './given-embedding.ts'
import { itemKey, type PushedItem } from './item.ts'

/** Rounding to 16-bit floats changes a length by less than a thousandth. */
const LENGTH_TOLERANCE = 0.01

interface Embedder {
  model: { id: string; dimensions: number }
}

/** Assigns the sent vectors to their items' chunks. @returns an issue for each item whose vectors do not match */
export function* placingVectors(
  items: readonly PushedItem[],
  chunksOf: ReadonlyMap<string, readonly VectorChunk[]>,
  embedders: readonly Embedder[],
): Pausable<ValidationIssue[]> {
  const issues: ValidationIssue[] = []
  for (const [index, item] of items.entries()) {
    const chunks = chunksOf.get(itemKey(item))
    if (item.embedding === undefined || chunks === undefined) continue
    const fault = yield* placing(item.embedding, chunks, embedders)
    if (fault === null) continue
    const path = `documents.${index}.embedding.${fault.field}`
    issues.push({ path, message: `${path} ${fault.message}; send the document without embedding` })
  }
  return issues
}

interface VectorChunk {
  heading: string | null
  content: string
  /** One for each model. */
  vectors: Float32Array[]
}

interface Fault {
  field: keyof GivenEmbedding
  message: string
}

/** @returns why the vectors do not match the chunks; null if they do */
function* placing(
  { model, chunksSha256, vectors }: GivenEmbedding,
  chunks: readonly VectorChunk[],
  embedders: readonly Embedder[],
): Pausable<Fault | null> {
  const at = embedders.findIndex((one) => one.model.id === model)
  const dimensions = embedders[at]?.model.dimensions
  if (dimensions === undefined)
    return { field: 'model', message: `must be the workspace's: "${embedders[0]?.model.id ?? ''}"` }
  if (chunksSha256 !== chunksHash(chunks))
    return {
      field: 'chunksSha256',
      message: 'does not match the chunks into which the service splits the text',
    }
  const values = floatsOf(vectors)
  if (values.length !== chunks.length * dimensions)
    return { field: 'vectors', message: `must have ${chunks.length} vectors of ${dimensions} numbers` }
  for (const [n, chunk] of chunks.entries()) {
    yield
    const vector = Float32Array.from(values.subarray(n * dimensions, (n + 1) * dimensions))
    if (!isUnit(vector)) return { field: 'vectors', message: `must each have length 1; vector ${n} does not` }
    chunk.vectors[at] = vector
  }
  return null
}

function chunksHash(chunks: readonly VectorChunk[]): string {
  return hash('sha256', JSON.stringify(chunks.map(({ heading, content }) => [heading, content])), 'hex')
}

function isUnit(vector: Float32Array): boolean {
  const squares = vector.reduce((sum, value) => sum + value ** 2, 0)
  return Math.abs(Math.sqrt(squares) - 1) <= LENGTH_TOLERANCE
}
