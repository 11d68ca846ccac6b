import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Hit } from '../retrieval/index.ts'
import { createQuotationFilter, withoutQuotedQuestions } from '../text/quotations.ts'
import type { Candidate } from './candidate.ts'
import { choosePassages, listAround } from './choose-passages.ts'
import { type Passage, rowText, splitPassages } from './passages.ts'
import { plainText, shorten } from './plain-text.ts'
import { asksForSteps, withEncryptedNames } from './question-type.ts'
import { renderAnswer } from './render-answer.ts'
import { questionWeights, scoringCandidates } from './score-passages.ts'
import { stemsOf } from './stems.ts'

/** Documents that have nothing but a title. */
const TITLES_MAX = 4
/** A hit without sentences is shown up to here. */
const WHOLE_CHARACTERS_MAX = 300
const WITHOUT_CONTEXT = { term: null, cells: [], context: '', label: null, group: 1 }

/**
 * The answer without a language model: the passages of the hits that answer the question best, each with its `[N]`
 * marker (N is the hit's place, from 1). The same input gives the same bytes. `hits` must not be empty.
 */
export function* synthesizingAnswer(
  question: string,
  hits: readonly Hit[],
  terms: TermWeights,
): Pausable<string> {
  const withoutQuotations = createQuotationFilter(question)
  const candidates: Candidate[] = []
  for (const [index, hit] of hits.entries())
    yield* readHit(withoutQuotations(hit.content), index, terms, candidates)
  if (candidates.length === 0) {
    // Where there is nothing else, a quotation still shows what was found.
    for (const [index, hit] of hits.entries()) yield* readHit(hit.content, index, terms, candidates)
  }
  if (candidates.length === 0) return titlesOnly(hits)
  const asked = withEncryptedNames(question)
  const weights = questionWeights(asked, candidates, terms)
  yield* scoringCandidates(asked, hits, candidates, weights, terms)
  const chosen = choosePassages(candidates, weights)
  const steps = asksForSteps(question) ? listAround(chosen[0], candidates) : []
  return renderAnswer(steps.length > 1 ? steps : chosen, candidates, (passage) =>
    narrowRow(passage, weights, terms),
  )
}

/** A row without the columns that the question does not name, where it names one. */
function narrowRow(passage: Passage, weights: ReadonlyMap<string, number>, terms: TermWeights): Passage {
  const [first, ...rest] = passage.cells
  const isAsked = (text: string): boolean => [...stemsOf(text, terms)].some((stem) => weights.has(stem))
  if (first === undefined || !rest.some(({ name }) => isAsked(name))) return passage
  const kept = rest.filter(({ name, text }) => isAsked(name) || isAsked(text))
  return { ...passage, text: rowText([first, ...kept]) }
}

/** For documents that have nothing but a title. */
function titlesOnly(hits: readonly Hit[]): string {
  return hits
    .slice(0, TITLES_MAX)
    .map((hit, index) => `${plainText(hit.title)} [${index + 1}]`)
    .join('\n')
}

function* readHit(
  content: string,
  index: number,
  terms: TermWeights,
  candidates: Candidate[],
): Pausable<void> {
  yield
  const passages = splitPassages(content)
  // A chunk of headings or torn markup alone still says something: its own text, shortened.
  const read = passages.length > 0 ? passages : wholeContent(content)
  for (const [position, passage] of read.entries()) {
    yield
    const says = passage.kind === 'code' ? withoutQuotedQuestions(passage.text) : passage.text
    candidates.push({
      passage,
      hit: index,
      position,
      stems: stemsOf(says, terms),
      score: 0,
      covers: 0,
      gains: 0,
    })
  }
}

function wholeContent(content: string): Passage[] {
  const text = plainText(content)
  return text === ''
    ? []
    : [{ ...WITHOUT_CONTEXT, kind: 'sentence', text: shorten(text, WHOLE_CHARACTERS_MAX) }]
}
