import { tokenize } from '../../src/inference/embedding-models/builtin/tokenize.ts'
import type { TermWeights } from '../../src/inference/term-weights.ts'

/** The service's own stems, all equally rare. */
export const testTerms: TermWeights = {
  tokenize,
  backgroundWeight: () => 5,
  translationsOf: () => [],
  wordVector: () => null,
}
