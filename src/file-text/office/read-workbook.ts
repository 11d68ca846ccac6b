import { formatNumber, numberStyleOf, type NumberStyle } from './number-format.ts'
import {
  openOfficePackage,
  prefixedAttribute,
  type OfficePackage,
  type PartReader,
} from './office-package.ts'
import type { FileText } from '../file-text.ts'
import { rowLines, type SheetRow } from '../row-lines.ts'
import { createSheetReader, type Row } from './sheet-reader.ts'

interface Sheet {
  name: string
  relationshipId: string | null
  isHidden: boolean
}

interface Workbook {
  sheets: Sheet[]
  startsIn1904: boolean
}

/** A sheet's rows before the shared strings are known. */
interface RawSheet {
  name: string
  rows: Row[]
}

/** The text of an Excel workbook: each visible sheet under its name, one line per row. @throws if unreadable */
export async function readWorkbook(bytes: Uint8Array, maxTextBytes: number): Promise<FileText> {
  const office = await openOfficePackage(bytes)
  const main = await office.mainPart()
  const relationships = await office.relationshipsOf(main)
  const partOf = (kind: string) => relationships.find((one) => one.kind === kind)?.target ?? ''
  const { sheets, startsIn1904 } = await readSheetList(office, main)
  const styles = await readStyles(office, partOf('styles'))
  const formatted = (value: number, style: number) =>
    formatNumber(value, styles[style] ?? 'plain', startsIn1904)

  const raw: RawSheet[] = []
  let size = 0
  let stopped = false
  for (const { name, relationshipId, isHidden } of sheets) {
    const part = relationships.find(({ id, kind }) => id === relationshipId && kind === 'worksheet')?.target
    if (isHidden || part === undefined || stopped) continue
    const reader = createSheetReader({ formatted, maxCharacters: maxTextBytes - size })
    await office.read(part, reader)
    raw.push({ name, rows: reader.rows })
    size += reader.size()
    stopped = !reader.isWhole()
  }
  // After the sheets, so that only the strings in use are in memory.
  const strings = await readSharedStrings(office, partOf('sharedStrings'), raw)
  const rendered = render(raw, strings, maxTextBytes)
  return { text: rendered.text, stopped: stopped || rendered.stopped }
}

async function readSheetList(office: OfficePackage, part: string): Promise<Workbook> {
  const workbook: Workbook = { sheets: [], startsIn1904: false }
  let isWorkbook = false
  await office.read(part, {
    open(name, attributes) {
      if (name === 'workbook') isWorkbook = true
      if (name === 'workbookPr')
        workbook.startsIn1904 = ['1', 'true', 'on'].includes(attributes['date1904'] ?? '')
      if (name !== 'sheet') return
      workbook.sheets.push({
        name: attributes['name'] ?? '',
        relationshipId: prefixedAttribute(attributes, 'id'),
        isHidden: (attributes['state'] ?? 'visible') !== 'visible',
      })
    },
  })
  if (!isWorkbook) throw new Error('it is not an Excel workbook, or it has the binary format')
  return workbook
}

/** The number style of each cell style. */
async function readStyles(office: OfficePackage, part: string): Promise<NumberStyle[]> {
  const codes = new Map<number, string>()
  const formatIds: number[] = []
  let inCellFormats = false
  await office.read(part, {
    open(name, { numFmtId, formatCode }) {
      if (name === 'cellXfs') inCellFormats = true
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '')
      if (name === 'xf' && inCellFormats) formatIds.push(Number(numFmtId ?? 0))
    },
    close(name) {
      if (name === 'cellXfs') inCellFormats = false
    },
  })
  return formatIds.map((id) => numberStyleOf(id, codes.get(id) ?? null))
}

/** The strings that these sheets refer to, by index in the workbook's list. */
async function readSharedStrings(
  office: OfficePackage,
  part: string,
  sheets: readonly RawSheet[],
): Promise<Map<number, string>> {
  const wanted = new Set<number>()
  for (const { rows } of sheets) {
    for (const { value } of rows.flat()) if (typeof value === 'number') wanted.add(value)
  }
  const strings = new Map<number, string>()
  if (wanted.size > 0) await office.read(part, sharedStringReader(wanted, strings))
  return strings
}

function sharedStringReader(wanted: ReadonlySet<number>, strings: Map<number, string>): PartReader {
  let index = -1
  let text = ''
  let inText = false
  let inReadingAid = false
  return {
    open(name) {
      if (name === 'si') {
        index += 1
        text = ''
      } else if (name === 'rPh') inReadingAid = true
      else if (name === 't') inText = wanted.has(index) && !inReadingAid
    },
    text(piece) {
      if (inText) text += piece
    },
    close(name) {
      if (name === 't') inText = false
      else if (name === 'rPh') inReadingAid = false
      else if (name === 'si' && wanted.has(index)) strings.set(index, text)
    },
    isDone: () => strings.size === wanted.size,
  }
}

function render(
  sheets: readonly RawSheet[],
  strings: ReadonlyMap<number, string>,
  maxCharacters: number,
): FileText {
  const parts: string[] = []
  let length = 0
  for (const { name, rows } of sheets) {
    const heading = `# ${oneLine(name)}\n`
    let isEmpty = true
    for (const line of rowLines(rows.values().map((row) => textsOf(row, strings)))) {
      if (length > maxCharacters) return { text: parts.join('\n'), stopped: true }
      if (isEmpty) parts.push(parts.length === 0 ? heading : `\n${heading}`)
      isEmpty = false
      parts.push(line)
      length += line.length + 1
    }
  }
  return { text: parts.join('\n'), stopped: false }
}

function textsOf(row: Row, strings: ReadonlyMap<number, string>): SheetRow {
  return row
    .map(({ column, value }) => ({
      column,
      text: oneLine(typeof value === 'number' ? (strings.get(value) ?? '') : value),
    }))
    .filter(({ text }) => text !== '')
}

/** Collapses white space. `_x000A_` is an escaped line end (ECMA-376 part 1, 22.9.2.19). */
function oneLine(text: string): string {
  const decoded = text.replaceAll(/_x([0-9a-f]{4})_/gi, (_, digits: string) =>
    String.fromCharCode(Math.max(0x20, Number.parseInt(digits, 16))),
  )
  return decoded.replaceAll(/\s+/g, ' ').trim()
}
