import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/slices.ts'
import type { Hit } from '../retrieval/index.ts'
import { createQuotationFilter, withoutQuotedQuestions } from '../text/quotations.ts'
import type { Candidate } from './candidate.ts'
import { type Passage, splitPassages } from './passages.ts'
import { plainText, shorten } from './plain-text.ts'
import { asksForCode, expectAnswer } from './question-type.ts'
import { renderAnswer } from './render-answer.ts'

const PASSAGES_MAX = 4
const CHARACTERS_MAX = 900
/** A passage adds to the answer when it is worth at least this share of the best one. */
const SHARE_OF_BEST_MIN = 0.55
/** One that covers nothing new of the question has to be nearly as good as the best. */
const SHARE_WITHOUT_NEWS_MIN = 0.8
const NEWS_MIN = 0.08
/** The hits read first have their best passage in the answer, unless it is worth less than this share of the best one. */
const HITS_SHOWN = 2
const SHARE_OF_SHOWN_MIN = 0.45
/** A hit without sentences is shown up to here. */
const WHOLE_CHARACTERS_MAX = 300
/** Two passages that share more of their stems than this say the same. */
const OVERLAP_MAX = 0.6
/** What a passage has that shares no word with the question: then its hit's rank and what is asked for decide. */
const BASE_SCORE = 0.03
/** What a question's word counts that stands not in the passage itself but above it, beside it, or in the title. */
const CONTEXT_SHARE = 0.4
const TITLE_SHARE = 0.4
const NEIGHBOUR_SHARE = 0.3
/** How much a passage gains by having what the question asks for (a number, a date, a name). */
const EXPECTED_GAIN = 0.3
/** What a question in a document, which is no answer, and code that was not asked for keep of their score. */
const QUESTION_SHARE = 0.3
const UNASKED_CODE_SHARE = 0.6
/** How much the last hit's passages lose against the first hit's. */
const RANK_LOSS = 0.5
/** Stems of a question that count, those that say most: each is looked for in every passage. */
const QUESTION_STEMS_MAX = 100
/** Stems that a passage can have before its length counts against it. */
const STEMS_FREE = 15

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
  const weights = questionWeights(question, candidates, terms)
  yield* scoreCandidates(question, hits, candidates, weights, terms)
  return renderAnswer(choose(candidates, weights), candidates)
}

/** For documents that have nothing but a title. */
function titlesOnly(hits: readonly Hit[]): string {
  return hits
    .slice(0, PASSAGES_MAX)
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
    candidates.push({ passage, hit: index, position, stems: new Set(terms.tokenize(says)), score: 0 })
  }
}

function wholeContent(content: string): Passage[] {
  const text = plainText(content)
  return text === ''
    ? []
    : [{ kind: 'sentence', text: shorten(text, WHOLE_CHARACTERS_MAX), context: '', label: null, group: 1 }]
}

function* scoreCandidates(
  question: string,
  hits: readonly Hit[],
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
  terms: TermWeights,
): Pausable<void> {
  const expects = expectAnswer(question)
  const code = asksForCode(question) ? 1 : UNASKED_CODE_SHARE
  const titles = hits.map((hit) => new Set(terms.tokenize(hit.title)))
  for (const [at, candidate] of candidates.entries()) {
    yield
    const { passage, hit } = candidate
    const context = new Set(terms.tokenize(passage.context))
    const beside = [candidates[at - 1], candidates[at + 1]].filter((other) => other?.hit === hit)
    let covered = BASE_SCORE
    for (const [stem, weight] of weights) {
      if (candidate.stems.has(stem)) covered += weight
      else if (context.has(stem)) covered += weight * CONTEXT_SHARE
      else if (titles[hit]?.has(stem)) covered += weight * TITLE_SHARE
      else if (beside.some((other) => other?.stems.has(stem))) covered += weight * NEIGHBOUR_SHARE
    }
    const rank = 1 - (RANK_LOSS * hit) / Math.max(1, hits.length - 1)
    const length = 1 / (1 + Math.max(0, candidate.stems.size - STEMS_FREE) / 100)
    const kind = passage.text.endsWith('?') ? QUESTION_SHARE : passage.kind === 'code' ? code : 1
    candidate.score = covered * (1 + EXPECTED_GAIN * expects(passage.text)) * rank * length * kind
  }
}

/** The weight of each of the question's stems, all together 1: rare words, and words rare among the passages, say more. */
function questionWeights(
  question: string,
  candidates: readonly Candidate[],
  terms: TermWeights,
): Map<string, number> {
  const asked = [...new Set(terms.tokenize(question))]
  const rarest = asked
    .toSorted((a, b) => terms.backgroundWeight(b) - terms.backgroundWeight(a))
    .slice(0, QUESTION_STEMS_MAX)
  const stems = asked.length <= QUESTION_STEMS_MAX ? asked : rarest
  const weights = stems.map((stem) => {
    const having = candidates.reduce((count, candidate) => count + (candidate.stems.has(stem) ? 1 : 0), 0)
    const local = Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5))
    return terms.backgroundWeight(stem) * local
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  return new Map(stems.map((stem, at) => [stem, (weights[at] ?? 0) / total]))
}

/**
 * Greedily the best passage that is not yet said, until nothing is good enough or the answer is long enough; then the
 * best ones of the hits read first, as a hit can answer in other words than the question's.
 */
function choose(candidates: readonly Candidate[], weights: ReadonlyMap<string, number>): Candidate[] {
  const ranked = candidates.toSorted((a, b) => b.score - a.score || a.hit - b.hit || a.position - b.position)
  const best = ranked[0]
  if (!best) return []
  const chosen = [best]
  for (const candidate of ranked.slice(1)) {
    const share = candidate.score / best.score
    if (chosen.length >= PASSAGES_MAX || !(share >= SHARE_OF_BEST_MIN)) break
    const helps = share >= SHARE_WITHOUT_NEWS_MIN || addsNews(candidate, chosen, weights)
    if (helps && hasRoom(candidate, chosen)) chosen.push(candidate)
  }
  for (let hit = 0; hit < HITS_SHOWN; hit++) {
    const first = ranked.find((candidate) => candidate.hit === hit)
    const isShown = first === undefined || chosen.some((candidate) => candidate.hit === hit)
    if (!isShown && first.score >= SHARE_OF_SHOWN_MIN * best.score && hasRoom(first, chosen))
      chosen.push(first)
  }
  return chosen
}

/** Whether a passage is not yet said by the chosen ones, and fits beside them. */
function hasRoom(candidate: Candidate, chosen: readonly Candidate[]): boolean {
  const characters = chosen.reduce((sum, { passage }) => sum + passage.text.length, 0)
  const isSaid = chosen.some((other) => overlap(other.stems, candidate.stems) > OVERLAP_MAX)
  return !isSaid && characters + candidate.passage.text.length <= CHARACTERS_MAX
}

/** Whether it covers a part of the question that the chosen ones do not. */
function addsNews(
  candidate: Candidate,
  chosen: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
): boolean {
  let news = 0
  for (const [stem, weight] of weights) {
    if (candidate.stems.has(stem) && !chosen.some((other) => other.stems.has(stem))) news += weight
  }
  return news >= NEWS_MIN
}

/** The share of the smaller set that the other one has too. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  let common = 0
  for (const stem of small) if (large.has(stem)) common++
  return common / Math.max(1, small.size)
}
