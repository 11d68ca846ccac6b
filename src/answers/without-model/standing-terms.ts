import { plainText } from './plain-text.ts'

/** A short paragraph that names the subject of the following ones, as in converted definition lists. */
export interface StandingTerm {
  text: string
  /** Whether it names an option, setting, or command. Otherwise it is a title. */
  isName: boolean
}

const TERM_CHARACTERS_MAX = 100
const NAME_WORDS_MAX = 9
const TITLE_WORDS_MAX = 9
/** The maximum number of words of a glossary entry. */
const ENTRY_WORDS_MAX = 4
const ENDS_SENTENCE = /[.!?:;,…]["')\]]?$/
/** A word with the form of an option, setting, call, or placeholder. */
const NAME_WORD = /^(?:-{1,2}[\w?#]|[\w$@/<[*%+-]*[_./=<>[\](){}$@#]|\w*\p{Ll}\p{Lu})/u
const PLAIN_NAME = /^(?=.*[\p{L}\p{N}])[\w.:/-]{2,40}$/u
/** Words above a remark, which name no subject. */
const REMARK =
  /^(?:note|notes|warning|caution|tip|hint|important|attention|danger|see also|example|examples|info|remark)$/i
/** The start of a paragraph about a term. */
const BEGINS_TEXT = /^["'`(]?\p{Lu}/u

/** The running head or foot of a manual page ends with the page's name, after a wide gap. */
const PAGE_NAME = /\(\d\w{0,6}\)$/
const FAR_APART = /\S {3,}\S/
const NAME_BELOW = /^NAME\n/

/** Whether a line is the running head or foot of a manual page, which has no information about the text below. */
export function isRunningHead(source: string, below: string | null): boolean {
  if (source.includes('\n') || !PAGE_NAME.test(source)) return false
  return FAR_APART.test(source) || NAME_BELOW.test(below ?? '')
}

/** Reads a paragraph as a term, given the source of the block below; null: it is text. */
export function readStandingTerm(source: string, below: string | null): StandingTerm | null {
  if (below === null || source.length > TERM_CHARACTERS_MAX || source.includes('\n')) return null
  const text = plainText(source)
  const words = text.split(' ')
  if (REMARK.test(text)) return null
  if (text === '' || words.length > NAME_WORDS_MAX || ENDS_SENTENCE.test(text)) return null
  const [first = ''] = words
  const isCode = NAME_WORD.test(first) || NAME_WORD.test(source.trim().split(' ')[0] ?? '')
  const isAlone = words.length === 1 && PLAIN_NAME.test(first)
  const tells = BEGINS_TEXT.test(below.trimStart()) && below.length > text.length
  const isEntry = /^\p{Ll}/u.test(text) && words.length <= ENTRY_WORDS_MAX
  if ((isCode || isAlone || isEntry) && tells) return { text, isName: true }
  const isTitle =
    words.length <= TITLE_WORDS_MAX && /^[\p{Lu}\d]/u.test(text) && below.length > 2 * text.length
  return isTitle ? { text, isName: false } : null
}
