import type { TermWeights } from '../../inference/term-weights.ts'
import type { Candidate } from './candidate.ts'
import { isMailHeader, saysLittle } from './empty-passages.ts'
import { pointsBack } from './passage.ts'
import { askedTypes, hasCommand, typeReader } from './answer-types.ts'
import type { ComparedQuestion, CoveredPassage } from './coverage.ts'
import { asksForCode, asksHow, asksWhatItIs } from './answer-form.ts'
import { createNearness } from '../meaning.ts'
import { beginsWith, definesAsked, isAsked, literalShare, namesCell, precisionOf } from './terms-asked.ts'

type Stems = ReadonlySet<string>

/** The features of a passage; most are from 0 to 1. */
export const FEATURES = [
  /** Shares of the question's weight. Each word counts once, at the first place that has it. */
  'own', // in the passage
  'term', // in its term
  'similar', // in the passage, as a word of similar meaning
  'beyond', // in the passage, but not in the title and headings, which all passages there share
  'before', // in the question or sentence before it
  'context', // in the headings and the sentence above it
  'title', // in the document's title
  'heading', // in the headings above the section
  'beside', // in the neighboring passages
  /** The similarity in meaning, without and with its context. */
  'near',
  'nearUnder',
  /** The similarity in meaning of its headings and of the question before it. */
  'nearContext',
  'nearBefore',
  /** The share of the question's neighboring words that are also neighbors in the passage. */
  'pairs',
  /** Whether it is the first below a heading or a question. */
  'isFirst',
  'isAnswer',
  /** Names of the question in their exact spelling. */
  'literal',
  /** The same for the passage's term. */
  'literalTerm',
  /** Whether it begins with the term that the question asks about. */
  'defines',
  /** Whether its term has only words of the question. */
  'precise',
  /** Whether it has a command or setting for a question that asks how, scaled by its coverage. */
  'command',
  /** Whether the question names its row and one of its columns. */
  'cell',
  'isRow',
  'isItem',
  'isCode',
  'isUnaskedCode',
  'isLongCode',
  'isQuestion',
  'isTitle',
  /** Whether it refers to the sentence before it. */
  'pointsBack',
  /** Whether it only refers to other text. */
  'saysLittle',
  'length',
  /** The rank of its hit; higher is worse. */
  'rank',
  'isBeside',
  /** Its own coverage, as a share of the best passage's. */
  'coversMost',
  /** Its coverage, including all places. */
  'covered',
  /** The score of its hit, as a share of the best. */
  'hitScore',
  /** The share of its heading's words that the question contains. */
  'headingPrecise',
  /** Whether a number precedes the counted noun: "how many agents", "340 agents". */
  'counts',
  /** The share of the requested types that it contains: alone, and scaled by its coverage. */
  'types',
  'typesCovered',
] as const
export type Feature = (typeof FEATURES)[number]
export type Features = Record<Feature, number>

/** The score of a term whose words the question has in another form. */
const OTHER_SPELLING_PRECISE = 0.6
/** Without a word such as "default", a number can have any meaning. */
const OTHER_TYPE_GAIN = 0.7
/** The number of stems above which length counts against a passage. */
const STEMS_FREE = 15
const LONG_CODE_CHARACTERS = 160
/** Minimum divisor of ranks, so that the last of a few hits does not rank low. */
const RANKS_MIN = 7

