import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Candidate } from './candidate.ts'
import { pointsBack, saysLittle } from './passage.ts'
import { asksForCode, asksWhatItIs, expectAnswer } from './question-type.ts'
import { nearnessOf } from './meaning.ts'
import type { QuestionWords } from './question-words.ts'
import { stemsOf } from './stems.ts'

/** What the passages of a question are read for. */
export interface Asked {
  question: string
  words: QuestionWords
  /** What the question means. */
  meaning: Float32Array | null
  /** The title of each hit. */
  titles: readonly Above[]
  /** The headings above each section. */
  headings: readonly Above[]
}

type Stems = ReadonlySet<string>

/** The stems of a title or heading with what they mean. */
export interface Above {
  stems: Stems
  meaning: Float32Array | null
}

/** What tells how well a passage answers; most are 0 to 1. */
export const FEATURES = [
  /** Shares of the question's weight, each word counted once, at the first place that has it. */
  'own', // in the passage
  'term', // in the term that it tells of
  'similar', // in the passage by a word that means about the same
  'before', // in the question or sentence that it goes on from
  'context', // in the headings and the sentence above it
  'title', // in the title of the document
  'heading', // in the headings above the section
  'beside', // in the passages beside it
  /** Neighboring words of the question that stand together in it. */
  'phrase',
  /** How close it is in meaning, alone, and with what it stands under. */
  'near',
  'nearUnder',
  /** Names of the question exactly as they are spelled. */
  'literal',
  /** The same of its term. */
  'literalTerm',
  /** It has what is asked for: a number, a person, a reason. Alone, and as far as it covers the question. */
  'expected',
  'expectedCovered',
  /** It begins with what the question asks the meaning of. */
  'defines',
  /** Its term says nothing but what is asked. */
  'precise',
  /** The question names its row and one of its columns. */
  'cell',
  'isRow',
  'isItem',
  'isCode',
  'isUnaskedCode',
  'isLongCode',
  'isQuestion',
  'isTitle',
  /** It goes on from the sentence before it. */
  'pointsBack',
  /** It is the first of its paragraph or list. */
  'isFirst',
  /** It only points elsewhere. */
  'saysLittle',
  'isShort',
  'length',
  /** How far back its hit stands. */
  'rank',
  'isBeside',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = Record<Feature, number>

/** What a name counts that is spelled in another way: "DRI" is no "dry". */
const OTHER_SPELLING_SHARE = 0.3
/** How much of the question has to be defined for a passage to define it. */
const DEFINED_SHARE_MIN = 0.5
/** Stems that a passage can have before its length counts against it. */
const STEMS_FREE = 15
const STEMS_FEW = 4
const LONG_CODE_CHARACTERS = 160
/** Of few hits the last one is not far behind. */
const RANKS_MIN = 7

const NAME = /(?<![\p{L}\p{N}])(?:\p{Lu}{2,12}|\p{L}{0,40}\d[\p{L}\d]{0,40})(?![\p{L}\p{N}])/gu
const SUBJECT = /^(?:an?|the)? ?(.{1,60}?) (?:is|are|means?|stands? for|refers? to) /i

/** The features of each passage. */
export function* describingPassages(
  asked: Asked,
  candidates: readonly Candidate[],
  terms: TermWeights,
): Pausable<Features[]> {
  const { question, words, meaning, titles, headings } = asked
  const expects = expectAnswer(question)
  const wantsDefinition = asksWhatItIs(question)
  const wantsCode = asksForCode(question)
  const isSpelled = spellingCheck(question, terms)
  const described: Features[] = []
  for (const [at, candidate] of candidates.entries()) {
    yield
    const { passage, stems, hit, section } = candidate
    const beside = [candidates[at - 1], candidates[at + 1]].filter((other) => other?.section === section)
    const before = beside[0] === candidates[at - 1] ? beside[0] : undefined
    const title = titles[hit] ?? NOTHING
    const heading = headings[section] ?? NOTHING
    const places = {
      before: before !== undefined && goesOnFrom(candidate, before) ? before.stems : NONE,
      context: candidate.context,
      title: title.stems,
      heading: heading.stems,
      beside: (beside[0]?.stems ?? NONE).union(beside[1]?.stems ?? NONE),
    }
    const covered = cover(candidate, words, places, isSpelled)
    const gains = expects(passage.text)
    const isCode = passage.kind === 'code' ? 1 : 0
    candidate.covers = covered.own + covered.term
    candidate.gains = gains
    described.push({
      ...covered,
      near: nearnessOf(meaning, [candidate.meaning]),
      nearUnder: nearnessOf(meaning, [
        candidate.meaning,
        candidate.contextMeaning,
        title.meaning,
        heading.meaning,
      ]),
      phrase: shareOf(words.phrases, phrasesOf(candidate.words)),
      literal: literalShare(passage.text, words.literals),
      literalTerm: beginsWith(passage.term, words.literals) ? 1 : 0,
      expected: Math.min(1, gains),
      expectedCovered: Math.min(1, gains) * (covered.own + covered.term + covered.similar),
      defines: wantsDefinition && definesAsked(candidate, words.weights, terms) ? 1 : 0,
      precise: passage.kind === 'row' ? precisionOf(candidate.term, words.weights) : 0,
      cell: namesCell(candidate, words.weights, terms) ? 1 : 0,
      isRow: passage.kind === 'row' ? 1 : 0,
      isItem: passage.kind === 'item' ? 1 : 0,
      isCode,
      isUnaskedCode: wantsCode ? 0 : isCode,
      isLongCode: isCode * (passage.text.length > LONG_CODE_CHARACTERS ? 1 : 0),
      isQuestion: passage.text.endsWith('?') ? 1 : 0,
      isTitle: passage.isTitle ? 1 : 0,
      pointsBack: pointsBack(passage) ? 1 : 0,
      isFirst: before?.passage.group === passage.group ? 0 : 1,
      saysLittle: saysLittle(passage) ? 1 : 0,
      isShort: stems.size < STEMS_FEW ? 1 : 0,
      length: Math.min(2, Math.max(0, stems.size - STEMS_FREE) / 50),
      rank: hit / Math.max(RANKS_MIN, titles.length - 1),
      isBeside: candidate.isBeside ? 1 : 0,
    })
  }
  return described
}

const NONE: Stems = new Set()
const NOTHING: Above = { stems: NONE, meaning: null }

function goesOnFrom({ passage }: Candidate, before: Candidate): boolean {
  return before.passage.text.endsWith('?') || (before.passage.group === passage.group && pointsBack(passage))
}

/** Where a question's words can stand for a passage beside its own text, the nearest first. */
const PLACES = ['before', 'context', 'title', 'heading', 'beside'] as const
type Places = Record<(typeof PLACES)[number], Stems>
type Covered = Record<'own' | 'term' | 'similar' | keyof Places, number>

/** The share of the question's weight that each place has, a word counted once, by the first place that has it. */
function cover(
  { passage, stems, term }: Candidate,
  { weights, similar }: QuestionWords,
  places: Places,
  isSpelled: (stem: string, text: string, context: string) => boolean,
): Covered {
  const covered: Covered = {
    own: 0,
    term: 0,
    similar: 0,
    before: 0,
    context: 0,
    title: 0,
    heading: 0,
    beside: 0,
  }
  for (const [stem, weight] of weights) {
    const isOwn = stems.has(stem)
    if (isOwn || term.has(stem)) {
      const share = isSpelled(stem, passage.text, passage.context) ? 1 : OTHER_SPELLING_SHARE
      covered[term.has(stem) ? 'term' : 'own'] += weight * share
      continue
    }
    const closest = similar.get(stem)?.find((other) => stems.has(other.stem))?.closeness ?? 0
    covered.similar += weight * closest
    const place = PLACES.find((one) => places[one].has(stem))
    if (place !== undefined) covered[place] += weight * (1 - closest)
  }
  return covered
}

function phrasesOf(words: readonly string[]): Set<string> {
  return new Set(words.slice(1).map((word, at) => `${words[at]} ${word}`))
}

function shareOf(wanted: ReadonlySet<string>, having: ReadonlySet<string>): number {
  let found = 0
  for (const one of wanted) if (having.has(one)) found++
  return found / Math.max(1, wanted.size)
}

function beginsWith(term: string | null, literals: readonly string[]): boolean {
  const read = term?.toLowerCase()
  return literals.some((literal) => read?.startsWith(literal) && !/[\w.-]/.test(read.charAt(literal.length)))
}

function literalShare(text: string, literals: readonly string[]): number {
  const read = text.toLowerCase()
  return literals.filter((literal) => read.includes(literal)).length / Math.max(1, literals.length)
}

/** Whether what a passage defines (a term, or the words before "is") is most of what the question is about. */
function definesAsked(
  { passage, term }: Candidate,
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): boolean {
  const subject = SUBJECT.exec(passage.text)?.[1]
  const stems = passage.kind === 'row' ? term : subject === undefined ? NONE : stemsOf(subject, terms)
  let defined = 0
  for (const stem of stems) defined += weights.get(stem) ?? 0
  return defined >= DEFINED_SHARE_MIN
}

/** Whether a question names a table's row and a column in which it has something. */
function namesCell(
  { passage: { cells }, term }: Candidate,
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): boolean {
  const isAsked = (stems: Stems): boolean => [...stems].some((stem) => weights.has(stem))
  return cells.length > 0 && isAsked(term) && cells.slice(1).some(({ name }) => isAsked(stemsOf(name, terms)))
}

/** The share of a term's stems that the question has. */
function precisionOf(term: Stems, weights: ReadonlyMap<string, number>): number {
  let asked = 0
  for (const stem of term) if (weights.has(stem)) asked++
  return asked / Math.max(1, term.size)
}

/** Tells whether a passage has a stem as the question spells it, where capitals or digits make a name of it. */
function spellingCheck(
  question: string,
  terms: TermWeights,
): (stem: string, text: string, context: string) => boolean {
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
