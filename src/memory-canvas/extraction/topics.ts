import type { TermWeights } from '../../inference/term-weights.ts'
import { aliasOf, fold, type FoundEntity, RANK, tidy } from './identity.ts'
import { PLACES, STANDARDS } from './known-things.ts'
import { COMPANY_ENDS, GENERIC, GIVEN_NAMES, JOBS, NO_TOPIC } from './word-lists.ts'
import { isCapital, isOdd, type Word } from './words.ts'

/** How rare a word must be in plain English (`TermWeights`) to be a name by itself, and within a phrase. */
const RARE_ALONE = 6.3
const RARE_IN_PHRASE = 5.2
/** The same for a word capitalized because of its position. */
const RARE_AT_START = 9
/** Abbreviations no rarer than this are common, such as TCP. */
const RARE_ABBREVIATION = 5.5
const HEADING_WORDS_MAX = 3
const PHRASE_WORDS_MAX = 5
const CANDIDATES_MAX = 60
/** Weight of a title or heading relative to a sentence. */
const HEADING_WEIGHT = 3

/** Collects the topics of one item as its text is read. */
export interface TopicCollector {
  addRun(words: readonly Word[]): void
  addTitleRun(words: readonly Word[]): void
  addHeading(words: readonly Word[]): void
  /** A lower-case word: a word also written so is not a name. */
  addPlain(word: Word): void
  /** The most relevant topics first. */
  topics(): FoundEntity[]
}

interface Candidate {
  name: string
  score: number
  /** Whether a sentence has it, not only titles and headings, where capitals may mean nothing. */
  isInText: boolean
}

/** Distinguishes names from plain English by capitalization and word rarity. */
export function createTopicCollector(terms: TermWeights): TopicCollector {
  const found = new Map<string, Candidate>()
  const plain = new Set<string>()

  const add = (text: string, weight: number, isInText: boolean): void => {
    const name = tidy(text)
    const alias = aliasOf(name)
    if (alias.length < 2 || PLACES.has(fold(name))) return
    const known = found.get(alias)
    if (known) {
      known.score += weight
      known.isInText ||= isInText
    } else found.set(alias, { name, score: weight, isInText })
  }
  const weightOf = (text: string): number =>
    terms.tokenize(text).reduce((most, stem) => Math.max(most, terms.backgroundWeight(stem)), 0)

  const addSingle = (word: Word, isFirst: boolean, weight: number, isInText: boolean): void => {
    const folded = fold(word.text)
    if (!mayName(word) || isCommon(word, weightOf)) return
    const rarity = weightOf(word.text)
    if (isOdd(word) && (rarity >= RARE_ALONE || !isShouted(word)))
      add(word.text, Math.max(rarity, 5) * weight, isInText)
    else if (
      folded.length > 2 &&
      rarity >= (isFirst ? RARE_AT_START : RARE_ALONE) &&
      !(isFirst && folded.endsWith('ing')) &&
      !GIVEN_NAMES.has(folded)
    )
      add(word.text, rarity * weight, isInText)
  }

  const addRun = (given: readonly Word[], isInText: boolean): void => {
    const words = trimmed(given, terms, weightOf)
    const [first] = words
    if (first === undefined || words.length > PHRASE_WORDS_MAX) return
    if (words.length === 1) return addSingle(first, first.isFirst, 1, isInText)
    if (JOBS.has(aliasOf(words.at(-1)?.text ?? '')) || (isCommon(first, weightOf) && isNumbered(words)))
      return
    if (isActivity(words, terms)) return
    const rarity = Math.max(...words.map(({ text }) => weightOf(text)))
    const isRare = rarity >= (isLinked(first) ? RARE_ALONE : RARE_IN_PHRASE)
    if (isRare || words.some(isOdd)) add(joined(words), rarity, isInText && !isLinked(first))
  }

  return {
    addRun: (words) => addRun(words, true),
    addTitleRun: (words) => addRun(words, false),
    addHeading(given) {
      const words = given.filter(({ text }) => text !== '')
      const [first] = words
      if (first === undefined || words.length > HEADING_WORDS_MAX) return
      if (words.length === 1) addSingle(first, true, HEADING_WEIGHT, false)
      else if (isHeadingName(words, terms)) {
        const rarity = Math.max(...words.map(({ text }) => weightOf(text)))
        if (rarity >= RARE_IN_PHRASE) add(joined(words), rarity * HEADING_WEIGHT, false)
      }
    },
    addPlain({ text }) {
      plain.add(aliasOf(text))
    },
    topics: () => mostTelling(found, plain),
  }
}