/** @param most the highest coverage of the question by a passage itself */
export function createDescribe(
  asked: ComparedQuestion,
  terms: TermWeights,
  most: number,
): (passage: CoveredPassage) => Features {
  const { question, words, titles, hits, sumOf } = asked
  const nearnessOf = createNearness(sumOf(new Set(words.weights.keys())))
  const contextNearness = withLast((sum: Float32Array | null) => nearnessOf([sum]))
  const wantsDefinition = asksWhatItIs(question)
  const wantsCode = asksForCode(question)
  const types = askedTypes(question)
  const asks = { person: types.includes('person'), date: types.includes('date') }
  const wantsHow = asksHow(question)
  const typesOf = typeReader(question, types)
  const counted = countedNouns(question, terms)
  const pairs = new Set(neighbors(terms.tokenize(question)))
  const said = ` ${question.toLowerCase().replaceAll(/[^\p{L}\p{N}_.-]+/gu, ' ')} `
  const bestScore = hits.reduce((best, { score }) => Math.max(best, score), 0) || 1
  return ({ candidate, before, title, heading, covered, own, all }) => {
    const { passage, hit } = candidate
    const has = typesOf(passage.text)
    const isAnswer = before?.section === candidate.section && before.passage.text.endsWith('?')
    const hasShare = has.size / Math.max(1, types.length)
    candidate.gains = has.has('default') ? 1 : OTHER_TYPE_GAIN * hasShare
    const meaning = sumOf(candidate.stems)
    const contextMeaning = sumOf(candidate.context)
    return {
      ...covered,
      near: nearnessOf([meaning]),
      nearUnder: nearnessOf([meaning, contextMeaning, sumOf(title), sumOf(heading)]),
      nearContext: contextNearness(contextMeaning),
      nearBefore: isAnswer ? nearnessOf([sumOf(before.stems)]) : 0,
      pairs: pairsOf(candidate.words, pairs) / Math.max(1, pairs.size),
      isFirst: isFirst(candidate, before) ? 1 : 0,
      isAnswer: isAnswer ? 1 : 0,
      literal: literalShare(passage.text, words.literals),
      literalTerm: beginsWith(passage.term, words.literals) ? 1 : 0,
      defines: wantsDefinition && definesAsked(candidate, words.weights, terms) ? 1 : 0,
      command:
        wantsHow && hasCommand(passage.text)
          ? covered.own + covered.term + covered.similar + covered.context
          : 0,
      precise: isAsked(passage.term, said) ? 1 : otherSpelling(candidate, words.weights),
      cell: namesCell(candidate, words.weights, terms) ? 1 : 0,
      ...formOf(candidate, wantsCode),
      saysLittle: saysLittle(passage) || isMailHeader(passage, asks) ? 1 : 0,
      rank: hit / Math.max(RANKS_MIN, titles.length - 1),
      coversMost: own / (most || 1),
      covered: all,
      hitScore: (hits[hit]?.score ?? 0) / bestScore,
      headingPrecise: precisionOf(candidate.context, words.weights),
      counts: countsOne(candidate.words, counted) ? 1 : 0,
      types: hasShare,
      typesCovered: own * hasShare,
    }
  }
}

/** Caches the last result, because neighboring passages share their context. */
function withLast<In, Out>(of: (input: In) => Out): (input: In) => Out {
  let last: { input: In; output: Out } | null = null
  return (input) => {
    if (last?.input !== input) last = { input, output: of(input) }
    return last.output
  }
}

function formOf({ passage, stems, isBeside }: Candidate, wantsCode: boolean) {
  const isCode = passage.kind === 'code' ? 1 : 0
  return {
    isRow: passage.kind === 'row' ? 1 : 0,
    isItem: passage.kind === 'item' ? 1 : 0,
    isCode,
    isUnaskedCode: wantsCode ? 0 : isCode,
    isLongCode: isCode * (passage.text.length > LONG_CODE_CHARACTERS ? 1 : 0),
    isQuestion: passage.text.endsWith('?') ? 1 : 0,
    isTitle: passage.isTitle ? 1 : 0,
    pointsBack: pointsBack(passage) ? 1 : 0,
    length: Math.min(2, Math.max(0, stems.size - STEMS_FREE) / 50),
    isBeside: isBeside ? 1 : 0,
  }
}

function neighbors(words: readonly string[]): string[] {
  return words.slice(1).map((word, at) => `${words[at]} ${word}`)
}

function pairsOf(words: readonly string[], asked: ReadonlySet<string>): number {
  if (asked.size === 0) return 0
  const found = new Set(neighbors(words).filter((pair) => asked.has(pair)))
  return found.size
}

function isFirst({ passage, section }: Candidate, before?: Candidate): boolean {
  return before?.section !== section || before.passage.isTitle || before.passage.heading !== passage.heading
}

function otherSpelling({ passage, term }: Candidate, weights: ReadonlyMap<string, number>): number {
  return passage.kind === 'row' ? OTHER_SPELLING_PRECISE * precisionOf(term, weights) : 0
}

const COUNTED = /\b(?:how many|number of|wie ?viele|combien d[e'’]|cu[aá]nt[oa]s) ((?:[\p{L}-]+ ?){1,3})/iu

/** The stems of the noun after "how many". */
function countedNouns(question: string, terms: TermWeights): Stems {
  return new Set(terms.tokenize(COUNTED.exec(question)?.[1] ?? ''))
}

/** Whether a number directly precedes one of the nouns. */
function countsOne(words: readonly string[], nouns: Stems): boolean {
  if (nouns.size === 0) return false
  return words.some(
    (word, at) => /^\d/.test(word) && [1, 2].some((next) => nouns.has(words[at + next] ?? '')),
  )
}
