import { crc32, constants, deflateRawSync } from 'node:zlib'

const MIB = 1024 * 1024

/** A one-page PDF with these lines of text (ISO 32000-1, 7.5). Latin-1 only. */
export function pdfOf(lines: readonly string[]): Uint8Array {
  const escaped = lines.map((line) => `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj T*`)
  return pdfWithContent(Buffer.from(`BT /F1 11 Tf 14 TL 50 780 Td ${escaped.join(' ')} ET`, 'latin1'), '')
}

/** A PDF whose page content inflates to `mib` MiB of spaces: an unbounded parser runs out of memory. */
export function pdfBomb(mib: number): Uint8Array {
  // zlib's header (RFC 1950); readers do not check its checksum.
  const stream = Buffer.concat([Buffer.from([0x78, 0x9c]), deflatedSpaces(mib)])
  return pdfWithContent(stream, '/Filter /FlateDecode ')
}

function pdfWithContent(stream: Buffer, filter: string): Uint8Array {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    null,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  for (const [index, object] of objects.entries()) {
    offsets.push(parts.reduce((sum, part) => sum + part.length, 0))
    parts.push(Buffer.from(`${index + 1} 0 obj\n`))
    if (object === null) {
      parts.push(
        Buffer.from(`<< ${filter}/Length ${stream.length} >>\nstream\n`),
        stream,
        Buffer.from('\nendstream'),
      )
    } else parts.push(Buffer.from(object))
    parts.push(Buffer.from('\nendobj\n'))
  }
  const start = parts.reduce((sum, part) => sum + part.length, 0)
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
  parts.push(Buffer.from(`xref\n0 6\n0000000000 65535 f \n${rows}${trailer}`))
  return Buffer.concat(parts)
}

/** A Word document (.docx, ECMA-376) of plain paragraphs. */
export function wordOf(paragraphs: readonly string[]): Uint8Array {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${escapeXml(text)}</w:t></w:r></w:p>`).join('')
  return officeFileOf('word/document.xml', { 'word/document.xml': `${WORD_START}${body}${WORD_END}` })
}

/** A Word document whose text part inflates to `mib` MiB. */
export const wordBomb = (mib: number) => officeBomb('word/document.xml', {}, { mib })

/** A sheet's name and rows; a date appears as its day. */
export interface SheetContent {
  name: string
  rows: readonly (readonly (string | number | Date)[])[]
}

/** An Excel workbook (.xlsx, ECMA-376), reduced to what a text reader needs. Uses shared strings, as Excel does. */
export function workbookOf(sheets: readonly SheetContent[]): Uint8Array {
  const strings: string[] = []
  const cell = (value: string | number | Date) => {
    if (typeof value === 'number') return `<c><v>${value}</v></c>`
    // Days since the end of 1899; style 1 shows a day.
    if (value instanceof Date) return `<c s="1"><v>${value.getTime() / 86_400_000 + 25_569}</v></c>`
    return `<c t="s"><v>${strings.push(value) - 1}</v></c>`
  }
  const parts: Record<string, string> = {}
  for (const [index, { rows }] of sheets.entries()) {
    const body = rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('')
    parts[`xl/worksheets/sheet${index + 1}.xml`] =
      `<worksheet ${SHEET}><sheetData>${body}</sheetData></worksheet>`
  }
  const items = strings.map((text) => `<si><t>${escapeXml(text)}</t></si>`).join('')
  const links = sheets.map(
    ({ name }, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  return officeFileOf('xl/workbook.xml', {
    'xl/workbook.xml': `<workbook ${SHEET}><sheets>${links.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationshipsTo([
      ...sheets.map((_, index) => `worksheets/sheet${index + 1}.xml`),
      'sharedStrings.xml',
      'styles.xml',
    ]),
    'xl/styles.xml': `<styleSheet ${SHEET}>${STYLES}</styleSheet>`,
    'xl/sharedStrings.xml': `<sst ${SHEET}>${items}</sst>`,
    ...parts,
  })
}

