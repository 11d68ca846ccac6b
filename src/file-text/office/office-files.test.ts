import { afterAll, describe, expect, it } from 'vitest'
import {
  officeFileOf,
  presentationOf,
  relationshipsTo,
  workbookBomb,
  workbookOf,
} from '../../../emulators/google/file-formats.ts'
import { ExtractionError } from '../extraction-error.ts'
import { createTextExtractor, type ExtractInput } from '../text-extractor.ts'
import type { TextFormat } from '../text-format.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

function read(format: TextFormat, bytes: Uint8Array, over: Partial<ExtractInput> = {}) {
  return extractor.extract({
    format,
    bytes,
    charset: null,
    path: '',
    maxTextBytes: 100_000,
    timeoutMs: 200_000,
    memoryMb: 256,
    signal: new AbortController().signal,
    ...over,
  })
}

/** Why a file could not be read, as its owner sees it. */
async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((thrown: unknown) => thrown)
  return error instanceof ExtractionError ? `${error.reason}: ${error.message}` : JSON.stringify(error)
}

const SHEETS =
  '<sheet name="One" sheetId="1" r:id="rId1"/><sheet name="Two" sheetId="2" state="hidden" r:id="rId2"/><sheet name="Three" sheetId="3" state="veryHidden" r:id="rId3"/>'

/** A workbook with the given first sheet and two hidden ones. */
function workbookWith(sheet: string, more: { strings?: string; styles?: string; workbook?: string } = {}) {
  const hidden = '<worksheet><sheetData><row><c t="str"><v>hidden</v></c></row></sheetData></worksheet>'
  return officeFileOf('xl/workbook.xml', {
    'xl/workbook.xml': `<workbook>${more.workbook ?? ''}<sheets>${SHEETS}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationshipsTo([
      'worksheets/sheet1.xml',
      'worksheets/sheet2.xml',
      '/xl/worksheets/sheet3.xml',
      'sharedStrings.xml',
      'styles.xml',
    ]),
    'xl/worksheets/sheet1.xml': `<worksheet>${sheet}</worksheet>`,
    'xl/worksheets/sheet2.xml': hidden,
    'xl/worksheets/sheet3.xml': hidden,
    'xl/sharedStrings.xml': `<sst>${more.strings ?? ''}</sst>`,
    'xl/styles.xml': `<styleSheet>${more.styles ?? ''}</styleSheet>`,
  })
}

const rowsOf = (cells: string) => `<sheetData><row>${cells}</row></sheetData>`

describe('the text of an Excel workbook', () => {
  it('has every sheet under its name, one line per row with the column names, without empty rows and cells', async () => {
    const bytes = workbookOf([
      {
        name: 'Budget & plan',
        rows: [['Item', 'Cost', 'Due'], [], ['', ''], ['Desks', 1234.5, new Date('2025-03-01')]],
      },
      { name: 'Empty', rows: [] },
      { name: 'People', rows: [['Ana\nLima', ' Köln  ']] },
    ])
    expect(await read('excel', bytes)).toEqual({
      title: '',
      text: '# Budget & plan\n\n- Item: Desks; Cost: 1234.5; Due: 2025-03-01\n\n# People\n\nAna Lima | Köln',
      truncated: false,
    })
  })

  it('names the column of each cell, by its reference', async () => {
    const row = (number: number, cells: Record<string, string>): string =>
      `<row r="${number}">${Object.entries(cells)
        .map(([column, text]) => `<c r="${column}${number}" t="str"><v>${text}</v></c>`)
        .join('')}</row>`
    const rows = [
      row(1, { B: 'Week', C: 'Primary', D: 'Secondary', AB: 'Remark' }),
      row(2, { B: '47', D: 'Femi' }),
      row(5, { B: '48', C: 'Yan', AB: 'swapped' }),
    ]
    const { text } = await read('excel', workbookWith(`<sheetData>${rows.join('')}</sheetData>`))
    expect(text).toBe('# One\n\n- Week: 47; Secondary: Femi\n- Week: 48; Primary: Yan; Remark: swapped')
  })

  it('has formula results but no formulas, hidden sheets or phonetic guides', async () => {
    const cells =
      '<c t="s"><f>A2</f><v>1</v></c><c><f>1+1</f><v>2</v></c><c t="str"><f>"x"&amp;"y"</f><v>xy</v></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>'
    const strings =
      '<si><t>unused</t></si><si><r><t>rich </t></r><r><t>text_x000D_\nand</t></r><rPh><t>guide</t></rPh><t> more</t></si>'
    const { text } = await read('excel', workbookWith(rowsOf(cells), { strings }))
    expect(text).toBe('# One\n\nrich text and more | 2 | xy | TRUE | #REF! | inline')
  })

  it('shows readable dates, times and percentages, and numbers without binary noise', async () => {
    const codes = ['yyyy\\-mm\\-dd hh:mm', '[h]:mm', '0.0%', '#,##0.00 "days"', '[$-409]mmm', '0;"y"']
    const formats = codes.map(
      (code, index) => `<numFmt numFmtId="${200 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
    )
    const ids = [0, 14, 20, 9, 200, 201, 202, 203, 204, 205]
    const styles = `<numFmts>${formats.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${ids.map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs>`
    const values = [0.1 + 0.2, 45717, 0.6041666667, 0.125, 45717.604224537, 1.5, 0.5, 12, 59, 7]
    const cells = values.map((value, index) => `<c s="${index}"><v>${value}</v></c>`).join('')
    const shown = await read('excel', workbookWith(rowsOf(cells), { styles }))
    expect(shown.text).toBe(
      '# One\n\n0.3 | 2025-03-01 | 14:30 | 12.5% | 2025-03-01 14:30:05 | 36:00 | 50% | 12 | 1900-02-28 | 7',
    )
    const mac = workbookWith(rowsOf('<c s="1"><v>0</v></c>'), {
      styles,
      workbook: '<workbookPr date1904="1"/>',
    })
    expect((await read('excel', mac)).text).toBe('# One\n\n1904-01-01')
  })

  it('does not depend on the prefixes and encoding of the XML', async () => {
    const parts = {
      'xl/workbook.xml':
        '<x:workbook xmlns:q="r"><x:sheets><x:sheet name="One" q:id="rId1"/></x:sheets></x:workbook>',
      'xl/_rels/workbook.xml.rels': relationshipsTo(['worksheets/sheet1.xml']),
      'XL/Worksheets/Sheet1.xml':
        '<x:worksheet><x:sheetData><x:row><x:c t="str"><x:v>caf&#233; &lt;b&gt;</x:v></x:c></x:row></x:sheetData></x:worksheet>',
    }
    expect((await read('excel', officeFileOf('xl/workbook.xml', parts))).text).toBe('# One\n\ncafé <b>')
  })

  it('ends when the text is full, even if the rest is broken', async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => [`row ${index}`, index])
    const whole = workbookOf([{ name: 'Long', rows }])
    const cut = await read('excel', whole, { maxTextBytes: 500 })
    expect(cut.truncated).toBe(true)
    expect(cut.text.length).toBe(500)
    expect(cut.text).toMatch(/^# Long\n\nrow 0 \| 0\nrow 1 \| 1\n/)
    const full = '<sheetData><row><c t="str"><v>long enough</v></c></row>'
    const endless = await read('excel', workbookBomb(2048, full), { maxTextBytes: 5 })
    expect(endless).toEqual({ title: '', text: '# Bom', truncated: true })
  })

  it('has only real content if a sheet claims the last possible cell or a million empty rows', async () => {
    const far =
      '<dimension ref="A1:XFD1048576"/><sheetData><row r="1048576"><c r="XFD1048576"><v>5</v></c></row></sheetData>'
    expect((await read('excel', workbookWith(far))).text).toBe('# One\n\n5')
    const empty = `<sheetData>${'<row/>'.repeat(1_000_000)}<row><c><v>6</v></c></row></sheetData>`
    expect((await read('excel', workbookWith(empty))).text).toBe('# One\n\n6')
  })
})

