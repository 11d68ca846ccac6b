import { QUERY_CHARACTERS_MAX } from '../../src/kernel/limits.ts'
import type { Expectation } from './measure.ts'

/** An invalid file of questions; the message names every bad row by its line. */
export class QuestionFileError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'QuestionFileError'
  }
}

/** A question with its expected result. */
export interface ExpectedQuestion extends Expectation {
  /** Its line in the file, from 1. */
  line: number
  question: string
}

interface Row {
  line: number
  cells: string[]
}

const COLUMNS = new Set(['question', 'page', 'fact'])
const QUESTIONS_MAX = 1_000
/** Decoders put it where the bytes are not UTF-8. */
const UNDECODED = '\uFFFD'
/** More errors would scroll the first ones off the screen. */
const FAULTS_SHOWN = 20

/** The questions of a CSV file with a header. @throws QuestionFileError */
export function readQuestions(text: string): ExpectedQuestion[] {
  const [header, ...rows] = readRows(text.replace(/^\uFEFF/, ''))
  const names = header?.cells.map((name) => name.trim().toLowerCase()) ?? []
  const unknown = names.filter((name, at) => !COLUMNS.has(name) || names.indexOf(name) !== at)
  if (!names.includes('question') || names.length < 2 || unknown.length > 0)
    throw new QuestionFileError(
      `line 1: the header must be "question" with "page", "fact" or both, separated by commas, not "${names.join(',')}"`,
    )
  const faults: string[] = []
  const questions = rows.map(({ line, cells }) => {
    const cell = (name: string): string => cells[names.indexOf(name)]?.trim() ?? ''
    const [question, page, fact] = [cell('question'), cell('page'), cell('fact')]
    const fault = faultOf(cells.length, names.length, { question, page, fact })
    if (fault !== null) faults.push(`line ${line}: ${fault}`)
    return { line, question, page: page || null, fact: fact || null }
  })
  if (questions.length === 0) faults.push('the file has no question')
  if (questions.length > QUESTIONS_MAX) faults.push(`there are more than ${QUESTIONS_MAX} questions`)
  if (faults.length > 0) throw new QuestionFileError(faults.slice(0, FAULTS_SHOWN).join('\n'))
  return questions
}

function faultOf(
  cells: number,
  columns: number,
  { question, page, fact }: { question: string; page: string; fact: string },
): string | null {
  if (cells > columns)
    return `${cells} columns, but the header has ${columns}; put cells with commas in quotes`
  if (question === '') return 'no question'
  for (const [name, cell] of Object.entries({ question, page, fact })) {
    if (cell.length > QUERY_CHARACTERS_MAX)
      return `the ${name} has more than ${QUERY_CHARACTERS_MAX} characters`
    if (cell.includes(UNDECODED)) return `not UTF-8; save the file as "CSV UTF-8"`
  }
  if (page === '' && fact === '') return 'neither a page nor a fact'
  return null
}

/** The rows of a CSV text (RFC 4180), without empty ones. @throws QuestionFileError for a quote that is never closed */
function readRows(text: string): Row[] {
  const rows: Row[] = []
  let row: Row = { line: 1, cells: [] }
  let cell = ''
  let line = 1
  let opened: number | null = null
  const endRow = (): void => {
    row.cells.push(cell)
    if (row.cells.some((one) => one.trim() !== '')) rows.push(row)
    row = { line: line + 1, cells: [] }
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    const isEscaped = opened !== null && character === '"' && text[at + 1] === '"'
    if (isEscaped) at++
    if (character === '"' && !isEscaped && (opened !== null || cell.trim() === '')) {
      opened = opened === null ? line : null
    } else if (opened === null && character === ',') {
      row.cells.push(cell)
      cell = ''
    } else if (opened === null && character === '\n') endRow()
    else cell += character
    if (character === '\n') line++
  }
  if (opened !== null) throw new QuestionFileError(`line ${opened}: a quote is never closed`)
  endRow()
  return rows
}
