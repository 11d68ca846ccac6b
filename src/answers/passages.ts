import { type Block, findBlocks } from '../text/blocks.ts'
import { sentenceStarts } from '../text/sentences.ts'
import { plainText, shorten } from './plain-text.ts'

/** A piece of a chunk that can stand in an answer by itself: a sentence, a list item, a table row, a code block. */
export interface Passage {
  kind: 'sentence' | 'item' | 'row' | 'code'
  /** As it is shown: one line without markup, except for code. */
  text: string
  /** What it stands under: its headings and the sentence that leads into its list. */
  context: string
  /** What a reader has to know with it: the sentence before the list or table, the item around it, or the heading. */
  label: string | null
  /** Passages of one paragraph, list or table share a group. */
  group: number
}

/** Code beyond this is not shown: it would bury the answer. */
const CODE_CHARACTERS_MAX = 400
/** A longer sentence or row (a list of codes, a page without full stops) is shortened. */
const PASSAGE_CHARACTERS_MAX = 600
/** A list item of several sentences stays whole up to this length. */
const ITEM_CHARACTERS_MAX = 300
/** A line shorter than this that is followed by a capital was broken on purpose, not by a column limit. */
const FULL_LINE_CHARACTERS = 60
/** Of what a passage stands under, the nearest counts: each passage of a chunk is compared with its own. */
const CONTEXT_CHARACTERS_MAX = 600
const LEADS_IN = /:$|\b(?:following|as follows|below|folgende[nrs]?|suivante?s?|siguientes?)\b/i

const TABLE_RULE = /^[\s|:+=-]+$/
const HTML_CELL = /<t[dh]\b/i

/** What is carried from one block to the next. */
interface State {
  group: number
  /** What the next block may stand under: the sentence before a list, and the list items around it. */
  above: { indent: number; text: string }[]
  kindBefore: Block['kind'] | null
}

type Under = Omit<Passage, 'kind' | 'text'>

/** The passages of a chunk, in order. Text that says nothing by itself (headings, rules, lead-ins) is context only. */
export function splitPassages(content: string): Passage[] {
  const state: State = { group: 0, above: [], kindBefore: null }
  return findBlocks(content).flatMap((block) => {
    const passages = readBlock(block, content, state)
    state.kindBefore = block.kind
    return passages
  })
}

function readBlock(block: Block, content: string, state: State): Passage[] {
  const source = content.slice(block.start, block.end)
  const continuesList = block.kind === 'item' && state.kindBefore === 'item'
  if (!continuesList) state.group++
  if (block.kind === 'heading') {
    state.above = []
    return []
  }
  if (block.kind === 'item') return readItem(source, columnOf(block.start, content), block, state)
  const under = standsUnder(block, state)
  state.above = []
  if (HTML_CELL.test(source)) return readRows(htmlRows(source), under)
  if (block.kind === 'paragraph') return readParagraph(source, under, state)
  return isTable(source) ? readRows(markdownRows(source), under) : readCode(source, under)
}

function columnOf(start: number, content: string): number {
  return start - (content.lastIndexOf('\n', start - 1) + 1)
}

function standsUnder(block: Block, state: State): Under {
  const headings: string[] = []
  for (let path = block.path; path !== null; path = path.parent) headings.unshift(plainText(path.text))
  const above = state.above.map(({ text }) => text)
  const context = [...headings, ...above].join(' ').slice(-CONTEXT_CHARACTERS_MAX)
  return { context, label: above.at(-1) ?? headings.at(-1) ?? null, group: state.group }
}

function readParagraph(source: string, under: Under, state: State): Passage[] {
  const sentences = splitSentences(source)
  const last = sentences.at(-1)
  // A paragraph that is all bold is a heading that was not marked as one.
  if (/^\*\*[^*]+\*\*:?$/.test(source.trim()) && last !== undefined) {
    state.above = [{ indent: -1, text: last }]
    return []
  }
  if (last !== undefined && LEADS_IN.test(last)) state.above = [{ indent: -1, text: last }]
  const standing = last?.endsWith(':') ? sentences.slice(0, -1) : sentences
  const unlabelled = { ...under, label: null }
  return standing.map((text) => toPassage('sentence', text, unlabelled))
}

