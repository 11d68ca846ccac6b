import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Hit } from '../retrieval/index.ts'
import { createQuotationFilter } from '../text/quotations.ts'
import type { Candidate } from './candidate.ts'
import { choosePassages, listAround } from './choose-passages.ts'
import type { Above } from './features.ts'
import { createMeaning } from './meaning.ts'
import type { Passage } from './passage.ts'
import { plainText, shorten } from './plain-text.ts'
import { type QuestionPart, splitQuestion } from './question-parts.ts'
import { asksForCode, asksForList, asksForSteps, namesAsked, withEncryptedNames } from './question-type.ts'
import { readQuestionWords } from './question-words.ts'
import type { Around } from './read-around.ts'
import { createReadSections, type ReadSections } from './read-sections.ts'
import { renderAnswer } from './render-answer.ts'
import { scoringPassages } from './score-passages.ts'
import { joinSections, type Section } from './sections.ts'
import { stemsOf } from './stems.ts'
import { rowText } from './table-rows.ts'

/** Documents that have nothing but a title. */
const TITLES_MAX = 4
/** A hit without sentences is shown up to here. */
const WHOLE_CHARACTERS_MAX = 300
const WITHOUT_CONTEXT = {
  term: null,
  cells: [],
  context: '',
  label: null,
  group: 1,
  at: 0,
  isTitle: false,
}

/** What an answer is written from. */
export interface Material {
  question: string
  /** Not empty. */
  hits: readonly Hit[]
  /** What stands around each hit in its document, as far as it was read. */
  around: readonly (Around | undefined)[]
}

/** Writes answers without a language model. */
export type Synthesize = (material: Material) => Pausable<string>

/**
 * The answer without a language model: the passages of the hits that answer the question best, each with its `[N]`
 * marker (N is the hit's place, from 1). The same input gives the same bytes.
 */
export function createSynthesize(terms: TermWeights): Synthesize {
  const meaning = createMeaning(terms)
  const readSections = createReadSections(terms, meaning)
  const read = (text: string): Above => {
    const stems = stemsOf(text, terms)
    return { stems, meaning: meaning.sumOf(stems) }
  }
  /** The passages for one part of a question, in the words of the answer. */
  function* answerPart(
    { text, rest }: QuestionPart,
    { candidates, sections, hits }: Read,
    shown: Set<Passage>,
  ): Pausable<string> {
    const question = withEncryptedNames(text)
    const words = readQuestionWords(question, withEncryptedNames(rest), candidates, terms, meaning)
    const titles = hits.map(({ title }) => read(title))
    const headings = sections.map(({ heading }) => read(heading ?? ''))
    yield* scoringPassages(
      { question, words, meaning: meaning.sumOf(words.weights.keys()), titles, headings },
      candidates,
      terms,
    )
    const best = choosePassages(candidates, words.weights, { code: asksForCode(text) })
    const wantsList = asksForSteps(text) || asksForList(text)
    const list = wantsList ? listAround(best[0], candidates) : []
    const chosen = (list.length > 1 ? list : best).filter(({ passage }) => !shown.has(passage))
    for (const { passage } of chosen) shown.add(passage)
    return renderAnswer(chosen, candidates, (passage) => narrowRow(text, passage, words.weights, terms))
  }

  return function* synthesize(material) {
    const found = yield* readCandidates(material, readSections)
    if (found.candidates.length === 0) return titlesOnly(material.hits)
    const shown = new Set<Passage>()
    const answers: string[] = []
    for (const part of splitQuestion(material.question)) answers.push(yield* answerPart(part, found, shown))
    return answers.filter((answer) => answer !== '').join('\n\n')
  }
}

/** What was read of the hits. */
interface Read {
  candidates: Candidate[]
  sections: readonly Section[]
  hits: readonly Hit[]
}

function* readCandidates({ question, hits, around }: Material, readSections: ReadSections): Pausable<Read> {
  const withoutQuotations = createQuotationFilter(question)
  const sections = joinSections(hits, around, ({ content }) => withoutQuotations(content))
  const candidates = yield* readSections(sections)
  if (candidates.length > 0) return { candidates, sections, hits }
  // Where there is nothing else, a quotation still shows what was found.
  const whole = joinSections(hits, around, ({ content }) => content)
  const all = yield* readSections(whole)
  return { candidates: all.length > 0 ? all : fragments(hits), sections: whole, hits }
}

/** Chunks of headings or torn markup alone still say something: their own text, shortened. */
function fragments(hits: readonly Hit[]): Candidate[] {
  return hits.flatMap(({ content }, hit) => {
    const text = shorten(plainText(content), WHOLE_CHARACTERS_MAX)
    const empty = {
      stems: new Set<string>(),
      words: [],
      term: new Set<string>(),
      context: new Set<string>(),
      meaning: null,
      contextMeaning: null,
    }
    const unscored = { score: 0, covers: 0, gains: 0 }
    const passage = { ...WITHOUT_CONTEXT, kind: 'sentence' as const, text }
    return text === ''
      ? []
      : [{ ...empty, ...unscored, passage, hit, isBeside: false, section: hit, position: 0 }]
  })
}

/** A row without the columns that the question does not name, where it names one. What is left keeps its header. */
function narrowRow(
  question: string,
  passage: Passage,
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): Passage {
  const [first, ...rest] = passage.cells
  const isAsked = (text: string): boolean => [...stemsOf(text, terms)].some((stem) => weights.has(stem))
  const isColumn = (name: string): boolean => isAsked(name) || namesAsked(question, name)
  if (first === undefined || !rest.some(({ name }) => isColumn(name))) return passage
  const kept = rest.filter(({ name, text }) => isColumn(name) || isAsked(text))
  return { ...passage, text: rowText([first, ...kept]) }
}

/** For documents that have nothing but a title. */
function titlesOnly(hits: readonly Hit[]): string {
  return hits
    .slice(0, TITLES_MAX)
    .map((hit, index) => `${plainText(hit.title)} [${index + 1}]`)
    .join('\n')
}
