import type { TermWeights } from '../inference/term-weights.ts'
import type { Pausable } from '../kernel/cooperative.ts'
import { withoutCircumstances } from '../text/question-parts.ts'
import { isTooLongForQuestion, startsSentence } from '../text/questions.ts'
import type { Evidence } from './weak-evidence.ts'

/** The number of passages to check, which is the default of an answer, whatever the request's limit. */
const PASSAGES_READ = 8
/** A longer question also describes circumstances, which no passage repeats: at 23 words, half the share suffices. */
const SHORT_UP_TO = 4
const LONG_EXPONENT = 0.4
/** A word with less weight is not English, so its absence from English documents means little. */
const ENGLISH_FROM = 0.5

interface Passage {
  title: string
  content: string
  provider?: string
}

/** Whether a question has words that can rule out passages: names, or English words. */
export function canMissWords(question: string, coverNeeded: number, terms: TermWeights): boolean {
  return isEnglish(question, terms) && (coverNeeded > 0 || unmentionedNames(question, [], terms).length > 0)
}

/** Whether probably no passage answers: they lack a name of the question or enough of its words. */
export function* lacksEvidence(
  question: string,
  passages: readonly Passage[],
  { isWeak, coverNeeded }: Evidence,
  terms: TermWeights,
): Pausable<boolean> {
  if (passages.length === 0 || !canMissWords(question, coverNeeded, terms)) return isWeak
  const read = passages.slice(0, PASSAGES_READ)
  if (unmentionedNames(question, read, terms).length > 0) return true
  if (coverNeeded === 0) return false
  const asked = new Set(terms.tokenize(question))
  const needed = coverNeeded * Math.min(1, SHORT_UP_TO / asked.size) ** LONG_EXPONENT
  for (const { title, content } of read) {
    yield
    if (coverOf(asked, new Set(terms.tokenize(`${title}\n${content}`)), terms) >= needed) return false
  }
  return asked.size > 0
}

function coverOf(asked: ReadonlySet<string>, having: ReadonlySet<string>, terms: TermWeights): number {
  let all = 0
  let covered = 0
  for (const stem of asked) {
    const weight = terms.backgroundWeight(stem)
    all += weight
    if (having.has(stem)) covered += weight
  }
  return covered / Math.max(all, Number.MIN_VALUE)
}

/** Whether a question has no function words of another language. */
export function isEnglish(question: string, terms: TermWeights): boolean {
  return !terms.tokenize(question).some((stem) => terms.backgroundWeight(stem) < ENGLISH_FROM)
}

const GREETING =
  /^[\p{P}\p{S}\s]*(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|thanks|thank you|hallo|guten (?:morgen|tag|abend)|danke|bonjour|bonsoir|salut|merci|hola|buen[oa]s (?:d[ií]as|tardes|noches)|gracias)(?: (?:there|all|everyone|everybody|again|you|team))?[\p{P}\p{S}\s]*$/iu

/** Whether a message is only a greeting or thanks, which no document can answer. */
export function isGreeting(message: string): boolean {
  return GREETING.test(message)
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}_-]{0,60}/gu
/** The spelling of names: a capital or digit after a letter, or an underscore. */
const IDENTIFIER = /^\p{L}.{0,59}[\p{Lu}\p{N}_]/u
const CAPITAL = /^\p{Lu}/u
/** Capitalized words that no passage needs to have: questions give times as context. */
const TIME =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)$/i
/** The minimum weight of a name's stem. Names of common words, such as "team" or "English", can be paraphrased. */
const RARE_FROM = 6
/** If more of the words are capitalized, capitals don't indicate names. */
const CAPITALS_MAX = 0.5
const NAMES_MAX = 3
/** Limits the names, because each is searched for in every text. */
const NAMES_SOUGHT_MAX = 20

/** The names in a question that no hit has, at most three: an answer rarely paraphrases names. */
export function unmentionedNames(question: string, hits: readonly Passage[], terms: TermWeights): string[] {
  if (isTooLongForQuestion(question)) return []
  // The names of circumstances ("We moved from France. How …?") need no mention.
  const names = namesOf(withoutCircumstances(question).text, terms).slice(0, NAMES_SOUGHT_MAX)
  if (names.length === 0) return []
  const texts = hits.map(({ title, content, provider = '' }) =>
    `${title}\n${content}\n${provider.replaceAll('_', ' ')}`.toLowerCase(),
  )
  const isMentioned = ({ name, stems }: Name): boolean =>
    texts.some(
      (text) => text.includes(singular(name).toLowerCase()) || stems.every((stem) => text.includes(stem)),
    )
  const missing = names.filter((name) => !isMentioned(name)).map(({ name }) => name)
  return [...new Set(missing)].slice(0, NAMES_MAX)
}

/** "PDFs" without its "s". */
function singular(name: string): string {
  return name.replace(/(?<=\p{Lu}{2})s$/u, '')
}

interface Name {
  name: string
  stems: readonly string[]
}

function namesOf(question: string, terms: TermWeights): Name[] {
  const words = [...question.matchAll(WORD)]
  const capitals = words.filter(([word]) => CAPITAL.test(word)).length
  if (capitals > CAPITALS_MAX * words.length) return []
  // Another language may capitalize all nouns.
  const tellsByCapital = isEnglish(question, terms)
  return words.flatMap(({ 0: name, index }) => {
    const isCapital = tellsByCapital && CAPITAL.test(name) && !startsSentence(question, index)
    const isName = IDENTIFIER.test(name) || (isCapital && !TIME.test(name))
    const stems = terms.tokenize(name)
    const isRare = stems.some((stem) => terms.backgroundWeight(stem) >= RARE_FROM)
    return isName && isRare ? [{ name, stems }] : []
  })
}
