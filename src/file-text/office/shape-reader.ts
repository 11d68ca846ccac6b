import { type ColumnCell, rowLines, type SheetRow } from '../row-lines.ts'
import type { PartReader } from './office-package.ts'

export interface Shape {
  /** The layout's name of the box: `title`, `body`, `sldNum`; null: not part of the layout. */
  placeholder: string | null
  /** One line per paragraph; in a table, one per row, with the names of its columns (`rowLines`). */
  lines: string[]
}

export interface ShapeReader extends PartReader {
  /** What has been read. */
  shapes(): Shape[]
  /** Characters of text so far. */
  size(): number
}

// Elements that stand alone on a slide; groups only contain these.
const BOXES = new Set(['sp', 'graphicFrame', 'pic', 'cxnSp'])

// Points of an outline have the same name but no id.
const isDiagramPoint = (name: string, attributes: Record<string, string>) =>
  name === 'pt' && attributes['modelId'] !== undefined

/** Extracts the text from the XML of a slide, its notes or a diagram (ECMA-376 part 1, 19.3 and 21.1). */
export function createShapeReader(maxCharacters: number): ShapeReader {
  const shapes: Shape[] = []
  let shape: Shape = { placeholder: null, lines: [] }
  let paragraph: string | null = null
  let cell: string[] | null = null
  let column = 0
  let row: ColumnCell[] = []
  let rows: SheetRow[] = []
  let inText = false
  // Depth inside duplicates of shown content: fallback drawings of a shape, and slide numbers.
  let skipped = 0
  let size = 0

  function endParagraph(): void {
    const text = paragraph?.trim() ?? ''
    paragraph = null
    if (text !== '') (cell ?? shape.lines).push(text)
  }

  function endCell(): void {
    const text = cell?.join(' ').replaceAll(/\s+/g, ' ') ?? ''
    cell = null
    if (text !== '') row.push({ column, text })
    column += 1
  }

  function endRow(): void {
    if (row.length > 0) rows.push(row)
    row = []
    column = 0
  }

  function endTable(): void {
    for (const line of rowLines(rows)) {
      if (size > maxCharacters) break
      shape.lines.push(line)
      size += line.length
    }
    rows = []
  }

  return {
    shapes() {
      endTable()
      return shapes
    },
    size: () => size,
    open(name, attributes) {
      const isSkipped = name === 'Fallback' || (name === 'fld' && attributes['type'] === 'slidenum')
      if (skipped > 0 || isSkipped) skipped += 1
      else if (BOXES.has(name) || isDiagramPoint(name, attributes)) {
        shape = { placeholder: null, lines: [] }
        shapes.push(shape)
      } else if (name === 'ph') shape.placeholder = attributes['type'] ?? 'obj'
      else if (name === 'p') paragraph = ''
      else if (name === 't') inText = paragraph !== null
      else if (name === 'br' && paragraph !== null) paragraph += '\n'
      else if (name === 'tc') cell = []
    },
    text(piece) {
      if (!inText || skipped > 0) return
      paragraph = (paragraph ?? '') + piece
      size += piece.length
    },
    close(name) {
      if (skipped > 0) skipped -= 1
      else if (name === 't') inText = false
      else if (name === 'p') endParagraph()
      else if (name === 'tc') endCell()
      else if (name === 'tr') endRow()
      else if (name === 'tbl') endTable()
    },
    isDone: () => size > maxCharacters,
  }
}
