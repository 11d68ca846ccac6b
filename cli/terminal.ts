import { styleText } from 'node:util'
import stringWidth from 'fast-string-width'
import { wrapAnsi } from 'fast-wrap-ansi'

const COLUMNS_DEFAULT = 80
const COLUMNS_MAX = 100

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Where the command line writes: results to stdout, everything else to stderr. */
export interface Terminal {
  /** Columns to wrap text to, at most 100. */
  readonly columns: number
  /** Whether stdout is a terminal. */
  readonly interactive: boolean
  readonly stderr: NodeJS.WriteStream
  print(line?: string): void
  /** Writes results without a line end. */
  write(text: string): void
  /** Writes a line to stderr. */
  note(line: string): void
  /** Styles the text if stdout shows colors and NO_COLOR does not forbid them. */
  style(style: Style, text: string): string
}

export function createTerminal(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): Terminal {
  return {
    columns: Math.min(COLUMNS_MAX, Math.max(40, stdout.columns || COLUMNS_DEFAULT)),
    interactive: stdout.isTTY,
    stderr,
    print: (line = '') => void stdout.write(`${line}\n`),
    write: (text) => void stdout.write(text),
    note: (line) => void stderr.write(`${line}\n`),
    style: (style, text) => styleText(style, text, { stream: stdout }),
  }
}

/** Removes characters that could control the reader's terminal; keeps line ends and tabs. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')
}

/** The same on one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim()
}

/** Wraps the text to `columns`, indenting each line by `indent` more spaces. */
export function wrapText(text: string, columns: number, indent = 0): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line.trimEnd(), columns, indent))
    .join('\n')
}

const TEXT_COLUMNS_MIN = 20

function wrapLine(line: string, columns: number, indent: number): string {
  const text = line.trimStart()
  if (text === '') return ''
  const own = Math.min(line.length - text.length, Math.max(0, columns - indent - TEXT_COLUMNS_MIN))
  const margin = ' '.repeat(indent + own)
  const wrapped = wrapAnsi(text, Math.max(TEXT_COLUMNS_MIN, columns - indent - own), { hard: true })
  return wrapped
    .split('\n')
    .map((part) => margin + part)
    .join('\n')
}

/** A line such as `     3 documents stored`. */
export function countLine(count: number, noun: string, state: string): string {
  return `  ${String(count).padStart(6)} ${noun}${count === 1 ? '' : 's'} ${state}`
}

/** Rows in aligned columns under their headings. */
export function formatTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [headings, ...rows]
  const widths = headings.map((_, column) =>
    lines.reduce((widest, line) => Math.max(widest, stringWidth(line[column] ?? '')), 0),
  )
  return lines.map((line) =>
    line
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell))))
      .join('  ')
      .trimEnd(),
  )
}

/** A time in UTC to the minute; `never` for null. */
export function formatMoment(timestamp: string | null): string {
  if (timestamp === null) return 'never'
  const date = new Date(timestamp)
  return Number.isNaN(date.getTime()) ? timestamp : date.toISOString().slice(0, 16).replace('T', ' ')
}
