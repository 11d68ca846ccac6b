import type { EmbeddingInput, EmbeddingModel } from '../inference/embedding-model.ts'

interface TitledText {
  content: string
  heading: string | null
}

/** The text embedded for a chunk: its headings, unless one only repeats the title, then its content. */
export function chunkTextToEmbed(title: string, chunk: TitledText): string {
  // A document without a body has only the title, which is embedded anyway.
  if (chunk.content === title.trim() && chunk.heading === null) return ''
  const heading = chunk.heading ?? ''
  const own =
    heading === title ? '' : heading.startsWith(`${title} > `) ? heading.slice(title.length + 3) : heading
  return own === '' ? chunk.content : `${own}\n${chunk.content}`
}

export function embeddingInput(title: string, chunk: TitledText): EmbeddingInput {
  return { title, text: chunkTextToEmbed(title, chunk) }
}

/** One vector per input. @throws if the number of vectors or their dimensions are wrong */
export async function embedAll(
  model: EmbeddingModel,
  inputs: readonly EmbeddingInput[],
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const vectors = await model.embedDocuments(inputs, signal)
  if (vectors.length !== inputs.length || vectors.some((vector) => vector.length !== model.dimensions)) {
    throw new Error(`${model.id} returned the wrong number or length of vectors`)
  }
  return vectors
}
