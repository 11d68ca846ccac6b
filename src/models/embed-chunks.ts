import type { EmbeddingInput, EmbeddingModel } from '../inference/embedding-model.ts'

/** The text of a chunk, with the headings that it stands under. */
interface TitledText {
  content: string
  heading: string | null
}

/**
 * What is embedded for a chunk beside its document's title: the headings above it, then its content. A heading that
 * only repeats the title is left out.
 */
export function chunkTextToEmbed(title: string, chunk: TitledText): string {
  // Of a document without a body the title is all there is, and it is there already.
  if (chunk.content === title.trim() && chunk.heading === null) return ''
  const heading = chunk.heading ?? ''
  const own =
    heading === title ? '' : heading.startsWith(`${title} > `) ? heading.slice(title.length + 3) : heading
  return own === '' ? chunk.content : `${own}\n${chunk.content}`
}

/** The model's input for a chunk. */
export function embeddingInput(title: string, chunk: TitledText): EmbeddingInput {
  return { title, text: chunkTextToEmbed(title, chunk) }
}

/** One vector for each input. @throws where the number of vectors or their dimensions are wrong */
export async function embedAll(
  model: EmbeddingModel,
  inputs: readonly EmbeddingInput[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors = await model.embedDocuments(inputs, signal)
  if (vectors.length !== inputs.length || vectors.some((vector) => vector.length !== model.dimensions)) {
    throw new Error(`${model.id} gave vectors of another number or length than it was asked for`)
  }
  return vectors
}