const slide = (shapes: string) => `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`
const shape = (type: string, text: string) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:spPr><a:custGeom><a:pt x="0"/></a:custGeom></p:spPr><p:txBody>${text}</p:txBody></p:sp>`
const paragraph = (text: string) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`

describe('the text of a PowerPoint presentation', () => {
  it('has slides in order with title, text and notes', async () => {
    const bytes = presentationOf([
      { title: 'Office move', lines: ['We move in May.', 'Boxes & tape'], notes: 'Thank Dana.' },
      { title: '', lines: [], notes: '' },
      { title: 'Costs', lines: [], notes: '' },
    ])
    expect(await read('powerpoint', bytes)).toEqual({
      title: '',
      text: '# Slide 1: Office move\n\nWe move in May.\nBoxes & tape\n\nNotes: Thank Dana.\n\n# Slide 3: Costs',
      truncated: false,
    })
  })

  it("follows the presentation's order, not the file names", async () => {
    const parts = {
      'ppt/presentation.xml':
        '<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relationshipsTo(['slides/slide1.xml', 'slides/slide2.xml']),
      'ppt/slides/slide1.xml': slide(shape('body', paragraph('second'))),
      'ppt/slides/slide2.xml': slide(shape('body', paragraph('first'))),
    }
    const { text } = await read('powerpoint', officeFileOf('ppt/presentation.xml', parts))
    expect(text).toBe('# Slide 1\n\nfirst\n\n# Slide 2\n\nsecond')
  })

  it('has tables whose rows name their columns, and diagrams, but no page numbers, and fallback drawings only once', async () => {
    const cell = (text: string) => `<a:tc><a:txBody>${paragraph(text)}</a:txBody></a:tc>`
    const table = `<p:graphicFrame><a:tbl><a:tr>${cell('Region')}${cell('Contact')}${cell('Sales')}</a:tr><a:tr>${cell('North')}${cell('')}${cell('12')}</a:tr></a:tbl></p:graphicFrame>`
    const twice = `<mc:AlternateContent><mc:Choice>${shape('body', '<a:p><a:r><a:t>new</a:t></a:r><a:br/><a:fld type="slidenum"><a:t>7</a:t></a:fld><a:r><a:t>line</a:t></a:r></a:p>')}</mc:Choice><mc:Fallback>${shape('body', paragraph('old'))}</mc:Fallback></mc:AlternateContent>`
    const furniture = shape('sldNum', paragraph('1')) + shape('ftr', paragraph('Confidential'))
    const picture = '<p:pic><p:nvPicPr><p:nvPr><p:ph type="pic"/></p:nvPr></p:nvPicPr></p:pic>'
    const parts = {
      'ppt/presentation.xml':
        '<p:presentation><p:sldIdLst><p:sldId r:id="rId1"/></p:sldIdLst></p:presentation>',
      'ppt/_rels/presentation.xml.rels': relationshipsTo(['slides/slide1.xml']),
      'ppt/slides/slide1.xml': slide(
        table + shape('ctrTitle', paragraph('Sales')) + picture + twice + furniture,
      ),
      'ppt/slides/_rels/slide1.xml.rels': relationshipsTo(['../diagrams/data1.xml']),
      'ppt/diagrams/data1.xml': `<dgm:dataModel><dgm:pt modelId="1"><dgm:t>${paragraph('Plan')}</dgm:t></dgm:pt></dgm:dataModel>`,
    }
    const { text } = await read('powerpoint', officeFileOf('ppt/presentation.xml', parts))
    expect(text).toBe('# Slide 1: Sales\n\n- Region: North; Sales: 12\nnew\nline\nPlan')
  })

  it('ends when the text is full', async () => {
    const slides = Array.from({ length: 50 }, (_, index) => ({
      title: `T${index}`,
      lines: ['words'],
      notes: '',
    }))
    const { text, truncated } = await read('powerpoint', presentationOf(slides), { maxTextBytes: 40 })
    expect(truncated).toBe(true)
    expect(text).toBe('# Slide 1: T0\n\nwords\n\n# Slide 2: T1\n\nwor')
  })
})

