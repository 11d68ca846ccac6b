import { crc32, constants, deflateRawSync } from 'node:zlib'

const MIB = 1024 * 1024

/** A one-page PDF with one line of text a line given (ISO 32000-1, 7.5). Latin-1 only. */
export function pdfOf(lines: readonly string[]): Uint8Array {
  const escaped = lines.map((line) => `(${line.replaceAll(/[\\()]/g, '\\$&')}) Tj T*`)
  return pdfWithContent(Buffer.from(`BT /F1 11 Tf 14 TL 50 780 Td ${escaped.join(' ')} ET`, 'latin1'), '')
}

/** A PDF whose page's content is `mib` MiB of spaces once it is inflated: a parser without bounds runs out of memory. */
export function pdfBomb(mib: number): Uint8Array {
  // zlib's header (RFC 1950); readers do not insist on its checksum.
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
  const xml = Buffer.from(`${WORD_START}${body}${WORD_END}`)
  return zipOf([...WORD_FRAME, { name: 'word/document.xml', data: xml, compressed: null, size: xml.length }])
}

/** A Word document whose text part is `mib` MiB once it is inflated. */
export function wordBomb(mib: number): Uint8Array {
  const name = 'word/document.xml'
  return zipOf([...WORD_FRAME, { name, data: null, compressed: deflatedSpaces(mib), size: mib * MIB }])
}

/** Bytes that claim to be a PDF and are not. */
export function brokenPdf(): Uint8Array {
  return Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 9 0 R >>\nendobj\ntrailer << /Root 1 0 R')
}

// The same compressed block again and again: 16 MiB of it take 16 KiB and no time to make.
function deflatedSpaces(mib: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(16 * MIB, ' '), { finishFlush: constants.Z_FULL_FLUSH })
  const last = deflateRawSync(Buffer.alloc(0))
  return Buffer.concat([...Array.from({ length: Math.ceil(mib / 16) }, () => block), last])
}

interface ZipEntry {
  name: string
  data: Buffer | null
  /** Deflated bytes, for entries whose plain bytes nobody wants to hold. */
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
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const WORD_START =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
const WORD_END = '</w:body></w:document>'

const WORD_FRAME: ZipEntry[] = [
  entryOf(
    '[Content_Types].xml',
    '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
  ),
  entryOf(
    '_rels/.rels',
    '<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
  ),
]

function entryOf(name: string, text: string): ZipEntry {
  const data = Buffer.from(text)
  return { name, data, compressed: null, size: data.length }
}