/** An Excel workbook whose one sheet inflates to `opening` and `mib` MiB of spaces. */
export function workbookBomb(mib: number, opening = ''): Uint8Array {
  const parts = {
    'xl/workbook.xml': `<workbook ${SHEET}><sheets><sheet name="Bomb" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationshipsTo(['worksheets/sheet1.xml']),
  }
  return officeBomb('xl/workbook.xml', parts, { mib, opening, part: 'xl/worksheets/sheet1.xml' })
}

export interface SlideContent {
  title: string
  lines: readonly string[]
  /** The speaker notes; '' for none. */
  notes: string
}

/** A PowerPoint presentation (.pptx, ECMA-376), reduced to what a text reader needs. */
export function presentationOf(slides: readonly SlideContent[]): Uint8Array {
  const parts: Record<string, string> = {}
  for (const [index, { title, lines, notes }] of slides.entries()) {
    const number = index + 1
    const body = shapeOf('title', [title]) + shapeOf('body', lines)
    parts[`ppt/slides/slide${number}.xml`] =
      `<p:sld ${SLIDE}><p:cSld><p:spTree>${body}</p:spTree></p:cSld></p:sld>`
    if (notes === '') continue
    const said = shapeOf('sldImg', []) + shapeOf('body', [notes])
    parts[`ppt/slides/_rels/slide${number}.xml.rels`] = relationshipsTo([
      `../notesSlides/notesSlide${number}.xml`,
    ])
    parts[`ppt/notesSlides/notesSlide${number}.xml`] =
      `<p:notes ${SLIDE}><p:cSld><p:spTree>${said}</p:spTree></p:cSld></p:notes>`
  }
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`)
  return officeFileOf('ppt/presentation.xml', {
    'ppt/presentation.xml': `<p:presentation ${SLIDE}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relationshipsTo(
      slides.map((_, index) => `slides/slide${index + 1}.xml`),
    ),
    ...parts,
  })
}

function shapeOf(placeholder: string, lines: readonly string[]): string {
  const paragraphs = lines.map((line) => `<a:p><a:r><a:t>${escapeXml(line)}</a:t></a:r></a:p>`).join('')
  return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs}</p:txBody></p:sp>`
}

/** An Office file (ECMA-376 part 2) of these XML parts; `main` is the main one. */
export function officeFileOf(main: string, parts: Readonly<Record<string, string>>): Uint8Array {
  return zipOf(officeEntries(main, parts))
}

/** The relationships of a part to `rId1`, `rId2` and so on; the target's name determines the type. */
export function relationshipsTo(targets: readonly string[]): string {
  const links = targets.map((target, index) => {
    const file = target.slice(target.lastIndexOf('/') + 1).replace(/\d*\.xml$/, '')
    const kind = { sheet: 'worksheet', document: 'officeDocument', data: 'diagramData' }[file] ?? file
    return `<Relationship Id="rId${index + 1}" Type="${RELATIONSHIP}/${kind}" Target="${target}"/>`
  })
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${links.join('')}</Relationships>`
}

function officeEntries(main: string, parts: Readonly<Record<string, string>>): ZipEntry[] {
  const link = `<Relationship Id="rId1" Type="${RELATIONSHIP}/officeDocument" Target="${main}"/>`
  const xml = {
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels': relationshipsTo([]).replace('</', `${link}</`),
    ...parts,
  }
  return Object.entries(xml).map(([name, text]) => {
    const data = Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${text}`)
    return { name, data, compressed: null, size: data.length }
  })
}

function officeBomb(
  main: string,
  parts: Readonly<Record<string, string>>,
  { mib, opening = '', part = main }: { mib: number; opening?: string; part?: string },
): Uint8Array {
  const start = deflateRawSync(Buffer.from(opening), { finishFlush: constants.Z_FULL_FLUSH })
  const compressed = Buffer.concat([start, deflatedSpaces(mib)])
  const size = Buffer.byteLength(opening) + mib * MIB
  return zipOf([...officeEntries(main, parts), { name: part, data: null, compressed, size }])
}

/** Bytes that claim to be a PDF and are not. */
export function brokenPdf(): Uint8Array {
  return Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 9 0 R >>\nendobj\ntrailer << /Root 1 0 R')
}

// Repeats one compressed block: 16 MiB take 16 KiB and no time to make.
function deflatedSpaces(mib: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(16 * MIB, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const last = deflateRawSync(Buffer.alloc(0))
  return Buffer.concat([...Array.from({ length: Math.ceil(mib / 16) }, () => block), last])
}

interface ZipEntry {
  name: string
  data: Buffer | null
  /** Compressed bytes, for entries too large to hold uncompressed. */
  compressed: Buffer | null
  size: number
}

/** A ZIP archive (PKWARE APPNOTE 6.3.10, 4.3.7 and 4.3.12): local headers, central directory, end record. */
function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const content = entry.compressed ?? entry.data ?? Buffer.alloc(0)
    const name = Buffer.from(entry.name)
    const header = Buffer.alloc(26)
    header.writeUInt16LE(20, 0)
    header.writeUInt16LE(entry.compressed ? 8 : 0, 4)
    header.writeUInt32LE(entry.data ? crc32(entry.data) : 0, 10)
    header.writeUInt32LE(content.length, 14)
    header.writeUInt32LE(entry.size, 18)
    header.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), header, name, content])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), header, tail, name)
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const FORMATS = 'http://schemas.openxmlformats.org'
const RELATIONSHIP = `${FORMATS}/officeDocument/2006/relationships`
const SHEET = `xmlns="${FORMATS}/spreadsheetml/2006/main" xmlns:r="${RELATIONSHIP}"`
const SLIDE = `xmlns:a="${FORMATS}/drawingml/2006/main" xmlns:p="${FORMATS}/presentationml/2006/main" xmlns:r="${RELATIONSHIP}"`
const STYLES =
  '<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
const WORD_START = `<w:document xmlns:w="${FORMATS}/wordprocessingml/2006/main"><w:body>`
const WORD_END = '</w:body></w:document>'

const OFFICE_TYPE = 'application/vnd.openxmlformats-officedocument'
const CONTENT_TYPES = `<Types xmlns="${FORMATS}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="${OFFICE_TYPE}.wordprocessingml.document.main+xml"/><Override PartName="/xl/workbook.xml" ContentType="${OFFICE_TYPE}.spreadsheetml.sheet.main+xml"/><Override PartName="/ppt/presentation.xml" ContentType="${OFFICE_TYPE}.presentationml.presentation.main+xml"/></Types>`
