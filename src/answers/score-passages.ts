import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Hit } from '../retrieval/index.ts'
import type { Candidate } from './candidate.ts'
import { type Passage, pointsBack } from './passages.ts'
import { asksForCode, asksWhatItIs, expectAnswer } from './question-type.ts'
import { askedStems, stemsOf } from './stems.ts'

/** What a passage has that shares no word with the question: then its hit's rank and what is asked for decide. */
const BASE_SCORE = 0.03
/**
 * What a question's word counts that stands not in the passage itself or what it defines, but in the question or sentence
 * that it goes on from, above it, in the title, or beside it.
 */
const BEFORE_SHARE = 0.7
const CONTEXT_SHARE = 0.4
const TITLE_SHARE = 0.8
const NEIGHBOUR_SHARE = 0.3
/** What a name counts that is spelled in another way: "DRI" is no "dry". */
const OTHER_SPELLING_SHARE = 0.3
/** What a question in a document, which is no answer, and code that was not asked for keep of their score. */
const QUESTION_SHARE = 0.3
const UNASKED_CODE_SHARE = 0.6
/** How much the last hit's passages lose against the first hit's. */
const RANK_LOSS = 0.6
/** Of few hits the last one is not far behind. */
const RANKS_MIN = 7
/** What a definition or row gains whose term says nothing but what is asked. */
const PRECISE_GAIN = 0.3
/** What a table's row gains where the question names both the row and one of its columns. */
const CELL_GAIN = 0.4
/** What a passage gains that defines what the question asks for, and the share of the question that this has to be. */
const DEFINITION_GAIN = 0.4
const DEFINED_SHARE_MIN = 0.5
/** Stems of a question that count, those that say most: each is looked for in every passage. */
const QUESTION_STEMS_MAX = 100
/** Stems that a passage can have before its length counts against it. */
const STEMS_FREE = 15

const NAME = /(?<![\p{L}\p{N}])(?:\p{Lu}{2,12}|\p{L}{0,40}\d[\p{L}\d]{0,40})(?![\p{L}\p{N}])/gu
const SUBJECT = /^(?:an?|the)? ?(.{1,60}?) (?:is|are|means?|stands? for|refers? to) /i

/** The weight of each of the question's stems, all together 1: rare words, and words rare among the passages, say more. */
export function questionWeights(
  question: string,
  candidates: readonly Candidate[],
  terms: TermWeights,
): Map<string, number> {
  const known = new Set<string>()
  for (const { stems } of candidates) for (const stem of stems) known.add(stem)
  const asked = askedStems(question, (stem) => known.has(stem), terms)
  const rarest = asked
    .toSorted((a, b) => terms.backgroundWeight(b) - terms.backgroundWeight(a))
    .slice(0, QUESTION_STEMS_MAX)
  const counted = asked.length <= QUESTION_STEMS_MAX ? asked : rarest
  const weights = counted.map((stem) => {
    const having = candidates.reduce((count, candidate) => count + (candidate.stems.has(stem) ? 1 : 0), 0)
    const local = Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5))
    return terms.backgroundWeight(stem) * local
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  return new Map(counted.map((stem, at) => [stem, (weights[at] ?? 0) / total]))
}

/** Gives each passage its score: what it covers of the question, by where that stands and what it seems to have. */
export function* scoringCandidates(
  question: string,
  hits: readonly Hit[],
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): Pausable<void> {
  const expects = expectAnswer(question)
  const asksForDefinition = asksWhatItIs(question)
  const isSpelled = spellingCheck(question, terms)
  const code = asksForCode(question) ? 1 : UNASKED_CODE_SHARE
  const titles = hits.map((hit) => stemsOf(hit.title, terms))
  for (const [at, candidate] of candidates.entries()) {
    yield
    const { passage, hit } = candidate
    const places = placesAround(candidate, [candidates[at - 1], candidates[at + 1]], titles[hit], terms)
    const { own, around } = cover(candidate, weights, places, isSpelled)
    candidate.gains = expects(passage.text)
    const gains = [
      candidate.gains,
      asksForDefinition && definesAsked(passage, weights, terms) ? DEFINITION_GAIN : 0,
      passage.kind === 'row' ? PRECISE_GAIN * precisionOf(places.term, weights) : 0,
      namesCell(passage, places.term, weights, terms) ? CELL_GAIN : 0,
    ]
    const rank = 1 - (RANK_LOSS * hit) / Math.max(RANKS_MIN, hits.length - 1)
    const length = 1 / (1 + Math.max(0, candidate.stems.size - STEMS_FREE) / 100)
    const kind = passage.text.endsWith('?') ? QUESTION_SHARE : passage.kind === 'code' ? code : 1
    candidate.covers = own
    candidate.score = gains.reduce((score, gain) => score * (1 + gain), BASE_SCORE + own + around)
    candidate.score *= rank * length * kind
  }
}

