import { afterAll, describe, expect, it } from 'vitest'
import { readFile } from '../../test/support/read-file.ts'
import { sampleOdt } from '../../test/support/sample-files.ts'
import { createTextExtractor } from './index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

describe('an email file', () => {
  const multipart = [
    'From: =?utf-8?Q?Ana_L=C3=B3pez?= <ana@example.com>',
    'To: "Team, all" <team@example.com>, bo@example.com',
    'Date: Tue, 4 Mar 2025 10:00:00 +0100',
    'Subject: =?utf-8?Q?Office_move_=E2=80=93_dates?=',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="x"',
    '',
    '--x',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'We move on the 4th of May =E2=80=93 be there.',
    '',
    '> When do we move?',
    '--x',
    'Content-Type: application/pdf; name="plan.pdf"',
    'Content-Disposition: attachment; filename="plan.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0=',
    '--x--',
  ].join('\r\n')

  it('yields headers, body and attachment names under its subject', async () => {
    expect(await readFile(extractor, 'mail', multipart)).toEqual({
      title: 'Office move – dates',
      text:
        'From: Ana López <ana@example.com>\nTo: Team, all <team@example.com>, bo@example.com\nDate: 2025-03-04T09:00:00.000Z\n\n' +
        'We move on the 4th of May – be there.\n\n> When do we move?\n\nAttachments: plan.pdf',
      truncated: false,
    })
  })

  it('with only HTML is read as a page', async () => {
    const mail =
      'From: a@example.com\r\nContent-Type: text/html\r\n\r\n<h1>Offer</h1><p>Now <b>half</b> off.</p>'
    const { title, text } = await readFile(extractor, 'mail', mail)
    expect(title).toBe('(no subject)')
    expect(text).toBe('From: a@example.com\n\n# Offer\n\nNow half off.')
  })

  it('whose plain text only says to open the HTML is read as a page', async () => {
    const mailOf = (...parts: string[]) =>
      [
        'From: a@example.com',
        'MIME-Version: 1.0',
        'Content-Type: multipart/alternative; boundary="x"',
        '',
        ...parts.flatMap((part) => ['--x', part, '']),
        '--x--',
      ].join('\r\n')
    const notice = 'Content-Type: text/plain\r\n\r\nView this mail in your browser.'
    const page = 'Content-Type: text/html\r\n\r\n<p>Your invoice is due.</p>'
    const textOf = async (...parts: string[]) => (await readFile(extractor, 'mail', mailOf(...parts))).text
    expect(await textOf(notice, page)).toBe('From: a@example.com\n\nYour invoice is due.')
    expect(await textOf(notice)).toBe('From: a@example.com\n\nView this mail in your browser.')
  })

  it('is refused if it is not an email or nested too deeply', async () => {
    await expect(readFile(extractor, 'mail', 'just words')).rejects.toThrow('it is not an email')
    const nested = Array.from(
      { length: 500 },
      (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
    ).join('')
    await expect(readFile(extractor, 'mail', `From: a@example.com\r\n${nested}`)).rejects.toThrow(
      'The file cannot be read',
    )
    expect((await readFile(extractor, 'text', 'next')).text).toBe('next')
  })
})

describe('an OpenDocument text', () => {
  const cell = (text: string) => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`
  const row = (...cells: string[]) => `<table:table-row>${cells.map(cell).join('')}</table:table-row>`

  it('yields headings, paragraphs, lists and tables', async () => {
    const item = (text: string, more = '') =>
      `<text:list-item><text:p>${text}</text:p>${more}</text:list-item>`
    const body =
      '<text:h text:outline-level="1">Travel &amp; costs</text:h><text:p>Book<text:s text:c="3"/>early<text:line-break/>please.</text:p>' +
      '<text:h text:outline-level="2">Steps</text:h>' +
      `<text:list>${item('Ask', `<text:list>${item('your lead')}</text:list>`)}${item('Book')}</text:list>` +
      `<table:table><table:table-header-rows>${row('Class', 'Limit')}</table:table-header-rows>${row('Economy', '500 €')}</table:table>`
    expect(await readFile(extractor, 'odt', await sampleOdt(body))).toEqual({
      title: 'Travel & costs',
      text:
        '# Travel & costs\n\nBook early please.\n\n## Steps\n- Ask\n  - your lead\n- Book\n\n' +
        '| Class | Limit |\n| --- | --- |\n| Economy | 500 € |',
      truncated: false,
    })
  })

  it('keeps the cells of a table below their columns when others span several', async () => {
    const spanning = (text: string, span: string) =>
      `<table:table-cell table:number-${span}-spanned="2"><text:p>${text}</text:p></table:table-cell>`
    const covered = '<table:covered-table-cell/>'
    const body =
      `<table:table><table:table-header-rows>${row('Region', 'Product', 'Price')}</table:table-header-rows>` +
      `<table:table-row>${spanning('EU', 'rows')}${cell('A')}${cell('1')}</table:table-row>` +
      `<table:table-row>${covered}${cell('B')}${cell('2')}</table:table-row>` +
      `<table:table-row>${spanning('All', 'columns')}${covered}${cell('3')}</table:table-row></table:table>`
    expect((await readFile(extractor, 'odt', await sampleOdt(body))).text).toBe(
      '| Region | Product | Price |\n| --- | --- | --- |\n| EU | A | 1 |\n| EU | B | 2 |\n| All |  | 3 |',
    )
  })

  it('has footnotes in place, without comments, deleted text or a table of contents', async () => {
    const note =
      '<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note>'
    const body =
      '<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes><text:table-of-content><text:p>Contents</text:p></text:table-of-content>' +
      `<text:p>Words${note} go on<office:annotation><text:p>remark</text:p></office:annotation>.</text:p>`
    expect((await readFile(extractor, 'odt', await sampleOdt(body))).text).toBe('Words (a note) go on.')
  })

  it('has the title in its properties, or else in the title style', async () => {
    const styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    const body = '<text:p text:style-name="P1">The plan</text:p><text:p>Words</text:p>'
    const shown = await readFile(extractor, 'odt', await sampleOdt(body, { styles }))
    expect(shown).toMatchObject({ title: 'The plan', text: '# The plan\n\nWords' })
    const meta = '<office:document-meta><dc:title>Plan of 2025</dc:title></office:document-meta>'
    expect((await readFile(extractor, 'odt', await sampleOdt(body, { 'meta.xml': meta }))).title).toBe(
      'Plan of 2025',
    )
  })

  it('says why it cannot be read', async () => {
    const locked = {
      'META-INF/manifest.xml': '<manifest:manifest><manifest:encryption-data/></manifest:manifest>',
    }
    await expect(readFile(extractor, 'odt', await sampleOdt('', locked))).rejects.toThrow('password')
    await expect(readFile(extractor, 'odt', 'no zip')).rejects.toThrow('or it is damaged')
    const other = await sampleOdt('')
    await expect(readFile(extractor, 'odt', other.subarray(0, 100))).rejects.toThrow('or it is damaged')
  })

  it('stops when the text is full, resolves no entities and survives endless nesting', async () => {
    const long = await sampleOdt('<text:p>words and words</text:p>'.repeat(20_000))
    expect(await readFile(extractor, 'odt', long, { maxTextBytes: 100 })).toMatchObject({ truncated: true })
    const doctype = '<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><text:p>before &y; after</text:p>'
    expect((await readFile(extractor, 'odt', await sampleOdt(doctype))).text).toBe('before &y; after')
    const deep = await sampleOdt('<text:list><text:list-item><text:p>x</text:p>'.repeat(20_000))
    expect((await readFile(extractor, 'odt', deep, { maxTextBytes: 1_000 })).text).toContain('- x')
    const wide = `<table:table><table:table-row>${'<table:table-cell table:number-columns-repeated="16384"/>'.repeat(5_000)}${cell('end')}</table:table-row></table:table>`
    expect((await readFile(extractor, 'odt', await sampleOdt(`${wide}<text:p>after</text:p>`))).text).toBe(
      'after',
    )
  })
})
