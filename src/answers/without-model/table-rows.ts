import { HTML_CODE } from '../../text/blocks.ts'
import { withoutMarkers } from '../citations.ts'
import { type Cell, CONTEXT_CHARACTERS_MAX, type Passage, toPassage, type Under } from './passage.ts'
import { plainText, shorten } from './plain-text.ts'

const TABLE_RULE = /^[\s|:+=-]+$/
const HTML_CELL = /<t[dh]\b/i

export function hasHtmlCells(source: string): boolean {
  return HTML_CELL.test(source)
}

export function isTable(source: string): boolean {
  if (/^\s*(?:```|~~~)/.test(source) || HTML_CODE.test(source)) return false
  if (/^\s*[|+]/.test(source)) return true
  return source.split('\n').some((line, at) => at > 0 && /^[\s|:+-]*--/.test(line))
}

interface Rows {
  /** The column names, if any. */
  header: readonly string[]
  body: readonly (readonly string[])[]
}

/** Renders each row as "first cell – Header: cell; Header: cell", so that it makes sense without the table. */
export function readRows({ header, body }: Rows, under: Under): Passage[] {
  return body.flatMap((cells) => {
    const named = cells.flatMap((text, at) => (text === '' ? [] : [{ name: header[at] ?? '', text }]))
    if (named.length < 2) return []
    const context = `${under.context} ${shorten(header[0] ?? '', CONTEXT_CHARACTERS_MAX)}`
    const passage = toPassage('row', rowText(named), { ...under, context })
    return [{ ...passage, term: named[0]?.text ?? null, cells: named }]
  })
}

/** The cells on one line. The first one is the row's subject. */
export function rowText([first, ...rest]: readonly Cell[]): string {
  const named = rest.map(({ name, text }) => (name === '' ? text : `${name}: ${text}`))
  return withoutMarkers(`${first?.text} – ${named.join('; ')}`)
}

export function markdownRows(source: string): Rows {
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

export function htmlRows(source: string): Rows {
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