describe('an unreadable Office file', () => {
  const protectedFile = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2000)])

  it.each(['word', 'excel', 'powerpoint'] as const)(
    'is reported as password-protected or too old (%s)',
    async (format) => {
      expect(await refusalOf(read(format, protectedFile))).toBe(
        'unreadable: The file cannot be read: it is protected with a password, or in the format of before Office 2007',
      )
    },
  )

  it('is reported if it is not an archive, truncated or of another kind', async () => {
    const whole = workbookOf([{ name: 'One', rows: [['words']] }])
    const broken = 'unreadable: The file cannot be read: it is not an Office file, or it is damaged ('
    for (const bytes of [Buffer.from('no zip'), whole.subarray(0, whole.length / 2), new Uint8Array()]) {
      expect(await refusalOf(read('excel', bytes))).toContain(broken)
    }
    expect(await refusalOf(read('powerpoint', whole))).toContain('it is not a PowerPoint presentation')
    const word = officeFileOf('word/document.xml', { 'word/document.xml': '<w:document/>' })
    expect(await refusalOf(read('excel', word))).toContain('it is not an Excel workbook')
    const other = officeFileOf('', { '_rels/.rels': relationshipsTo(['notes.xml']) })
    expect(await refusalOf(read('excel', other))).toContain('it is not an Office file')
    expect((await read('excel', whole)).text).toBe('# One\n\nwords')
  })

  it('is reported if a part is damaged, and the next file is read', async () => {
    const bomb = Buffer.from(workbookBomb(16))
    // In the middle of the deflated part.
    bomb.fill(0xff, bomb.length - 8_000, bomb.length - 4_000)
    expect(await refusalOf(read('excel', bomb))).toContain('it is not an Office file, or it is damaged (')
    expect((await read('excel', workbookOf([{ name: 'One', rows: [['fine']] }]))).text).toBe('# One\n\nfine')
  })

  it('that expands without end stops at a limit, between cells and within one', async () => {
    expect(await refusalOf(read('excel', workbookBomb(2048), { memoryMb: 96 }))).toBe(
      'unreadable: The file cannot be read: it unpacks to more than 256 MB',
    )
    const inCell = workbookBomb(2048, '<sheetData><row><c t="str"><v>')
    expect(await refusalOf(read('excel', inCell, { memoryMb: 96 }))).toBe(
      'memory: The file needs more than 96 MB to be read',
    )
  })

  it('gets neither local files nor endless entities', async () => {
    const doctype =
      '<!DOCTYPE w [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
    const cells = rowsOf('<c t="str"><v>before &x; &b; after</v></c>')
    const { text } = await read('excel', workbookWith(`${doctype}${cells}`))
    expect(text).toBe('# One\n\nbefore &x; &b; after')
  })
})
