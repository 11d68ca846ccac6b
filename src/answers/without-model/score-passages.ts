import type { TermWeights } from '../../inference/term-weights.ts'
import type { Pausable } from '../../kernel/cooperative.ts'
import type { Candidate } from './candidate.ts'
import { type Described, scorePassages } from './chooser-model.ts'
import { type ComparedQuestion, coveringPassages } from './coverage.ts'
import { createDescribe, FEATURES, type Features } from './features.ts'
import type { AsksSame } from './same-question.ts'
import { tokenClassesOf } from './token-classes.ts'

/** The number of passages that are compared: those with the highest coverage. Others rarely have the answer. */
const COMPARED_MAX = 48
/** The factor that scales scores to log-likelihoods. */
export const SHARPNESS = 8
/** The gain of text below a heading that asks the same: above the best of other text. */
const SAME_QUESTION_GAIN = 1
/** How far below the lowest compared score the other passages rank. */
const UNFIT_LOSS = 1

/** Scores each passage. The exponentials of the scores times {@link SHARPNESS} are likelihoods. */
export function* scoringPassages(
  asked: ComparedQuestion,
  candidates: readonly Candidate[],
  terms: TermWeights,
  asksSame: AsksSame,
): Pausable<void> {
  const compared = yield* describingCompared(asked, candidates, terms)
  const scores = scorePassages(
    asked.question,
    compared.map(({ described }) => described),
  )
  const lowest = Math.min(...scores) / SHARPNESS
  for (const candidate of candidates) candidate.score = lowest - UNFIT_LOSS
  for (const [at, { candidate, features }] of compared.entries()) {
    if (!isFit(features)) continue
    candidate.score = (scores[at] ?? 0) / SHARPNESS
    if (asksSame(candidate.passage.heading)) candidate.score += SAME_QUESTION_GAIN
  }
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
  asked: ComparedQuestion,
  candidates: readonly Candidate[],
  terms: TermWeights,
): Pausable<Compared[]> {
  const passages = yield* coveringPassages(asked, candidates)
  const most = passages.reduce((best, { own }) => Math.max(best, own), 0)
  const describe = createDescribe(asked, terms, most)
  // A passage's own words count twice, because all passages of a document share its title.
  const ranked = passages.toSorted((a, b) => b.all + b.own - (a.all + a.own)).slice(0, COMPARED_MAX)
  const compared: Compared[] = []
  for (const passage of ranked) {
    yield
    const { candidate } = passage
    const features = describe(passage)
    const numbers = FEATURES.map((name) => features[name])
    const classes = tokenClassesOf(candidate.passage.text)
    compared.push({ candidate, features, described: { features: numbers, classes } })
  }
  return compared
}
