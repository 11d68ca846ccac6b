import { markdownTable } from '../markdown-table.ts'
import { spreadCells, type SpanningCell } from '../spread-cells.ts'
import { type PartReader, prefixedAttribute } from './office-package.ts'

/** Elements that are not the document's text: tracked changes, comments, contents, alternative texts, covered cells. */
const SKIPPED = new Set([
  'tracked-changes',
  'annotation',
  'table-of-content',
  'alphabetical-index',
  'illustration-index',
  'table-index',
  'note-citation',
  'title',
  'desc',
  'forms',
  'ruby-text',
  'covered-table-cell',
])
/** Limits on the spaces of one element, the columns of a table, and the depth of lists. */
const SPACES_MAX = 100
const COLUMNS_MAX = 200
const DEPTH_MAX = 12

interface Paragraph {
  /** Its Markdown prefix. */
  mark: string
  text: string
  isTitle: boolean
  /** How many cells contain it. */
  cells: number
}

interface Table {
  rows: SpanningCell[][]
  hasHeader: boolean
}

/** Extracts a text document's paragraphs, headings, list items, tables, and footnotes in parentheses. */
export class TextDocumentReader implements PartReader {
  readonly #charactersMax: number
  readonly #blocks: string[] = []
  readonly #titleStyles = new Set(['Title'])
  /** Open paragraphs; a footnote or text box is nested in one. */
  readonly #paragraphs: Paragraph[] = []
  readonly #tables: Table[] = []
  /** The texts and spans of each open cell. */
  readonly #cells: { texts: string[]; colspan: number; rowspan: number }[] = []
  #listDepth = 0
  #isFirstInItem = false
  #skipped = 0
  #characters = 0
  #body: 'none' | 'begun' | 'text' = 'none'
  #shownTitle = ''
  #firstHeading = ''

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax
  }

  get markdown(): string {
    return this.#blocks.join('\n')
  }

  /** The text in the title style, else the first top-level heading; `''`: none. */
  get title(): string {
    return this.#shownTitle || this.#firstHeading
  }

  get isTextDocument(): boolean {
    return this.#body === 'text'
  }

  isDone(): boolean {
    return this.#characters > this.#charactersMax
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#skipped > 0 || SKIPPED.has(name)) {
      this.#skipped += 1
      return
    }
    const style = () => prefixedAttribute(attributes, 'style-name') ?? ''
    if (name === 'style') this.#noteStyle(attributes)
    else if (name === 'body') this.#body = 'begun'
    else if (name === 'text' && this.#body === 'begun') this.#body = 'text'
    else if (name === 'h') this.#openParagraph(headingMark(attributes), style())
    else if (name === 'p') this.#openParagraph(this.#itemMark(), style())
    else if (name === 's') this.text(' '.repeat(Math.min(SPACES_MAX, countIn(attributes, 'c'))))
    else if (name === 'tab' || name === 'line-break') this.text(' ')
    else if (name === 'list') this.#listDepth += 1
    else if (name === 'list-item') this.#isFirstInItem = true
    else if (name === 'table') this.#tables.push({ rows: [], hasHeader: false })
    else if (name === 'table-header-rows') this.#noteHeader()
    else if (name === 'table-row') this.#tables.at(-1)?.rows.push([])
    else if (name === 'table-cell') this.#openCell(attributes)
  }

  text(piece: string): void {
    const paragraph = this.#paragraphs.at(-1)
    if (paragraph === undefined || this.#skipped > 0) return
    paragraph.text += piece
    this.#characters += piece.length
  }

  close(name: string): void {
    if (this.#skipped > 0) this.#skipped -= 1
    else if (name === 'h' || name === 'p') this.#closeParagraph()
    else if (name === 'list') this.#listDepth -= 1
    else if (name === 'table-cell') this.#closeCell()
    else if (name === 'table') this.#closeTable()
  }

  #noteStyle(attributes: Record<string, string>): void {
    if (prefixedAttribute(attributes, 'parent-style-name') !== 'Title') return
    this.#titleStyles.add(prefixedAttribute(attributes, 'name') ?? '')
  }

  #noteHeader(): void {
    const table = this.#tables.at(-1)
    if (table) table.hasHeader = true
  }

  #itemMark(): string {
    if (this.#listDepth <= 0) return ''
    const mark = `${'  '.repeat(Math.min(this.#listDepth, DEPTH_MAX) - 1)}${this.#isFirstInItem ? '- ' : '  '}`
    this.#isFirstInItem = false
    return mark
  }

  #openParagraph(mark: string, style: string): void {
    const isTitle = this.#titleStyles.has(style)
    this.#paragraphs.push({ mark: isTitle ? '# ' : mark, text: '', isTitle, cells: this.#cells.length })
  }

  #closeParagraph(): void {
    const closed = this.#paragraphs.pop()
    const text = closed?.text.replaceAll(/\s+/g, ' ').trim() ?? ''
    if (closed === undefined || text === '') return
    const around = this.#paragraphs.at(-1)
    if (around?.cells === closed.cells) {
      around.text += ` (${text})`
      return
    }
    if (closed.isTitle) this.#shownTitle ||= text
    if (closed.mark === '# ') this.#firstHeading ||= text
    this.#add(closed.mark, text)
  }

  #openCell(attributes: Record<string, string>): void {
    const colspan = countIn(attributes, 'number-columns-spanned')
    this.#cells.push({ texts: [], colspan, rowspan: countIn(attributes, 'number-rows-spanned') })
  }

  #closeCell(): void {
    const { texts, ...spans } = this.#cells.pop() ?? { texts: [], colspan: 1, rowspan: 1 }
    const row = this.#tables.at(-1)?.rows.at(-1)
    if (row && row.length < COLUMNS_MAX) row.push({ text: texts.join(' '), ...spans })
  }

  #closeTable(): void {
    const table = this.#tables.pop()
    if (table) this.#add('', markdownTable(spreadCells(table.rows), table.hasHeader))
  }

  /** Adds a block to the open cell, or else to the text. List items have no blank line between them. */
  #add(mark: string, text: string): void {
    if (text === '') return
    const cell = this.#cells.at(-1)
    if (cell) cell.texts.push(text)
    else this.#blocks.push(`${mark.trimStart() === '- ' && this.#listDepth > 0 ? '' : '\n'}${mark}${text}`)
  }
}

function headingMark(attributes: Record<string, string>): string {
  return `${'#'.repeat(Math.min(6, countIn(attributes, 'outline-level')))} `
}

/** An integer of at least 1. */
function countIn(attributes: Record<string, string>, name: string): number {
  return Math.max(1, Math.trunc(Number(prefixedAttribute(attributes, name))) || 1)
}
