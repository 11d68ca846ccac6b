import { AppError } from '../../kernel/errors.ts'
import { DIMENSIONS_MAX } from '../../kernel/limits.ts'
import type { EmbeddingModel } from '../embedding-model.ts'

export const PROBES = [
  'The invoice is due within thirty days.',
  'A small ship lies in the harbour at night.',
] as const

const LENGTH_TOLERANCE = 0.01
/** Cosines that unrelated texts never exceed, and the same text never falls below. */
const DIFFERENT_MAX = 0.999
const SAME_MIN = 0.99

/** Embeds a few texts and checks that the vectors can be searched. @throws AppError `upstream_error`, model errors */
export async function tryModel(model: EmbeddingModel, signal?: AbortSignal): Promise<void> {
  const [first, second] = PROBES
  const texts = [first, second, first].map((text) => ({ title: '', text }))
  const vectors = [
    ...(await model.embedDocuments(texts, signal)),
    await model.embedQuery('When is it due?', signal),
  ]
  const { dimensions } = model
  if (dimensions < 1 || dimensions > DIMENSIONS_MAX)
    throw unusable(
      model,
      `its vectors have ${dimensions} dimensions, and at most ${DIMENSIONS_MAX} can be stored`,
    )
  if (vectors.length !== texts.length + 1)
    throw unusable(model, `it returned ${vectors.length - 1} vectors for ${texts.length} texts`)
  for (const vector of vectors) {
    if (vector.length !== dimensions)
      throw unusable(model, `a vector has ${vector.length} dimensions instead of ${dimensions}`)
    const length = Math.sqrt(dot(vector, vector))
    if (!(Math.abs(length - 1) < LENGTH_TOLERANCE))
      throw unusable(model, `a vector has the length ${length.toPrecision(3)} instead of 1`)
  }
  const [a, b, again] = vectors
  if (!a || !b || !again) throw unusable(model, 'it returned no vectors')
  if (dot(a, b) > DIFFERENT_MAX) throw unusable(model, 'it returns the same vector for different texts')
  if (dot(a, again) < SAME_MIN) throw unusable(model, 'it returns different vectors for the same text')
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0)
  return sum
}

function unusable(model: EmbeddingModel, why: string): AppError {
  return new AppError('upstream_error', `The embedding model ${model.id} cannot be used: ${why}`)
}
