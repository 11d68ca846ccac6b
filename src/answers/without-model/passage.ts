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
  /** Its number in a numbered list. */
  step: number | null
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
  return { kind, text: shown, cells: [], isTitle: false, step: null, ...under }
}

/** The author of a message, or a word such as "Note". */
const NAMED = /^\p{Lu}[^:\n]{0,60}: /u

/** Whether a sentence needs the one before it. */
export function pointsBack({ kind, text }: Passage): boolean {
  return kind === 'sentence' && POINTS_BACK.test(text.replace(NAMED, ''))
}

const NAMES =
  /^(?:this|that|it|these|they) (?:is|are|was|were) (?:\p{L}{1,20} )?(?:called|known as|nicknamed|dubbed|referred to as)\b/iu

/** Whether a sentence only names what the text before it describes: "This is called pairing." */
export function namesWhatPrecedes({ text }: Passage): boolean {
  return NAMES.test(text)
}
