import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Hit } from '../retrieval/index.ts'
import type { Candidate } from './candidate.ts'
import { choosePassages, listAround } from './choose-passages.ts'
import type { Passage } from './passage.ts'
import { plainText, shorten } from './plain-text.ts'
import { type QuestionPart, splitQuestion } from './question-parts.ts'
import { asksForCode, asksForList, asksForSteps, namesAsked } from './question-type.ts'
import { createReadMaterial, type Material, type Read } from './read-material.ts'
import { renderAnswer } from './render-answer.ts'
import type { Section } from './sections.ts'
import { scoringPassages } from './score-passages.ts'
import { stemsOf } from './stems.ts'
import { rowText } from './table-rows.ts'

/** Limit on documents with only a title. */
const TITLES_MAX = 4
/** A longer heading would bury the sentence below it. */
const HEADING_CHARACTERS_MAX = 60
const PLACE_CHARACTERS_MAX = 120

/** Writes answers without a language model. */
export type Synthesize = (material: Material) => Pausable<string>

/**
 * The answer without a language model: the passages that answer the question best, each with its `[N]` marker
 * (N is the hit's place, from 1). The same input gives the same bytes.
 */
export function createSynthesize(terms: TermWeights): Synthesize {
  const { read, prepare } = createReadMaterial(terms)

  /** The passages for one part of a question, in reading order. */
  function* answerPart(
    part: QuestionPart,
    found: Read,
    { hits, gains = [], isWeak = false }: Material,
    shown: Set<Passage>,
  ): Pausable<string> {
    const { text } = part
    const { candidates } = found
    const asked = prepare(part, found)
    const { weights } = asked.words
    yield* scoringPassages(asked, candidates, terms)
    for (const candidate of candidates) candidate.score += gains[candidate.hit] ?? 0
    const best = choosePassages(candidates, { code: asksForCode(text) }).slice(0, isWeak ? 1 : undefined)
    const wantsList = !isWeak && (asksForSteps(text) || asksForList(text))
    const list = wantsList ? listAround(best[0], candidates) : []
    const chosen = (list.length > 1 ? list : best).filter(({ passage }) => !shown.has(passage))
    for (const { passage } of chosen) shown.add(passage)
    const answer = renderAnswer(chosen, candidates, {
      narrow: (passage) => narrowRow(text, passage, weights, terms),
      headingOf: (candidate) => (isWeak ? null : neededHeading(candidate, found.sections, weights, terms)),
    })
    const [closest] = chosen
    return isWeak && closest
      ? `Closest match: *${placeOf(closest, hits, found.sections)}*\n\n${answer}`
      : answer
  }

  return function* synthesize(material) {
    const found = yield* read(material)
    if (found.candidates.length === 0) return titlesOnly(material.hits)
    const shown = new Set<Passage>()
    if (material.isWeak === true)
      return yield* answerPart({ text: material.question, rest: '' }, found, material, shown)
    const answers: string[] = []
    for (const part of splitQuestion(material.question))
      answers.push(yield* answerPart(part, found, material, shown))
    return answers.filter((answer) => answer !== '').join('\n\n')
  }
}

/**
 * Drops the columns of a row that the question does not name, if it names one. The others keep their headers.
 */
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

/** A passage's place: `Title › Section`. */
function placeOf(
  { passage, section, hit }: Candidate,
  hits: readonly Hit[],
  sections: readonly Section[],
): string {
  const title = plainText(hits[hit]?.title ?? '')
  const heading = passage.heading ?? sectionHeading(sections[section])
  const parts = heading === '' || heading === title ? [title] : [title, heading]
  return parts.map((part) => shorten(part, PLACE_CHARACTERS_MAX)).join(' › ')
}

function sectionHeading(section: Section | undefined): string {
  return plainText(section?.heading?.split(' > ').at(-1) ?? '')
}

/** A sentence's heading, if it has a word of the question that the sentence lacks. */
function neededHeading(
  { passage, stems, section }: Candidate,
  sections: readonly Section[],
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): string | null {
  const heading = passage.heading ?? sectionHeading(sections[section])
  if (heading === '' || heading.length > HEADING_CHARACTERS_MAX) return null
  const adds = [...stemsOf(heading, terms)].some((stem) => weights.has(stem) && !stems.has(stem))
  return adds ? heading.replace(/[.:?]+$/, '') : null
}

/** For documents with only a title. */
function titlesOnly(hits: readonly Hit[]): string {
  return hits
    .slice(0, TITLES_MAX)
    .map((hit, index) => `${plainText(hit.title)} [${index + 1}]`)
    .join('\n')
}