/** Whether a word can be a name, by its spelling and its common meaning. */
function mayName(word: Word): boolean {
  const { text } = word
  const folded = fold(text)
  return (
    folded.length >= 2 &&
    /^\p{Lu}[\p{L}\p{N}.&+#'’-]*$/u.test(text) &&
    !isGeneric(text) &&
    !JOBS.has(aliasOf(text)) &&
    !isConstant(word) &&
    !isTitleOfChief(word) &&
    // Code has capitals after a dot; names do not.
    !/\.\p{Lu}/u.test(text)
  )
}

/** Whether it is common: a standard, also by number (`RFC 7540`, `SHA-256`), or a common abbreviation. */
function isCommon({ text }: Word, weightOf: (text: string) => number): boolean {
  // Something else may have that name if it is spelled like an ordinary word.
  if (/^\p{Lu}\p{Ll}+$/u.test(text)) return false
  const folded = fold(text)
  const [letters = '', ...numbers] = folded.split(' ')
  return (
    STANDARDS.has(folded) ||
    (STANDARDS.has(letters) && numbers.every((part) => /^\d+$/.test(part))) ||
    (/^\p{Lu}+$/u.test(text) && weightOf(text) < RARE_ABBREVIATION)
  )
}

/** Whether it is a chief officer's title: `CTO`, `CISO`. */
function isTitleOfChief({ text }: Word): boolean {
  return /^C\p{Lu}{1,2}Os?$/u.test(text)
}

function isNumbered(words: readonly Word[]): boolean {
  return words.slice(1).every(({ text }) => /^\d+$/.test(text))
}

/** Whether a heading is spelled like a name and has no generic word. */
function isHeadingName(words: readonly Word[], terms: TermWeights): boolean {
  const [first = NO_WORD] = words
  return (
    words.every((word) => isCapital(word) && word.after === '' && !isGeneric(word.text)) &&
    !JOBS.has(aliasOf(words.at(-1)?.text ?? '')) &&
    !isActivity(words, terms) &&
    terms.tokenize(first.text).length > 0 &&
    !first.text.endsWith('ing')
  )
}

/** Whether words name an activity, such as Social Engineering, rather than a thing. */
function isActivity(words: readonly Word[], terms: TermWeights): boolean {
  const last = words.at(-1)?.text.toLowerCase() ?? ''
  return last.endsWith('ing') && terms.tokenize(last)[0] !== last && !words.some(isOdd)
}

/** Whether a link's text begins with the word, which may be capitalized as in the linked title. */
function isLinked({ before }: Word): boolean {
  return before.endsWith('[')
}

/** A company by its full name, such as `Acme Ltd`; null: not a company. */
export function companyOf(given: readonly Word[]): FoundEntity | null {
  const words = given[0]?.text === 'The' ? given.slice(1) : given
  const last = words.at(-1)
  if (words.length < 2 || words.length > PHRASE_WORDS_MAX || !last || !COMPANY_ENDS.has(fold(last.text)))
    return null
  const alias = aliasOf(joined(words.slice(0, -1)))
  if (alias.length < 2) return null
  const names = [{ name: tidy(joined(words)), alias }]
  return { type: 'organization', key: `company:${alias}`, alias, rank: RANK.name, role: 'mention', names }
}

function mostTelling(found: ReadonlyMap<string, Candidate>, plain: ReadonlySet<string>): FoundEntity[] {
  return [...found]
    .filter(([alias, candidate]) => !isPlain(alias, candidate, plain))
    .toSorted(([a, left], [b, right]) => right.score - left.score || (a < b ? -1 : 1))
    .slice(0, CANDIDATES_MAX)
    .map(([alias, { name }]) => topicOf(alias, name))
}

/** Whether the item also writes it in lower case, as a whole or, if only titles have it, word by word. */
function isPlain(alias: string, { name, isInText }: Candidate, plain: ReadonlySet<string>): boolean {
  if (plain.has(alias)) return !isOddName(name) || /^\p{Lu}+$/u.test(name)
  return !isInText && alias.includes(' ') && name.split(' ').every((word) => plain.has(aliasOf(word)))
}

/** Whether a word means nothing by itself, also in the plural or with a number. */
function isGeneric(text: string): boolean {
  return [fold(text), aliasOf(text), fold(text).replace(/\d+$/, '')].some(
    (word) => GENERIC.has(word) || NO_TOPIC.has(word),
  )
}

function isOddName(text: string): boolean {
  return isOdd({ ...NO_WORD, text })
}

/** Whether an all-capital word is long enough to be an error or constant: `ECONNREFUSED`. */
function isConstant({ text }: Word): boolean {
  return /^\p{Lu}{9,}$/u.test(text)
}

/** Whether a word in capitals is too long for an abbreviation. */
function isShouted({ text }: Word): boolean {
  return text.length > 5 && /^\p{Lu}+$/u.test(text)
}

function topicOf(alias: string, name: string): FoundEntity {
  return {
    type: 'topic',
    key: `topic:${alias}`,
    alias,
    rank: RANK.topic,
    role: 'mention',
    names: [{ name, alias }],
  }
}

function joined(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ')
}

/** Trims accidental words at both ends of a run: the first word of a sentence, a weekday, an article. */
function trimmed(
  words: readonly Word[],
  terms: TermWeights,
  weightOf: (text: string) => number,
): readonly Word[] {
  const isEmpty = ({ text }: Word): boolean => isGeneric(text) || terms.tokenize(text).length === 0
  let start = 0
  let end = words.length
  const [first] = words
  if (
    first?.isFirst &&
    words.length > 1 &&
    !isOdd(first) &&
    (weightOf(first.text) < RARE_IN_PHRASE || first.text.endsWith('ing'))
  )
    start = 1
  for (; start < end; start++) if (!isEmpty(words[start] ?? NO_WORD)) break
  for (; end > start; end--) if (!isEmpty(words[end - 1] ?? NO_WORD)) break
  return words.slice(start, end)
}

const NO_WORD: Word = { text: '', before: '', after: '', isFirst: false }
