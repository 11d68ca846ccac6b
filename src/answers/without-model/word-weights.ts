import type { TermWeights } from '../../inference/term-weights.ts'
import type { Pausable } from '../../kernel/cooperative.ts'
import type { ReadPassage } from './candidate.ts'
import { createDots, type Meaning } from '../meaning.ts'
import { askedStems } from './stems.ts'

/** Keeps only the rarest stems of a question, because each is searched for in every passage. */
const QUESTION_STEMS_MAX = 100
/** Limits the stems whose meaning is compared with other words. */
const MEANT_STEMS_MAX = 12
/** The minimum vector similarity of words with about the same meaning. */
const SIMILAR_FROM = 0.4
/** Names in the style of code: `gc.auto`, `--depth`, `max_size`, `keepAlive`, and quoted text. */
const LITERAL =
  /(?<![\p{L}\p{N}])-{1,2}[\w-]{2,40}|(?<![\w.])\w{1,40}(?:[._/:]\w{1,40}){1,6}|\b\p{Ll}{1,20}\p{Lu}\w{1,40}|"[^"\n]{2,60}"/gu
const LITERALS_MAX = 8

export interface QuestionWords {
  /** Each stem's share of the question's weight. */
  weights: ReadonlyMap<string, number>
  /** Names, in lower case, that a passage must contain in their exact spelling. */
  literals: readonly string[]
  /** For each stem of the question, the passages' stems of similar meaning, closest first. */
  similar: ReadonlyMap<string, readonly Similar[]>
}

export interface Similar {
  stem: string
  /** The vector similarity, at least 0.4. */
  closeness: number
}

/** The weight of a word that only the other part of the question has. */
const REST_SHARE = 0.5

/** @param rest the other part of a two-part question, which provides this part's subject */
export function* readQuestionWords(
  question: string,
  rest: string,
  candidates: readonly ReadPassage[],
  terms: TermWeights,
  meaning: Meaning,
): Pausable<QuestionWords> {
  const whole = `${question} ${rest}`
  const words = terms.tokenize(whole)
  yield
  const weights = questionWeights(whole, candidates, terms)
  yield
  const own = rest === '' ? null : new Set(askedStems(question, () => true, terms))
  return {
    weights: own === null ? weights : shared(weights, own),
    literals: literalsOf(whole),
    similar: findSimilar(words.slice(0, MEANT_STEMS_MAX), candidates, meaning),
  }
}

/** Reduces the weight of words from the other part, and normalizes the sum to 1. */
function shared(weights: ReadonlyMap<string, number>, own: ReadonlySet<string>): Map<string, number> {
  const reduced = [...weights].map(
    ([stem, weight]) => [stem, own.has(stem) ? weight : weight * REST_SHARE] as const,
  )
  const total = reduced.reduce((sum, [, weight]) => sum + weight, 0) || 1
  return new Map(reduced.map(([stem, weight]) => [stem, weight / total]))
}

function literalsOf(question: string): string[] {
  const found = [...question.matchAll(LITERAL)].slice(0, LITERALS_MAX)
  return found.map(([literal]) => literal.replaceAll('"', '').toLowerCase())
}

/** The weights of the question's stems, with sum 1: rare words, in general or among the passages, weigh more. */
function questionWeights(
  question: string,
  candidates: readonly ReadPassage[],
  terms: TermWeights,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { stems } of candidates) for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const asked = askedStems(question, (stem) => counts.has(stem), terms)
  const counted =
    asked.length <= QUESTION_STEMS_MAX
      ? asked
      : asked
          .toSorted((a, b) => terms.backgroundWeight(b) - terms.backgroundWeight(a))
          .slice(0, QUESTION_STEMS_MAX)
  const weights = counted.map((stem) => {
    const having = counts.get(stem) ?? 0
    const local = Math.log(1 + (candidates.length - having + 0.5) / (having + 0.5))
    return terms.backgroundWeight(stem) * local
  })
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  return new Map(counted.map((stem, at) => [stem, (weights[at] ?? 0) / total]))
}

function findSimilar(
  asked: readonly string[],
  candidates: readonly ReadPassage[],
  { vectorOf }: Meaning,
): Map<string, Similar[]> {
  const compared = new Set(asked)
  const similar = new Map<string, Similar[]>([...compared].map((stem) => [stem, []]))
  const known = [...compared].flatMap((stem) => {
    const vector = vectorOf(stem)
    return vector === null ? [] : [{ found: similar.get(stem), vector }]
  })
  const dots = createDots(known.map(({ vector }) => vector))
  for (const { stems } of candidates) {
    for (const stem of stems) {
      if (compared.has(stem)) continue
      compared.add(stem)
      const other = vectorOf(stem)
      if (other === null) continue
      const products = dots(other)
      for (let at = 0; at < known.length; at++) {
        const closeness = products[at] ?? 0
        if (closeness >= SIMILAR_FROM) known[at]?.found?.push({ stem, closeness })
      }
    }
  }
  for (const found of similar.values()) found.sort((a, b) => b.closeness - a.closeness)
  return similar
}
