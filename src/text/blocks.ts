import { inOneGo, type Pausable } from '../kernel/cooperative.ts'
import { isSpace } from './words.ts'

/** A chain of headings, nearest first. */
export interface HeadingPath {
  readonly text: string
  readonly level: number
  readonly parent: HeadingPath | null
}

/** A paragraph-sized part of a text; `whole` and `indented` avoid cuts. `path`: the chain of headings above. */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'item' | 'whole' | 'indented'
  readonly start: number
  readonly end: number
  readonly path: HeadingPath | null
}

interface Line {
  start: number
  /** The first character that is not a space; `end` for a blank line. */
  first: number
  /** After the last character that is not a space. */
  end: number
  next: number
  blank: boolean
}

/** Longer lines are not headings. */
const HEADING_CHARACTERS_MAX = 200
const ATX_HEADING = /^(#{1,6})[ \t]+(?=\S)/
const COMMENT = /^#(?:[ \t]|$)/
const LIST_ITEM = /^(?:[-*+\u2022]|\d{1,9}[.)])[ \t]/
const FENCE = /^(`{3,}|~{3,})/
/** HTML's code, which has blank lines and no list items (CommonMark 4.6). */
export const HTML_CODE = /^\s*<pre[\s>]/i
const HTML_CODE_END = /<\/pre>/i
/** A list item that begins with its code. */
const FENCED_ITEM = /^(?:[-*+\u2022]|\d{1,9}[.)])[ \t]{1,4}(`{3,}|~{3,})[^`]*$/
const UNDERLINE = /^(?:={3,}|-{3,}|~{3,}|\^{3,}|"{3,}|\*{3,}|\+{3,})$/
const TABLE_RULE = /^[\s|:+-]+$/

function readLine(body: string, start: number): Line {
  const newline = body.indexOf('\n', start)
  const stop = newline === -1 ? body.length : newline
  let first = start
  while (first < stop && isSpace(body.charCodeAt(first))) first++
  let end = stop
  while (end > first && isSpace(body.charCodeAt(end - 1))) end--
  return { start, first, end, next: newline === -1 ? body.length : newline + 1, blank: first === end }
}

/** The beginning of a line, enough to classify it; bounded, because a line may be a megabyte. */
function opening(body: string, line: Line): string {
  return body.slice(line.first, Math.min(line.end, line.first + HEADING_CHARACTERS_MAX))
}

function isTableLine(body: string, line: Line): boolean {
  return body.slice(line.first, line.end).includes('|')
}

/** Whether a table begins here: two lines of cells in pipes, a row above its rule, or the frame of a grid table. */
function beginsTable(body: string, line: Line): boolean {
  if (line.next >= body.length) return false
  const character = body.charAt(line.first)
  if (character === '+') return /^\+[-=+]{3,}$/.test(opening(body, line))
  if (!isTableLine(body, line)) return false
  const below = readLine(body, line.next)
  if (below.blank) return false
  if (character === '|' && body.charAt(below.first) === '|') return true
  const rule = opening(body, below)
  return rule.includes('|') && rule.includes('--') && TABLE_RULE.test(rule)
}

function* readTable(body: string, line: Line): Pausable<Line> {
  let last = line
  for (let next = line.next; next < body.length;) {
    yield
    const below = readLine(body, next)
    if (below.blank || (!isTableLine(body, below) && body.charAt(below.first) !== '+')) break
    last = below
    next = below.next
  }
  return last
}

/** Reads to a closing fence of at least the same length, or to the end of the text (CommonMark 4.5). */
function* readFence(body: string, line: Line, fence: string): Pausable<Line> {
  let last = line
  for (let next = line.next; next < body.length;) {
    yield
    last = readLine(body, next)
    next = last.next
    const closing = FENCE.exec(opening(body, last))?.[1]
    const closes = closing !== undefined && closing[0] === fence[0] && closing.length >= fence.length
    if (closes && closing.length === last.end - last.first) break
  }
  return last
}

/** Reads to the line with the end tag, or to the end of the text. */
function* readHtmlCode(body: string, line: Line): Pausable<Line> {
  let last = line
  while (!HTML_CODE_END.test(body.slice(last.first, last.end)) && last.next < body.length) {
    yield
    last = readLine(body, last.next)
  }
  return last
}

/** The level of the heading that the next line underlines (Markdown's setext, reStructuredText); 0: none. */
function underlinedLevel(body: string, line: Line): number {
  if (line.next >= body.length || line.end - line.first > HEADING_CHARACTERS_MAX) return 0
  const below = readLine(body, line.next)
  const rule = opening(body, below)
  if (below.blank || !UNDERLINE.test(rule) || UNDERLINE.test(opening(body, line))) return 0
  if (rule[0] === '=') return 1
  if (rule[0] === '-') return LIST_ITEM.test(opening(body, line)) ? 0 : 2
  return rule.length >= line.end - line.first ? 3 : 0
}

/** Whether the line begins a block even without a blank line before it. */
function interruptsParagraph(body: string, line: Line): boolean {
  const text = opening(body, line)
  const isMarked = FENCE.test(text) || HTML_CODE.test(text) || LIST_ITEM.test(text)
  return isMarked || isAtxHeading(body, line) || beginsTable(body, line)
}

function isAtxHeading(body: string, line: Line): boolean {
  if (line.end - line.first > HEADING_CHARACTERS_MAX || isIndented(body, line)) return false
  return ATX_HEADING.test(opening(body, line)) && !isComment(body, line)
}

/** Whether the line is one of several with one number sign: a comment of a configuration file. */
function isComment(body: string, line: Line): boolean {
  const isMarked = (one: Line): boolean => COMMENT.test(opening(body, one))
  if (!isMarked(line)) return false
  if (line.next < body.length && isMarked(readLine(body, line.next))) return true
  return line.start > 0 && isMarked(readLine(body, body.lastIndexOf('\n', line.start - 2) + 1))
}

function* readParagraph(body: string, line: Line): Pausable<Line> {
  let last = line
  for (let next = line.next; next < body.length;) {
    yield
    const below = readLine(body, next)
    if (below.blank || interruptsParagraph(body, below)) break
    last = below
    next = below.next
  }
  return last
}

function isIndented(body: string, line: Line): boolean {
  return body.charCodeAt(line.start) === 9 || line.first - line.start >= 4
}

function headingUnder(path: HeadingPath | null, level: number): HeadingPath | null {
  let parent = path
  while (parent !== null && parent.level >= level) parent = parent.parent
  return parent
}

/** The heading that begins on this line: level, text and last line; undefined: none. */
function readHeading(body: string, line: Line): { level: number; text: string; last: Line } | undefined {
  const text = opening(body, line)
  const marks = isAtxHeading(body, line) ? ATX_HEADING.exec(text) : null
  if (marks !== null) {
    const words = text.slice(marks[0].length).replace(/[ \t]+#+$/, '')
    return { level: marks[1]?.length ?? 1, text: words, last: line }
  }
  const level = underlinedLevel(body, line)
  return level === 0 ? undefined : { level, text, last: readLine(body, line.next) }
}

/** Finds the blocks of a short text in one go. */
export function findBlocks(body: string): Block[] {
  return inOneGo(findingBlocks(body))
}

/** Splits a text (Markdown, reStructuredText, plain) into blocks with only whitespace between. Linear time. */
export function* findingBlocks(body: string): Pausable<Block[]> {
  const blocks: Block[] = []
  let path: HeadingPath | null = null
  let kindBefore: Block['kind'] = 'paragraph'
  for (let at = 0; at < body.length;) {
    yield
    const line = readLine(body, at)
    at = line.next
    if (line.blank) continue
    const heading = readHeading(body, line)
    if (heading !== undefined) {
      const parent = headingUnder(path, heading.level)
      blocks.push({ kind: 'heading', start: line.first, end: heading.last.end, path: parent })
      path = { text: heading.text, level: heading.level, parent }
      kindBefore = 'heading'
      at = heading.last.next
      continue
    }
    const block: BlockRead = yield* readBlock(body, line, kindBefore)
    const { kind, last } = block
    // Code keeps the indentation of its first line, unless absurdly deep.
    const keepsIndentation = (kind === 'whole' || kind === 'indented') && line.first - line.start <= 40
    blocks.push({ kind, start: keepsIndentation ? line.start : line.first, end: last.end, path })
    kindBefore = kind
    at = last.next
  }
  return blocks
}

interface BlockRead {
  kind: Block['kind']
  last: Line
}

function* readBlock(body: string, line: Line, kindBefore: Block['kind']): Pausable<BlockRead> {
  const text = opening(body, line)
  const fence = (FENCE.exec(text) ?? FENCED_ITEM.exec(text))?.[1]
  if (fence !== undefined) return { kind: 'whole', last: yield* readFence(body, line, fence) }
  if (HTML_CODE.test(text)) return { kind: 'whole', last: yield* readHtmlCode(body, line) }
  if (beginsTable(body, line)) return { kind: 'whole', last: yield* readTable(body, line) }
  if (LIST_ITEM.test(text)) return { kind: 'item', last: yield* readParagraph(body, line) }
  // Indented text below a list item continues the item; elsewhere it is code.
  const indented = isIndented(body, line)
  const kind = !indented ? 'paragraph' : kindBefore === 'item' ? 'item' : 'indented'
  return { kind, last: yield* readParagraph(body, line) }
}
