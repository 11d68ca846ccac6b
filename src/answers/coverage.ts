import type { TermWeights } from '../inference/term-weights.ts'
import type { ReadPassage } from './candidate.ts'
import type { QuestionWords } from './question-words.ts'

type Stems = ReadonlySet<string>

/** The weight of a name in another spelling: "DRI" does not match "dry". */
const OTHER_SPELLING_SHARE = 0.3
const NAME = /(?<![\p{L}\p{N}])(?:\p{Lu}{2,12}|\p{L}{0,40}\d[\p{L}\d]{0,40})(?![\p{L}\p{N}])/gu

/** Where the words of a question can occur outside a passage's text, nearest first. */
const PLACES = ['before', 'context', 'title', 'heading', 'beside'] as const
export type Places = Record<(typeof PLACES)[number], Pick<Stems, 'has'>>
export type Covered = Record<'own' | 'term' | 'similar' | 'beyond' | keyof Places, number>

/** The share of the question's weight at each place. A word counts once, at the first place that has it. */
export function cover(
  { passage, stems, term }: ReadPassage,
  { weights, similar }: QuestionWords,
  places: Places,
  isSpelled: SpellingCheck,
): Covered {
  const covered: Covered = {
    own: 0,
    term: 0,
    similar: 0,
    beyond: 0,
    before: 0,
    context: 0,
    title: 0,
    heading: 0,
    beside: 0,
  }
  for (const [stem, weight] of weights) {
    const isOwn = stems.has(stem)
    const isAbove = places.title.has(stem) || places.heading.has(stem)
    if (isOwn || term.has(stem)) {
      const share = isSpelled(stem, passage.text, passage.context) ? 1 : OTHER_SPELLING_SHARE
      covered[term.has(stem) ? 'term' : 'own'] += weight * share
      if (!isAbove) covered.beyond += weight * share
      continue
    }
    const closest = similar.get(stem)?.find((other) => stems.has(other.stem))?.closeness ?? 0
    covered.similar += weight * closest
    if (!isAbove) covered.beyond += weight * closest
    const place = PLACES.find((one) => places[one].has(stem))
    if (place !== undefined) covered[place] += weight * (1 - closest)
  }
  return covered
}

/** Checks whether a text or its context has a stem in the question's spelling. */
export type SpellingCheck = (stem: string, text: string, context: string) => boolean

/** Returns a check of the question's spelling. Spelling matters where capitals or digits make a stem a name. */
export function spellingCheck(question: string, terms: TermWeights): SpellingCheck {
  const names = new Map<string, string>()
  for (const [name] of question.matchAll(NAME)) {
    const [stem, ...others] = terms.tokenize(name)
    if (stem !== undefined && others.length === 0) names.set(stem, name)
  }
  return (stem, text, context) => {
    const name = names.get(stem)
    return name === undefined || text.includes(name) || context.includes(name)
  }
}
