/** How words are compared and how much each says, for work on text that needs no vectors. */
export interface TermWeights {
  /** The stems of a text, in order, without stop words. */
  tokenize(text: string): string[]
  /** How rare a stem is in ordinary text: above 0, the larger the rarer. */
  backgroundWeight(stem: string): number
}

/** The built-in embedding model's stems and background frequencies, whichever model embeds. Throws StartupError. */
export async function loadTermWeights(): Promise<TermWeights> {
  const { loadBackgroundWeights } = await import('./embedding-models/builtin/builtin.ts')
  const { tokenize } = await import('./embedding-models/builtin/tokenize.ts')
  return { tokenize, backgroundWeight: await loadBackgroundWeights() }
}
