import type { DomNode, FormatCallback } from 'html-to-text'
import { markdownTable } from './markdown-table.ts'
import { spreadCells } from './spread-cells.ts'

/** A cell with more text, or with one of these elements, is page layout rather than data. */
const CELL_CHARACTERS_MAX = 400
const PARTS_OF_PAGES = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'hr', 'blockquote'])
const ROW_GROUPS = new Set(['thead', 'tbody', 'tfoot', 'center'])

/** A data table as a Markdown table; a layout table as its text. */
export const formatTable: FormatCallback = (element, walk, builder) => {
  if (!isData(element)) {
    builder.openBlock({ leadingLineBreaks: 1 })
    walk(element.children, builder)
    builder.closeBlock({ trailingLineBreaks: 1 })
    return
  }
  const rows = rowsOf(element)
  for (const caption of (element.children ?? []).filter(({ name }) => name === 'caption')) {
    builder.openBlock({ leadingLineBreaks: 2 })
    walk(caption.children, builder)
    builder.closeBlock({ trailingLineBreaks: 2 })
  }
  builder.openTable()
  for (const row of rows) {
    builder.openTableRow()
    for (const cell of cellsOf(row)) {
      builder.openTableCell()
      walk(cell.children, builder)
      builder.closeTableCell({ colspan: spanOf(cell, 'colspan'), rowspan: spanOf(cell, 'rowspan') })
    }
    builder.closeTableRow()
  }
  const [first] = rows
  const hasHeader = first !== undefined && cellsOf(first).every(({ name }) => name === 'th')
  builder.closeTable({
    // Aligned columns would pad each cell to the longest.
    tableToString: (printed) => markdownTable(spreadCells(printed), hasHeader),
    leadingLineBreaks: 2,
    trailingLineBreaks: 2,
  })
}

/** Whether it is a data table: it has header cells or only short cells. */
function isData(table: DomNode): boolean {
  if (/^(?:presentation|none)$/i.test(String(table.attribs?.['role'] ?? ''))) return false
  const rows = rowsOf(table)
  if (rows.length < 2 || !rows.some((row) => cellsOf(row).length > 1)) return false
  const hasHeader = rows.some((row) => cellsOf(row).some(({ name }) => name === 'th'))
  return rows.every((row) => cellsOf(row).every((cell) => isEntry(cell, hasHeader)))
}

function isEntry(cell: DomNode, hasHeader: boolean): boolean {
  let characters = 0
  const stack = [...(cell.children ?? [])]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === 'text') characters += node.data?.trim().length ?? 0
    if (node.name === 'table') return false
    if (!hasHeader && (characters > CELL_CHARACTERS_MAX || PARTS_OF_PAGES.has(node.name ?? ''))) return false
    for (const child of node.children ?? []) stack.push(child)
  }
  return true
}

/** The table's rows, without those of nested tables. */
function rowsOf(table: DomNode): DomNode[] {
  return (table.children ?? []).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return ROW_GROUPS.has(child.name ?? '') ? (child.children ?? []).filter(({ name }) => name === 'tr') : []
  })
}

const cellsOf = (row: DomNode): DomNode[] =>
  (row.children ?? []).filter(({ name }) => name === 'td' || name === 'th')

const spanOf = ({ attribs }: DomNode, name: 'colspan' | 'rowspan'): number =>
  Math.max(1, Number.parseInt(String(attribs?.[name] ?? ''), 10) || 1)
