/**
 * Turns a follow-up question into one that can be searched alone:
 *
 * 1. "And in Germany?", "What about backups?": the last question, with the new words replacing what they change. A name
 * replaces a name. Other words replace the word closest in meaning, or are appended if none is close.
 * 2. A question with a pronoun ("Who wrote it?"), with "and" before it, or without a content word ("Why?"): the
 * question with the content words of the last one, and the names in its answer if it asked for one. For "he" or "she",
 * only the names.
 * 3. Any other question is independent.
 *
 * Earlier questions are resolved first, so that a chain of follow-ups keeps its subject.
 */
import type { TermWeights } from '../inference/term-weights.ts'
import { isTooLongForQuestion, QUESTION_WORDS, startsSentence } from '../text/questions.ts'
import { dot } from './meaning.ts'
import { isContent } from './relevance.ts'
import type { Turn } from './schemas.ts'

/** How many characters of an answer are searched for names. */
const ANSWER_CHARACTERS_READ = 300
const NAMES_MAX = 2
const SUBJECT_WORDS_MAX = 8
const ELLIPSIS_WORDS_MAX = 8
/** The minimum vector similarity of words that can replace each other in a question. */
const REPLACED_FROM = 0.04

const OPENER =
  /^\s*(?:(?:and|but|or|also|und|oder|et|ou|y)\b[\s,]*)?(?:(?:what|how) about\b|was ist mit\b|qué hay de\b)?/iu
const ASKS = new RegExp(`^${QUESTION_WORDS}`, 'iu')
const PRONOUN =
  /\b(?:it|its|they|them|their|theirs|these|those|one|ones)\b(?! (?:possible|true|necessary|safe|allowed|okay|worth|advisable) (?:to|that)\b)|\b(?:this|that)(?=\s*(?:$|[?.,!]|\p{L}+\s*[?]))|\b(?:is|was|does|did|about|of|for|with|do) (?:this|that)\b/iu
const PERSON = /\b(?:he|she|him|her|hers|his)\b/i
const ASKS_FOR_NAME = /\b(?:who|whom|whose|which|what)\b/i
const NAME = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}'-]{1,30}(?: \p{Lu}[\p{L}\p{N}'-]{1,30}){0,3}/gu
/** A verb at the end of a question, such as "How long are logs kept?" The subject is replaced instead. */
const IS = /\b(?:is|are|was|were|be|been|get|gets)\b/i
const DONE = /(?:ed|^(?:kept|sent|made|done|paid|held|sold|built|set|run|taken|given|written|chosen|shown))$/i
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'_-]{0,60}/gu

/** The question, with its subject added if it is a follow-up. */
export function standaloneQuestion(
  question: string,
  conversation: readonly Turn[],
  terms: TermWeights,
): string {
  let last: Turn | undefined
  for (const turn of conversation) last = { ...turn, question: resolve(turn.question, last, terms) }
  return resolve(question, last, terms)
}

function resolve(question: string, last: Turn | undefined, terms: TermWeights): string {
  if (last === undefined || isTooLongForQuestion(question) || isTooLongForQuestion(last.question))
    return question
  const opener = OPENER.exec(question)?.[0] ?? ''
  const rest = question
    .slice(opener.length)
    .replace(/[\s?.!]+$/, '')
    .trim()
  const isOpened = opener.trim() !== ''
  if (isOpened && rest !== '' && !ASKS.test(rest) && rest.split(/\s+/).length <= ELLIPSIS_WORDS_MAX)
    return changed(last.question, rest, terms)
  const names = ASKS_FOR_NAME.test(last.question) ? namesIn(last.answer.slice(0, ANSWER_CHARACTERS_READ)) : []
  if (PERSON.test(question) && names.length > 0) return withWords(question, names)
  const hasContent = terms.tokenize(question).some((stem) => isContent(stem, terms))
  if (!isOpened && hasContent && !PRONOUN.test(question) && !PERSON.test(question)) return question
  return withWords(question, [...subjectOf(last.question, question, terms), ...names])
}

/** The last question, with the new words in place of what they change. */
function changed(question: string, words: string, terms: TermWeights): string {
  const place = namePlace(question, words) ?? closestPlace(question, words, terms)
  if (place === null) return withWords(question, [words])
  return `${question.slice(0, place.at)}${words}${question.slice(place.at + place.word.length)}`
}

interface Place {
  at: number
  word: string
}

/** The last name in a question, if the new words have one. */
function namePlace(question: string, words: string): Place | null {
  if (!/(?<![\p{L}\p{N}])\p{Lu}/u.test(words)) return null
  const names = [...question.matchAll(NAME)].filter(({ index }) => !startsSentence(question, index))
  const last = names.at(-1)
  return last === undefined ? null : { at: last.index, word: last[0] }
}

/** The content word of a question closest in meaning to the new words. */
function closestPlace(question: string, words: string, terms: TermWeights): Place | null {
  const fresh = new Set(terms.tokenize(words))
  const vectors = [...fresh].flatMap((stem) => terms.wordVector(stem) ?? [])
  let best: Place | null = null
  let closest = REPLACED_FROM
  const places = [...question.matchAll(WORD)]
  if (IS.test(question) && DONE.test(places.at(-1)?.[0] ?? '')) places.pop()
  for (const { 0: word, index: at } of places) {
    const [stem] = terms.tokenize(word)
    const own = stem === undefined || fresh.has(stem) ? null : terms.wordVector(stem)
    if (own === null) continue
    for (const vector of vectors) {
      const closeness = dot(vector, own)
      if (closeness < closest) continue
      closest = closeness
      best = { at, word }
    }
  }
  return best
}

/** The content words of the last question that the follow-up lacks. */
function subjectOf(last: string, question: string, terms: TermWeights): string[] {
  const said = new Set(terms.tokenize(question))
  const words = [...last.matchAll(WORD)].filter(([word]) =>
    terms.tokenize(word).some((stem) => isContent(stem, terms) && !said.has(stem)),
  )
  return words.slice(0, SUBJECT_WORDS_MAX).map(([word]) => word)
}

/** Names in an answer: capitalized words, except a single one that begins a sentence. */
function namesIn(answer: string): string[] {
  const names = [...answer.matchAll(NAME)].filter(
    ({ 0: name, index }) => name.includes(' ') || !startsSentence(answer, index),
  )
  return [...new Set(names.map(([name]) => name))].slice(0, NAMES_MAX)
}

function withWords(question: string, words: readonly string[]): string {
  return words.length === 0 ? question : `${question} ${words.join(' ')}`
}
