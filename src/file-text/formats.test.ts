import { afterAll, describe, expect, it } from 'vitest'
import { presentationOf, workbookOf } from '../../emulators/google/file-formats.ts'
import { pdfOfObjects, sampleDocx, samplePdf } from '../../test/support/sample-files.ts'
import { readFile } from '../../test/support/read-file.ts'
import { createTextExtractor, type ExtractedText, type TextFormat } from './index.ts'

const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')
const read = (format: TextFormat, content: Uint8Array, path = ''): Promise<ExtractedText> =>
  readFile(extractor, format, content, { path })

describe('the title and text of a file', () => {
  it.each([
    [
      '---\ntitle: "From front matter"\ntags: x\n---\n# Heading\n\nText.',
      'From front matter',
      '# Heading\n\nText.',
    ],
    ['Intro.\n\n```\n# a comment\n```\n\n# The *real* `heading` {#id}\n', 'The real heading', undefined],
    ['# [![badge](b.svg)](x) [zod](https://zod.dev) ##\n', 'zod', undefined],
    ['Text first\n\n### Only a small heading\n', 'Only a small heading', undefined],
    ['Title\n=====\n\nText', 'Title', undefined],
    ['No heading at all', '', undefined],
    [
      '# Shown\n\n<!-- a note to authors -->\nText <!-- here --> stays.\n\n```html\n<!-- code -->\n```',
      'Shown',
      '# Shown\n\nText <!-- here --> stays.\n\n```html\n<!-- code -->\n```',
    ],
  ])('reads Markdown: %j', async (source, title, text) => {
    const found = await read('markdown', bytes(source))
    expect(found).toEqual({ title, text: text ?? source.trim(), truncated: false })
  })

  it('uses an HTML heading as the title of a front page, and of no other page with its own', async () => {
    const page = bytes('<h1 align="center">\n  <img src="x">Logo <b>Name</b>\n</h1>\n\n## Hooks\n')
    expect((await read('markdown', page, 'README.md')).title).toBe('Logo Name')
    expect((await read('markdown', page, 'Hooks.md')).title).toBe('Hooks')
    expect((await read('markdown', bytes('<h1>Only</h1> text'))).title).toBe('Only')
  })

  it('reads reStructuredText with its first underlined heading', async () => {
    const source = '=====\nGuide\n=====\n\nText'
    expect(await read('rst', bytes(source))).toEqual({ title: 'Guide', text: source, truncated: false })
  })

  it('reads an HTML page with its headings, without scripts, styles and navigation', async () => {
    const html = `<!doctype html><html><head><title>A &amp; B</title><style>p{color:red}</style>
      <script>alert('never')</script></head><body><nav>Home</nav><h1>Top</h1><p>First <a href="/x">link</a>.</p>
      <script>more()</script><h2>Sub</h2><ul><li>One</li></ul><p hidden>secret</p>
      <table><tr><th>Name</th><th>Size</th></tr><tr><td>a</td><td>1</td></tr></table></body></html>`
    const { title, text } = await read('html', bytes(html))
    expect(title).toBe('A & B')
    expect(text).toMatch(/^# Top\n\nFirst link\.\n\n## Sub\n\n- One\n/)
    expect(text).toContain('| Name | Size |\n| --- | --- |\n| a | 1 |')
    expect(text).not.toMatch(/alert|more|color|Home|secret/)
  })

  it('reads the text and title of a PDF', async () => {
    expect(await read('pdf', samplePdf('Vacation is 25 days.', 'Policy'))).toEqual({
      title: 'Policy',
      text: 'Vacation is 25 days.',
      truncated: false,
    })
    for (const title of ['Microsoft Word - draft.doc', 'PowerPoint Presentation', '\\(anonymous\\)'])
      expect((await read('pdf', samplePdf('x', title))).title).toBe('')
  })

  it('reads what was typed into the form fields and onto the pages of a PDF', async () => {
    const field = (rest: string) =>
      `<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /F 4 /P 3 0 R /FT /Tx ${rest} >>`
    const pdf = pdfOfObjects([
      '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R 6 0 R 7 0 R 8 0 R 9 0 R] >> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Annots [5 0 R 6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R] /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>',
      '<< /Length 36 >>\nstream\nBT /F1 12 Tf 9 9 Td (Request) Tj ET\nendstream',
      field('/T (name) /TU (Full name) /V (Ana Lopez)'),
      field('/T (form1[0].#sub[0].T7[0]) /V (since May)'),
      field('/T (empty) /V ()'),
      field('/T (pin) /V (1234) /Ff 8192'),
      '<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /F 4 /P 3 0 R /FT /Ch /T (team) /Opt [(Sales) (IT)] /V (IT) >>',
      '<< /Type /Annot /Subtype /FreeText /Rect [0 0 9 9] /F 4 /Contents (Approved by Bea) >>',
      '<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /F 4 /Contents (a comment) >>',
      '<< >>',
    ])
    expect((await read('pdf', pdf)).text).toBe(
      'Request\n\nApproved by Bea\nFull name: Ana Lopez\nsince May\nteam: IT',
    )
  })

  it('reads the pages of a PDF around one that is missing, and refuses it only if it has no other', async () => {
    const pdfOf = (kids: string) =>
      pdfOfObjects([
        '<< /Type /Catalog /Pages 2 0 R >>',
        `<< /Type /Pages /Kids [${kids}] /Count 2 >>`,
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>',
        '<< /Length 36 >>\nstream\nBT /F1 12 Tf 9 9 Td (Request) Tj ET\nendstream',
        '<< >>',
      ])
    expect(await read('pdf', pdfOf('3 0 R 99 0 R'))).toMatchObject({ text: 'Request', truncated: true })
    await expect(read('pdf', pdfOf('98 0 R 99 0 R'))).rejects.toThrow('it is damaged')
  })

  it('reads the text of a Word file and its heading as title', async () => {
    expect(await read('word', await sampleDocx('Handbook', 'Be kind.'))).toEqual({
      title: 'Handbook',
      text: '# Handbook\n\nBe kind.',
      truncated: false,
    })
  })

  it('separates the words around a page break and a column break in a Word file', async () => {
    const docx = await sampleDocx(
      'Handbook',
      'one</w:t><w:br w:type="page"/><w:t>two</w:t><w:br w:type="column"/><w:t>three',
    )
    expect((await read('word', docx)).text).toBe('# Handbook\n\none\ntwo\nthree')
  })

  it('reads the sheets of a workbook and the slides of a presentation', async () => {
    const workbook = workbookOf([{ name: 'Budget', rows: [['Rent', 1200]] }])
    expect((await read('excel', workbook)).text).toBe('# Budget\n\nRent | 1200')
    const slides = presentationOf([{ title: 'Plan', lines: ['Move in May'], notes: '' }])
    expect((await read('powerpoint', slides)).text).toContain('Plan\n\nMove in May')
  })

  it('explains what is wrong with a damaged PDF or Word file, and continues', async () => {
    const docx = await sampleDocx('A', 'B')
    await expect(read('pdf', Buffer.from('%PDF-1.4 nonsense'))).rejects.toThrow(/PDF/)
    await expect(read('word', docx.subarray(0, 200))).rejects.toThrow(/zip/i)
    expect((await read('pdf', samplePdf('Still here'))).text).toBe('Still here')
  })

  it('keeps all text of HTML that is nested too deep', async () => {
    const deep = `<p>before</p>${'<div>'.repeat(2_000)}inside${'</div>'.repeat(2_000)}<p>after <br>it</p>`
    expect((await read('html', bytes(deep))).text).toBe('before\n\ninside\n\nafter\nit')
    expect((await read('html', bytes('<b>x'.repeat(100_000)))).text).toBe('x'.repeat(100_000))
  })
})
