/**
 * Definition lists as plain text writes them: a term with its text below it and further in (manual pages,
 * reStructuredText), behind a colon (Markdown), beside it in a column (lists of options), or settings with the comment
 * above them. Markdown has a syntax for few of these, and what it takes them for, code or a paragraph, tears them apart.
 */
export interface Definition {
  term: string
  text: string
  /** The column where the term begins: what stands further in below it still belongs to it. */
  indent: number
}

interface Line {
  indent: number
  text: string
}

const TERM_CHARACTERS_MAX = 100
/** A term beside its text is shorter, or it would not fit. */
const COLUMN_TERM_CHARACTERS_MAX = 44
/** More words before a gap are justified text, unless they are an option. */
const TERM_WORDS_MAX = 3
const TAB_COLUMNS = 8
const SETTING = /^[\w.-]{1,60}\s{0,8}=\s{0,8}\S/
const COMMENT = /^[;#]+\s?/

/** The definitions of a block, given by its whole lines; null when it is something else. */
export function readDefinitions(source: string): Definition[] | null {
  const lines = source
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readLine)
  return readSettings(lines) ?? readBehindColons(lines) ?? readColumns(lines) ?? readHanging(lines)
}

function readLine(line: string): Line {
  let indent = 0
  let at = 0
  for (; at < line.length && (line[at] === ' ' || line[at] === '\t'); at++)
    indent += line[at] === '\t' ? TAB_COLUMNS : 1
  return { indent, text: line.slice(at).trimEnd() }
}

/** `key = value` with the comments above it. */
function readSettings(lines: readonly Line[]): Definition[] | null {
  const definitions: Definition[] = []
  let comments: string[] = []
  for (const { text, indent } of lines) {
    if (COMMENT.test(text)) comments.push(text.replace(COMMENT, ''))
    else if (SETTING.test(text)) {
      definitions.push({ term: text, text: comments.join(' '), indent })
      comments = []
    } else if (/^\[[^\]]{1,80}\]$/.test(text)) comments = []
    else return null
  }
  const hasComments = definitions.some(({ text }) => text !== '')
  return hasComments ? definitions : null
}

/** A term, and lines that begin with a colon. */
function readBehindColons(lines: readonly Line[]): Definition[] | null {
  const definitions: Definition[] = []
  for (const [at, { text, indent }] of lines.entries()) {
    const last = definitions.at(-1)
    if (text.startsWith(': ') && last) last.text = joined(last.text, text.slice(1).trim())
    else if (lines[at + 1]?.text.startsWith(': ') && isTerm(text))
      definitions.push({ term: text, text: '', indent })
    else if (last && indent > last.indent) last.text = joined(last.text, text)
    else return null
  }
  return definitions.length > 0 ? definitions : null
}

/** Terms with their texts beside them, all texts in one column; a single one is a list only if it is an option. */
function readColumns(lines: readonly Line[]): Definition[] | null {
  const outer = smallestIndent(lines)
  const definitions: Definition[] = []
  const columns = new Map<number, number>()
  for (const { indent, text } of lines) {
    const gap = indent - outer < 2 ? gapOf(text) : undefined
    const last = definitions.at(-1)
    if (gap !== undefined) {
      const column = indent + gap.to
      columns.set(column, (columns.get(column) ?? 0) + 1)
      definitions.push({ term: text.slice(0, gap.from), text: text.slice(gap.to), indent })
    } else if (last && indent > last.indent + 1) last.text = joined(last.text, text)
    else return null
  }
  const aligned = [...columns.values()].reduce((most, count) => Math.max(most, count), 0)
  const single = definitions.length === 1 && definitions[0]?.term.startsWith('-')
  return single || (aligned >= 2 && aligned * 2 >= definitions.length) ? definitions : null
}

/** The first gap of two or more spaces, where it ends a term. */
function gapOf(text: string): { from: number; to: number } | undefined {
  const from = text.slice(0, COLUMN_TERM_CHARACTERS_MAX).search(/\S(?:\s\s|\t)/) + 1
  const term = text.slice(0, from)
  const isText =
    /[.:;,!?]$|^[$#>] /.test(term) || (!term.startsWith('-') && term.split(' ').length > TERM_WORDS_MAX)
  if (from === 0 || isText) return undefined
  let to = from
  while (to < text.length && (text[to] === ' ' || text[to] === '\t')) to++
  return { from, to }
}

/** Terms with their texts below them and further in. */
function readHanging(lines: readonly Line[]): Definition[] | null {
  const outer = lines[0]?.indent ?? 0
  const definitions: Definition[] = []
  let terms: string[] = []
  for (const { indent, text } of lines) {
    const last = definitions.at(-1)
    if (indent <= outer) {
      if (indent < outer || !isTerm(text) || terms.length > 3) return null
      terms.push(text)
    } else if (terms.length > 0) {
      definitions.push({ term: terms.join(', '), text, indent: outer })
      terms = []
    } else if (last) last.text = joined(last.text, text)
  }
  return terms.length === 0 && definitions.length > 0 ? definitions : null
}

function smallestIndent(lines: readonly Line[]): number {
  return lines.reduce((least, { indent }) => Math.min(least, indent), Infinity)
}

function isTerm(text: string): boolean {
  return text.length <= TERM_CHARACTERS_MAX && !/[.!?:;]$|^[|>#]/.test(text)
}

/** A line appended to text, a word broken at the end of a line made whole. */
function joined(text: string, line: string): string {
  if (text.endsWith('\u2010')) return text.slice(0, -1) + line
  return text === '' ? line : `${text} ${line}`
}
