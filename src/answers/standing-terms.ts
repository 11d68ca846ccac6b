import { plainText } from './plain-text.ts'

/** A short paragraph of its own that names what the paragraphs below it tell: converted definition lists look like this. */
export interface StandingTerm {
  text: string
  /** Whether it is the name of an option, a setting or a command. Otherwise it is a title. */
  isName: boolean
}

const TERM_CHARACTERS_MAX = 100
const NAME_WORDS_MAX = 9
const TITLE_WORDS_MAX = 9
/** An entry of a glossary. */
const ENTRY_WORDS_MAX = 4
const ENDS_SENTENCE = /[.!?:;,…]["')\]]?$/
/** A word of an option, a setting, a call or a placeholder. */
const NAME_WORD = /^(?:-{1,2}[\w?#]|[\w$@/<[*%+-]*[_./=<>[\](){}$@#]|\w*\p{Ll}\p{Lu})/u
const PLAIN_NAME = /^[\w.:/-]{2,40}$/u
/** Words above a remark, which name nothing. */
const REMARK =
  /^(?:note|notes|warning|caution|tip|hint|important|attention|danger|see also|example|examples|info|remark)$/i
/** What a paragraph that tells of a term begins with. */
const BEGINS_TEXT = /^["'`(]?\p{Lu}/u

/** The term that a paragraph is, with the source of the block below it; null when it is text. */
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