type Stems = ReadonlySet<string>

/** Where a question's words can stand for a passage, beside its own text. */
interface Places {
  term: Stems
  /** The nearest first: a word counts once, by the first place where it stands. */
  around: readonly { stems: Stems; share: number }[]
}

function placesAround(
  { passage, hit }: Candidate,
  [before, after]: readonly (Candidate | undefined)[],
  title: Stems = new Set(),
  terms: TermWeights,
): Places {
  const beside = [before, after].flatMap((other) => (other?.hit === hit ? [other] : []))
  const goesOnFrom = beside.filter(
    (other) =>
      other === before &&
      (other.passage.text.endsWith('?') || (other.passage.group === passage.group && pointsBack(passage))),
  )
  return {
    term: passage.term === null ? new Set() : stemsOf(passage.term, terms),
    around: [
      ...goesOnFrom.map(({ stems }) => ({ stems, share: BEFORE_SHARE })),
      { stems: stemsOf(passage.context, terms), share: CONTEXT_SHARE },
      { stems: title, share: TITLE_SHARE },
      ...beside.map(({ stems }) => ({ stems, share: NEIGHBOUR_SHARE })),
    ],
  }
}

/** The share of the question's weight that a passage covers itself or by what it defines, and by what is around it. */
function cover(
  { passage, stems }: Candidate,
  weights: ReadonlyMap<string, number>,
  { term, around }: Places,
  isSpelled: (stem: string, passage: Passage) => boolean,
): { own: number; around: number } {
  const covered = { own: 0, around: 0 }
  for (const [stem, weight] of weights) {
    if (stems.has(stem) || term.has(stem))
      covered.own += isSpelled(stem, passage) ? weight : weight * OTHER_SPELLING_SHARE
    else covered.around += weight * (around.find((place) => place.stems.has(stem))?.share ?? 0)
  }
  return covered
}

/** Whether what a passage defines (a term, or the words before "is") is most of what the question is about. */
function definesAsked(passage: Passage, weights: ReadonlyMap<string, number>, terms: TermWeights): boolean {
  const subject = passage.kind === 'row' ? passage.term : (SUBJECT.exec(passage.text)?.[1] ?? null)
  if (subject === null) return false
  let defined = 0
  for (const stem of stemsOf(subject, terms)) defined += weights.get(stem) ?? 0
  return defined >= DEFINED_SHARE_MIN
}

/** Whether a question names a table's row and a column in which it has something. */
function namesCell(
  { cells }: Passage,
  term: Stems,
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): boolean {
  const isAsked = (stems: Stems): boolean => [...stems].some((stem) => weights.has(stem))
  return isAsked(term) && cells.slice(1).some(({ name }) => isAsked(stemsOf(name, terms)))
}

/** The share of a term's stems that the question has. */
function precisionOf(term: ReadonlySet<string>, weights: ReadonlyMap<string, number>): number {
  let asked = 0
  for (const stem of term) if (weights.has(stem)) asked++
  return asked / Math.max(1, term.size)
}

/** Tells whether a passage has a stem as the question spells it, where capitals or digits make a name of it. */
function spellingCheck(question: string, terms: TermWeights): (stem: string, passage: Passage) => boolean {
  const names = new Map<string, string>()
  for (const [name] of question.matchAll(NAME)) {
    const [stem, ...others] = terms.tokenize(name)
    if (stem !== undefined && others.length === 0) names.set(stem, name)
  }
  return (stem, passage) => {
    const name = names.get(stem)
    return name === undefined || passage.text.includes(name) || passage.context.includes(name)
  }
}
