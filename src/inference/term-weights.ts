/** Compares words and weighs them, without embedding the text. */
export interface TermWeights {
  /** The stems of a text, in order, without stop words. */
  tokenize(text: string): string[]
  /** Rarity of a stem in ordinary text: above 0, larger is rarer. */
  backgroundWeight(stem: string): number
  /** The English stems that translate a foreign one, most often none. */
  translationsOf(stem: string): readonly string[]
  /** The unit vector of a stem's meaning; null: unknown stem. */
  wordVector(stem: string): Float32Array | null
}

/** The built-in embedding model's stems and background frequencies, whichever model embeds. @throws StartupError */
export async function loadTermWeights(): Promise<TermWeights> {
  const { loadWordKnowledge } = await import('./embedding-models/builtin/builtin.ts')
  const { tokenize } = await import('./embedding-models/builtin/tokenize.ts')
  const { backgroundWeight, translationsOf, wordVector } = await loadWordKnowledge()
  return { tokenize, backgroundWeight, translationsOf, wordVector }
}
