import { readSettings } from './commented-settings.ts'
import type { Definition, Line } from './definition.ts'
import { joinLines } from './plain-text.ts'

/** A definition whose text is not joined yet. */
interface Draft extends Omit<Definition, 'text'> {
  lines: string[]
}

const TERM_CHARACTERS_MAX = 100
/** The length limit of a term in a column beside its text. */
const COLUMN_TERM_CHARACTERS_MAX = 44
/** More words before a gap indicate justified text, unless they are an option. */
const TERM_WORDS_MAX = 3
const TAB_COLUMNS = 8
/** The dot leaders between a name and its value in a price list or a table of contents. */
const LEADERS = /\s{0,4}\.{3,}\s{0,4}/

/** Reads the definitions of a block of whole lines; null: not definitions. */
export function readDefinitions(source: string): Definition[] | null {
  const lines = readLines(source)
  return (
    readSettings(lines) ??
    readBehindColons(lines) ??
    readLeaders(lines) ??
    readColumns(lines) ??
    readHanging(lines)
  )
}

/** Reads the settings of a code block that explains them in comments; null: other code. */
export function readSettingsInCode(source: string): Definition[] | null {
  return readSettings(readLines(source), true)
}

function readLines(source: string): Line[] {
  return source
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readLine)
}

function readLine(line: string): Line {
  let indent = 0
  let at = 0
  for (; at < line.length && (line[at] === ' ' || line[at] === '\t'); at++)
    indent += line[at] === '\t' ? TAB_COLUMNS : 1
  return { indent, text: line.slice(at).trimEnd() }
}

/** Reads a term followed by lines that start with a colon. */
function readBehindColons(lines: readonly Line[]): Definition[] | null {
  const drafts: Draft[] = []
  for (const [at, { text, indent }] of lines.entries()) {
    const last = drafts.at(-1)
    if (text.startsWith(': ') && last) last.lines.push(text.slice(1).trim())
    else if (lines[at + 1]?.text.startsWith(': ') && isTerm(text))
      drafts.push({ term: text, lines: [], indent })
    else if (last && indent > last.indent) last.lines.push(text)
    else return null
  }
  return drafts.length > 0 ? drafts.map(finish) : null
}

/** Reads names and values joined by dot leaders, or by a space if the name fills the line. */
function readLeaders(lines: readonly Line[]): Definition[] | null {
  if (lines.filter(({ text }) => LEADERS.test(text)).length < 2) return null
  const definitions = lines.map(({ indent, text }) => {
    const space = text.lastIndexOf(' ')
    const [term = '', ...rest] = LEADERS.test(text)
      ? text.split(LEADERS)
      : [text.slice(0, space).trimEnd(), text.slice(space + 1)]
    return { term, text: rest.join(' '), indent }
  })
  const isList = definitions.every(({ term, text }) => isTerm(term) && term !== '' && text !== '')
  return isList ? definitions : null
}

/** Reads terms with texts in a column beside them. A single one must be an option or continue. */
function readColumns(lines: readonly Line[]): Definition[] | null {
  const outer = smallestIndent(lines)
  const drafts: Draft[] = []
  const columns = new Map<number, number>()
  let goesOn = 0
  for (const { indent, text } of lines) {
    const gap = indent - outer < 2 ? gapOf(text) : undefined
    const last = drafts.at(-1)
    if (gap !== undefined) {
      const column = indent + gap.to
      columns.set(column, (columns.get(column) ?? 0) + 1)
      drafts.push({ term: text.slice(0, gap.from), lines: [text.slice(gap.to)], indent })
    } else if (last && indent > last.indent + 1) {
      last.lines.push(text)
      if (columns.has(indent)) goesOn++
    } else return null
  }
  const aligned = [...columns.values()].reduce((most, count) => Math.max(most, count), 0)
  const isEntry = drafts[0]?.term.startsWith('-') || (goesOn > 0 && goesOn === lines.length - 1)
  const single = drafts.length === 1 && isEntry
  return single || (aligned >= 2 && aligned * 2 >= drafts.length) ? drafts.map(finish) : null
}

/** The first gap of at least two spaces, if it ends a term. */
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

/** Reads terms with indented texts below. */
function readHanging(lines: readonly Line[]): Definition[] | null {
  const outer = lines[0]?.indent ?? 0
  const drafts: Draft[] = []
  let terms: string[] = []
  for (const { indent, text } of lines) {
    const last = drafts.at(-1)
    if (indent <= outer) {
      if (indent < outer || !isTerm(text) || terms.length > 3) return null
      terms.push(text)
    } else if (terms.length > 0) {
      drafts.push({ term: terms.join(', '), lines: [text], indent: outer })
      terms = []
    } else if (last) last.lines.push(text)
  }
  return terms.length === 0 && drafts.length > 0 ? drafts.map(finish) : null
}

function finish({ lines, ...draft }: Draft): Definition {
  return { ...draft, text: joinLines(lines) }
}

function smallestIndent(lines: readonly Line[]): number {
  return lines.reduce((least, { indent }) => Math.min(least, indent), Infinity)
}

function isTerm(text: string): boolean {
  return (
    text.length <= TERM_CHARACTERS_MAX &&
    !/[.!?:;]$|^[|>#]|^<\/?(?:details|div|section|p|tabs|tabitem)\b/i.test(text)
  )
}
