import type { TermWeights } from '../../inference/term-weights.ts'
import type { Pausable } from '../../kernel/cooperative.ts'
import type { Hit } from '../../retrieval/index.ts'
import { askedTypes } from './answer-types.ts'
import type { Candidate } from './candidate.ts'
import { choosePassages } from './choose-passages.ts'
import {
  announcedList,
  type AskedWords,
  introducedList,
  listAround,
  outlineOf,
  stepsNear,
  textUnder,
  withShortList,
} from './lists-around.ts'
import type { Passage } from './passage.ts'
import { plainText, shorten } from './plain-text.ts'
import { type QuestionPart, splitQuestion } from '../../text/question-parts.ts'
import {
  asksForCode,
  asksForList,
  asksForSteps,
  asksForSummary,
  asksHow,
  asksWhatItIs,
  namesAsked,
} from './answer-form.ts'
import { createReadMaterial, type Material, type Read } from './read-material.ts'
import { renderAnswer } from './render-answer.ts'
import type { Section } from './sections.ts'
import { scoringPassages } from './score-passages.ts'
import { type AsksSame, createAsksSame } from './same-question.ts'
import { createSpeakerOf } from './speakers.ts'
import { stemsOf } from './stems.ts'
import { rowText } from './table-rows.ts'
import { lossesByThread } from './older-in-thread.ts'

/** The maximum number of documents that are listed by title only. */
const TITLES_MAX = 4
/** A longer heading would bury the sentence below it. */
const HEADING_CHARACTERS_MAX = 60
const PLACE_CHARACTERS_MAX = 120
/** The second part of a question is probably answered in the same document as the first. */
const SAME_DOCUMENT_GAIN = 0.25

/** The answer to one part of a question, with its document. */
interface Answered {
  text: string
  document: string | undefined
}
const NOTHING: Answered = { text: '', document: undefined }

/** What the answer to a part knows of the question's other part. */
interface Shared {
  /** Passages that its answer quotes. */
  shown: Set<Passage>
  /** The document of its answer. */
  document: string | undefined
  /** Whether there is no other part. */
  isOnly: boolean
}

/** Writes answers without a language model. */
export type Synthesize = (material: Material) => Pausable<string>

/** The answer without a language model: the best passages, each with its `[N]` marker. Deterministic. */
export function createSynthesize(terms: TermWeights): Synthesize {
  const { read, prepare } = createReadMaterial(terms)

  /** The passages for one part of a question, in reading order. */
  function* answerPart(
    part: QuestionPart,
    found: Read,
    { hits, around, gains = [], isWeak = false }: Material,
    { shown, document, isOnly }: Shared,
  ): Pausable<Answered> {
    const { text } = part
    const { candidates } = found
    const asked = yield* prepare(part, found)
    const { weights } = asked.words
    const asksSame = createAsksSame(weights, terms)
    yield* scoringPassages(asked, candidates, terms, asksSame)
    const losses = lossesByThread(hits, around)
    for (const candidate of candidates) {
      const isSame = hits[candidate.hit]?.sourceItemId === document
      candidate.score += (gains[candidate.hit] ?? 0) + (isSame ? SAME_DOCUMENT_GAIN : 0)
      candidate.score -= losses[candidate.hit] ?? 0
    }
    const wants = { code: asksForCode(text), definition: asksWhatItIs(text) }
    const { lead, support } = choosePassages(candidates, wants)
    const [best] = lead
    if (best === undefined) return NOTHING
    const askedWords = { weights, stemsOf: (said: string) => stemsOf(said, terms) }
    const list = isWeak ? [] : listFor(text, best, candidates, askedWords, asksSame)
    const others = isWeak ? [] : support.filter(({ hit }) => losses[hit] === 0)
    const withLists = (group: readonly Candidate[]): Candidate[] =>
      group.flatMap((candidate) => withShortList(candidate, candidates, askedWords))
    const chosen = list.length > 1 ? [list] : [withLists(lead), withLists(others)]
    const groups = chosen.map((group) => group.filter(({ passage }) => !shown.has(passage)))
    for (const { passage } of groups.flat()) shown.add(passage)
    const answer = renderAnswer(groups, candidates, {
      // A row that answers both parts of a question is shown once.
      narrow: (passage) => (isOnly ? narrowRow(text, passage, weights, terms) : passage),
      headingOf: (candidate) =>
        isWeak || asksSame(candidate.passage.heading)
          ? null
          : neededHeading(candidate, found.sections, weights, terms),
      speakerOf: createSpeakerOf(hits, candidates),
      asksForPerson: askedTypes(text).includes('person'),
    })
    const place = isWeak ? placeOf(best, hits, found.sections) : ''
    const preface = place === '' ? '' : `Closest match: *${place}*\n\n`
    return { text: `${preface}${answer}`, document: hits[best.hit]?.sourceItemId }
  }

  return function* synthesize(material) {
    const found = yield* read(material)
    if (found.candidates.length === 0) return titlesOnly(material.hits)
    const shown = new Set<Passage>()
    const parts = material.isWeak ? [{ text: material.question, rest: '' }] : splitQuestion(material.question)
    const answers: Answered[] = []
    for (const part of parts)
      answers.push(
        yield* answerPart(part, found, material, {
          shown,
          document: answers[0]?.document,
          isOnly: parts.length === 1,
        }),
      )
    return answers.flatMap(({ text }) => (text === '' ? [] : [text])).join('\n\n')
  }
}

