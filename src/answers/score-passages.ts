import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Candidate } from './candidate.ts'
import { type Described, scorePassages } from './chooser.ts'
import { type Asked, describingPassages, FEATURES, type Features } from './features.ts'
import { tokenClassesOf } from './token-classes.ts'

/** The number of passages that are compared: those with the highest coverage. Others rarely have the answer. */
const COMPARED_MAX = 48
/** The factor that scales scores to log-likelihoods. */
export const SHARPNESS = 8
/** How far below the lowest compared score the other passages rank. */
const UNFIT_LOSS = 1

/** Scores each passage. The exponentials of the scores times {@link SHARPNESS} are likelihoods. */
export function* scoringPassages(
  asked: Asked,
  candidates: readonly Candidate[],
  terms: TermWeights,
): Pausable<void> {
  const compared = yield* describingCompared(asked, candidates, terms)
  const scores = scorePassages(
    asked.question,
    compared.map(({ described }) => described),
  )
  const lowest = Math.min(...scores) / SHARPNESS
  for (const candidate of candidates) candidate.score = lowest - UNFIT_LOSS
  for (const [at, { candidate, features }] of compared.entries())
    if (isFit(features)) candidate.score = (scores[at] ?? 0) / SHARPNESS
}

/** Licenses, navigation, titles, and code that is not requested always rank below other text. */
function isFit({ saysLittle, isTitle, isUnaskedCode }: Features): boolean {
  return saysLittle === 0 && isTitle === 0 && isUnaskedCode === 0
}

export interface Compared {
  candidate: Candidate
  features: Features
  described: Described
}

/** The passages to compare, with the chooser's features. */
export function* describingCompared(
  asked: Asked,
  candidates: readonly Candidate[],
  terms: TermWeights,
): Pausable<Compared[]> {
  const all = yield* describingPassages(asked, candidates, terms)
  const ranked = all
    .map((features, at) => ({ features, candidate: candidates[at] }))
    .toSorted((a, b) => relevanceOf(b.features) - relevanceOf(a.features))
    .slice(0, COMPARED_MAX)
  const compared: Compared[] = []
  for (const { features, candidate } of ranked) {
    yield
    if (candidate !== undefined)
      compared.push({ candidate, features, described: describe(features, candidate) })
  }
  return compared
}

/** A passage's own words count twice, because all passages of a document share its title. */
const relevanceOf = ({ covered, own, term, similar }: Features): number => covered + own + term + similar

function describe(features: Features, { passage }: Candidate): Described {
  return { features: FEATURES.map((name) => features[name]), classes: tokenClassesOf(passage.text) }
}
