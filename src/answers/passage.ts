import { shorten } from './plain-text.ts'

/** A part of a chunk that makes sense in an answer by itself: a sentence, a list item, a table row, or a code block. */
export interface Passage {
  kind: 'sentence' | 'item' | 'row' | 'code'
  /** For display: one line without markup; code is unchanged. */
  text: string
  /** The term that it defines or describes (an option, a setting, an abbreviation, the first cell of a row), if any. */
  term: string | null
  /** The cells of a table row. A question may need only some of them. */
  cells: readonly Cell[]
  /** Its context: the headings and the sentence that introduces its list. */
  context: string
  /** Text that a reader needs with it: the sentence before the list or table, the enclosing item, or the heading. */
  label: string | null
  /** The nearest heading above it in the text. */
  heading: string | null
  /** Passages of one paragraph, list or table share a group. */
  group: number
  /** Whether it is a title, which has no information by itself. */
  isTitle: boolean
  /** Whether it is an item of a numbered list. */
  isStep: boolean
  /** The offset of its block in the text. */
  at: number
}

/** A nonblank cell with the name of its column, if any. */
export interface Cell {
  name: string
  text: string
}

/** What a passage inherits from its position. */
export type Under = Pick<Passage, 'context' | 'label' | 'heading' | 'group' | 'term' | 'at'>

/** Longer sentences and rows (a list of codes, a page without periods) are shortened. */
const PASSAGE_CHARACTERS_MAX = 600
/** Limits the context to its nearest part, because every passage is compared with it. */
export const CONTEXT_CHARACTERS_MAX = 600

/** Words that refer back. A sentence that begins with one needs the sentence before it. */
const POINTS_BACK =
  /^(?:it|its|this|that|these|those|they|their|them|he|she|his|her|there|such|however|therefore|thus|also|otherwise|instead|then|dies\w*|sie|er|es|cela|ceci|cette|esto|esta)\b/i

export function toPassage(kind: Passage['kind'], text: string, under: Under): Passage {
  const shown = kind === 'code' ? text : shorten(text, PASSAGE_CHARACTERS_MAX)
  return { kind, text: shown, cells: [], isTitle: false, isStep: false, ...under }
}

/** Whether a sentence needs the one before it. */
export function pointsBack({ kind, text }: Passage): boolean {
  return kind === 'sentence' && POINTS_BACK.test(text)
}

/** Sentences that only refer to other text, and those of licenses. */
const POINTS_ELSEWHERE =
  /^(?:\(?(?:see|siehe|voir|v[eé]ase)(?: also| auch| aussi)?\b.{0,160}$|for (?:more|further|full|other)\b.{0,80}\b(?:see|refer)\b|(?:next|previous|prev|up|home|top|back to|table of contents|contents|skip to)\b.{0,40}$|note that you$)/i
const LICENSE =
  /\b(?:permission is granted|licen[cs]ed under|copy, distribute|gnu (?:free documentation|general public)|without warranty|all rights reserved|copyright (?:©|\(c\)|\d{4})|invariant sections|redistribut\w+ .{0,40}\bforms?\b|merchantability)/i
/** A row of navigation links. */
const LINKS = /(?: – |; )(?:[^:;]{1,40}: )?(?:home|next|prev|previous|up)(?:;|$)/i
/** A name alone, as below a message. */
const SIGNATURE = /^\p{Lu}\p{Ll}{1,30}(?: \p{Lu}\p{Ll}{1,30})?$/u
/** The greeting above a message. */
const SALUTATION = /^(?:hello|hi|hey|dear|hallo|guten tag|bonjour|hola)\b[^.?]{0,40}[,!]?$/i
/** The headers of an email that name its people and its subject. */
const MAIL_PEOPLE = /^(?:from|to|cc|bcc|reply-to|von|an|subject|betreff): \S/i
const MAIL_DATE = /^(?:date|sent|gesendet): \S/i
/** Box drawings, arrows, and menu separators: pictures and navigation. */
const DRAWN = /[│┌┐└┘├┤─═║╔╗]|(?:-{3,}|={3,})>|\+-{3,}\+|(?:\s[|»›·]\s.{1,24}){3,}/

/**
 * Whether a passage has no information by itself: it refers to other text, or is part of a license, picture, or
 * navigation.
 */
export function saysLittle({ text, kind }: Passage): boolean {
  if (DRAWN.test(text)) return kind !== 'row'
  if (kind === 'row' && LINKS.test(text)) return true
  if (POINTS_ELSEWHERE.test(text) || LICENSE.test(text)) return true
  return kind === 'sentence' && (SIGNATURE.test(text) || SALUTATION.test(text))
}

const MANUAL_PAGE = /(?<![\w.+:@-])[\w.+:@-]{1,60} ?\(\d\w{0,6}\)/g
const BETWEEN_PAGES = /^[\s,.;`]*(?:(?:and|or)[\s,.;`]*)?$/

/** Whether a text only lists manual pages, as under SEE ALSO. */
export function listsPages(text: string): boolean {
  const between = text.split(MANUAL_PAGE)
  return between.length > 1 && between.every((part) => BETWEEN_PAGES.test(part))
}

/** Whether a passage is an email header that lacks the requested person or date. */
export function isMailHeader({ text, kind }: Passage, asks: { person: boolean; date: boolean }): boolean {
  if (kind !== 'sentence') return false
  return (!asks.person && MAIL_PEOPLE.test(text)) || (!asks.date && MAIL_DATE.test(text))
}
