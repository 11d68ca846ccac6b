/** How words are compared and how much each says, for work on text that needs no embedding of it. */
export interface TermWeights {
  /** The stems of a text, in order, without stop words. */
  tokenize(text: string): string[]
  /** How rare a stem is in ordinary text: above 0, the larger the rarer. */
  backgroundWeight(stem: string): number
  /** The unit vector of what a stem means; null for stems that the model does not know. */
  wordVector(stem: string): Float32Array | null
}

/** The built-in embedding model's stems and background frequencies, whichever model embeds. Throws StartupError. */
export async function loadTermWeights(): Promise<TermWeights> {
  const { loadBackgroundWeights, loadWordVectors } = await import('./embedding-models/builtin/builtin.ts')
  const { tokenize } = await import('./embedding-models/builtin/tokenize.ts')
  const [backgroundWeight, wordVector] = await Promise.all([loadBackgroundWeights(), loadWordVectors()])
  return { tokenize, backgroundWeight, wordVector }
}