function readItem(source: string, indent: number, block: Block, state: State): Passage[] {
  state.above = state.above.filter((parent) => parent.indent < indent)
  const under = standsUnder(block, state)
  const body = source.replace(/^\s*(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
  const whole = plainText(body)
  const sentences = whole.length <= ITEM_CHARACTERS_MAX ? [whole] : splitSentences(body)
  const first = sentences[0] ?? ''
  state.above.push({ indent, text: first })
  // What an item is about stands in its first sentence.
  const later = { ...under, context: `${under.context} ${shorten(first, CONTEXT_CHARACTERS_MAX)}` }
  return sentences
    .filter((text) => /\p{L}/u.test(text) && !text.endsWith(':'))
    .map((text) => toPassage('item', text, text === first ? under : later))
}

function toPassage(kind: Passage['kind'], text: string, under: Under): Passage {
  return { kind, text: kind === 'code' ? text : shorten(text, PASSAGE_CHARACTERS_MAX), ...under }
}

function readCode(source: string, under: Under): Passage[] {
  const text = source.trimEnd()
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

function isTable(source: string): boolean {
  if (/^\s*(?:```|~~~)/.test(source)) return false
  if (/^\s*[|+]/.test(source)) return true
  return source.split('\n').some((line, at) => at > 0 && /^[\s|:+-]*--/.test(line))
}

interface Rows {
  /** The names of the columns; empty when the table has none. */
  header: readonly string[]
  body: readonly (readonly string[])[]
}

/** Each row as "first cell – Header: cell; Header: cell", so that it can be read without the table around it. */
function readRows({ header, body }: Rows, under: Under): Passage[] {
  return body.flatMap((cells) => {
    const named = cells.flatMap((cell, at) => {
      const name = header[at]
      return cell === '' ? [] : [name && at > 0 ? `${name}: ${cell}` : cell]
    })
    const [first, ...rest] = named
    if (first === undefined || rest.length === 0) return []
    const context = `${under.context} ${shorten(header[0] ?? '', CONTEXT_CHARACTERS_MAX)}`
    return [toPassage('row', `${first} – ${rest.join('; ')}`, { ...under, context })]
  })
}

function markdownRows(source: string): Rows {
  const lines = source.split('\n').filter((line) => line.includes('|'))
  const rows = lines
    .filter((line) => !TABLE_RULE.test(line))
    .map((line) => {
      const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '')
      return inner.split(/(?<!\\)\|/).map(plainText)
    })
  return TABLE_RULE.test(lines[1] ?? '')
    ? { header: rows[0] ?? [], body: rows.slice(1) }
    : { header: [], body: rows }
}

function htmlRows(source: string): Rows {
  const rows = source.split(/<tr\b/i).filter((row) => HTML_CELL.test(row))
  const cells = rows.map((row) =>
    row
      .split(/<t[dh]\b/i)
      .slice(1)
      .map((cell) => plainText(`<td${cell}`)),
  )
  const isHeader = /<th\b/i.test(rows[0] ?? '') && !/<td\b/i.test(rows[0] ?? '')
  return isHeader ? { header: cells[0] ?? [], body: cells.slice(1) } : { header: [], body: cells }
}

/** The sentences of a paragraph without markup. A line broken on purpose ends a sentence; a wrapped one does not. */
function splitSentences(source: string): string[] {
  const lines = source.split('\n').map((line) => line.replace(/^\s*>+ ?/, '').trim())
  const parts: string[] = []
  let before = ''
  for (const line of lines) {
    const goesOn = parts.length > 0 && !isBrokenOnPurpose(before, line)
    if (goesOn) parts.push(`${parts.pop()} ${line}`)
    else parts.push(line)
    before = line
  }
  return parts.flatMap((part) => {
    const text = plainText(part)
    const starts = sentenceStarts(text, 0, text.length)
    return starts
      .map((start, at) => text.slice(start, starts[at + 1]).trim())
      .filter((sentence) => /\p{L}/u.test(sentence))
  })
}

function isBrokenOnPurpose(before: string, line: string): boolean {
  if (before === '' || line === '') return true
  return before.length < FULL_LINE_CHARACTERS && !/[,;(–-]$/.test(before) && !/^[\p{Ll}(]/u.test(line)
}