/** The whole list that a question asks for, or the text below a heading that asks the same; if any. */
function listFor(
  question: string,
  best: Candidate,
  candidates: readonly Candidate[],
  asked: AskedWords,
  asksSame: AsksSame,
): readonly Candidate[] {
  if (asksSame(best.passage.heading)) return textUnder(best, candidates)
  if (asksForSummary(question)) return outlineOf(best, candidates)
  if (asksHow(question)) {
    const steps = stepsNear(best, candidates)
    if (steps.length > 1) return steps
  }
  if (asksForSteps(question) || asksForList(question)) return listAround(best, candidates)
  const announced = announcedList(best, candidates)
  return announced.length > 0 ? [best, ...announced] : introducedList(best, candidates, asked)
}

/** Drops the columns of a row that the question does not name, if it names any. The others keep their headers. */
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

/** The location of a passage: `Title › Section`. */
function placeOf(
  { passage, section, hit }: Candidate,
  hits: readonly Hit[],
  sections: readonly Section[],
): string {
  const title = plainText(hits[hit]?.title ?? '')
  const heading = passage.heading ?? sectionHeading(sections[section])
  const parts = heading === title ? [title] : [title, heading]
  return parts
    .filter((part) => part !== '')
    .map((part) => shorten(part, PLACE_CHARACTERS_MAX))
    .join(' › ')
}

function sectionHeading(section: Section | undefined): string {
  return plainText(section?.heading?.split(' > ').at(-1) ?? '')
}

/** The heading of a sentence, if it contains a word of the question that the sentence lacks. */
function neededHeading(
  { passage, stems, section }: Candidate,
  sections: readonly Section[],
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): string | null {
  const heading = passage.heading ?? sectionHeading(sections[section])
  if (heading === '' || heading.length > HEADING_CHARACTERS_MAX) return null
  const adds = [...stemsOf(heading, terms)].some((stem) => weights.has(stem) && !stems.has(stem))
  return adds ? heading.replace(/^\d{1,3}[.)] /, '').replace(/[.:?]+$/, '') : null
}

function titlesOnly(hits: readonly Hit[]): string {
  return hits
    .slice(0, TITLES_MAX)
    .map((hit, index) => `${plainText(hit.title)} [${index + 1}]`)
    .join('\n')
}
