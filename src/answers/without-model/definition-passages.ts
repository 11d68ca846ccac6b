import { HTML_CODE } from '../../text/blocks.ts'
import { withoutMarkers } from '../citations.ts'
import type { Definition } from './definition.ts'
import { readSettingsInCode } from './read-definitions.ts'
import { CONTEXT_CHARACTERS_MAX, type Passage, toPassage, type Under } from './passage.ts'
import { htmlCode, plainText, shorten } from './plain-text.ts'
import { sentencesOfParagraph } from './paragraph-sentences.ts'

/** Longer code is omitted, because it would bury the answer. */
const CODE_CHARACTERS_MAX = 400
/** A list item of several sentences stays whole up to this length. */
export const ITEM_CHARACTERS_MAX = 300
const FENCES = /^[ \t]*(?:`{3,}|~{3,}).*$/gm
/** The list marker before a code block that starts an item. */
const FENCED_ITEM = /^(\s*)(?:[-*+\u2022]|\d{1,9}[.)])[ \t]+(?=`{3}|~{3})/

/** A short definition as a whole, or the sentences of a longer one with its term. */
export function readDefinition({ term, text }: Definition, under: Under): Passage[] {
  const name = plainText(term)
  const whole = plainText(text)
  if (name === '') return []
  const toRow = (said: string): Passage =>
    toPassage('row', withoutMarkers(said === '' ? name : `${name} – ${said}`), {
      ...under,
      label: null,
      term: name,
    })
  if (whole.length <= ITEM_CHARACTERS_MAX) return [toRow(whole)]
  const [first = '', ...later] = sentencesOfParagraph(text)
  const context = `${under.context} ${shorten(name, CONTEXT_CHARACTERS_MAX)}`
  const below = { ...under, context, label: name, term: name }
  return [toRow(first), ...later.map((said) => toPassage('item', said, below))]
}

/** The code itself, or the settings that it explains in comments. Omits code that is too long. */
export function readCode(source: string, under: Under): Passage[] {
  const code = HTML_CODE.test(source) ? htmlCode(source) : source
  const settings = readSettingsInCode(code.replaceAll(FENCES, ''))
  if (settings !== null) return settings.flatMap((one) => readDefinition(one, under))
  const text = code.trimEnd().replace(FENCED_ITEM, '$1')
  const fenced = /^\s*(?:```|~~~)/.test(text) ? text : `\`\`\`\n${text}\n\`\`\``
  if (text.length > CODE_CHARACTERS_MAX || /\[\s*\d+\s*\]/.test(text) || !isClosedFence(fenced)) return []
  return [toPassage('code', fenced, under)]
}

function isClosedFence(text: string): boolean {
  const lines = text.trim().split('\n')
  const fence = /^(?:```+|~~~+)/.exec(lines[0] ?? '')?.[0]
  const closing = lines.at(-1)?.trim()
  return fence !== undefined && closing === fence && lines.slice(1, -1).some((line) => line.trim() !== '')
}
