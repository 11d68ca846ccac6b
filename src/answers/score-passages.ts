import { z } from 'zod'
import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Candidate } from './candidate.ts'
import stored from './feature-weights.json' with { type: 'json' }
import { type Asked, describingPassages, FEATURES, type Features } from './features.ts'

const Weights = z.record(z.enum(FEATURES), z.number())

const weights = Weights.parse(stored)

/** Each passage with its score: the weighted sum of its features. */
export function* scoringPassages(
  asked: Asked,
  candidates: readonly Candidate[],
  terms: TermWeights,
): Pausable<void> {
  const described = yield* describingPassages(asked, candidates, terms)
  for (const [at, candidate] of candidates.entries()) candidate.score = weigh(described[at])
}

function weigh(features: Features | undefined): number {
  if (features === undefined) return 0
  return FEATURES.reduce((sum, name) => sum + weights[name] * features[name], 0)
}
