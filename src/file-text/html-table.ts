import type { DomNode, FormatCallback } from 'html-to-text'
import { markdownTable } from './markdown-table.ts'

/** A cell with more text than this, or with one of these in it, is a part of the page and no entry of a table. */
const CELL_CHARACTERS_MAX = 400
const PARTS_OF_PAGES = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'hr', 'blockquote'])
const ROW_GROUPS = new Set(['thead', 'tbody', 'tfoot', 'center'])

/** A table of data as one of Markdown; one that only lays the page out as the text in it. */
export const formatTable: FormatCallback = (element, walk, builder) => {
  if (!isData(element)) {
    builder.openBlock({ leadingLineBreaks: 1 })
    walk(element.children, builder)
    builder.closeBlock({ trailingLineBreaks: 1 })
    return
  }
  const rows = rowsOf(element)
  builder.openTable()
  for (const row of rows) {
    builder.openTableRow()
    for (const cell of cellsOf(row)) {
      builder.openTableCell()
      walk(cell.children, builder)
      builder.closeTableCell()
    }
    builder.closeTableRow()
  }
  const [first] = rows
  const hasHeader = first !== undefined && cellsOf(first).every(({ name }) => name === 'th')
  builder.closeTable({
    // Printing cells in columns would pad each to the longest.
    tableToString: (printed) =>
      markdownTable(
        printed.map((row) => row.map(({ text }) => text)),
        hasHeader,
      ),
    leadingLineBreaks: 2,
    trailingLineBreaks: 2,
  })
}

/** Whether a table is one of rows and columns: it says so by its header cells, or by nothing but short cells. */
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

/** The rows of a table, those of tables inside it aside. */
function rowsOf(table: DomNode): DomNode[] {
  return (table.children ?? []).flatMap((child) => {
    if (child.name === 'tr') return [child]
    return ROW_GROUPS.has(child.name ?? '') ? (child.children ?? []).filter(({ name }) => name === 'tr') : []
  })
}

const cellsOf = (row: DomNode): DomNode[] =>
  (row.children ?? []).filter(({ name }) => name === 'td' || name === 'th')
