import { afterAll, describe, expect, it } from 'vitest'
import { presentationOf, workbookOf } from '../../emulators/google/file-formats.ts'
import { sampleDocx, samplePdf } from '../support/sample-files.ts'
import { createExtractor } from './extractor.ts'

const extractor = createExtractor()
afterAll(() => extractor.close())
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')

describe('extractor', () => {
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
  ])('reads Markdown: %j', async (source, title, text) => {
    expect(await extractor.extract('markdown', bytes(source))).toEqual({ title, text: text ?? source })
  })

  it('takes an HTML heading as the title of a front page, and of no other page that has its own', async () => {
    const page = bytes('<h1 align="center">\n  <img src="x">Logo <b>Name</b>\n</h1>\n\n## Hooks\n')
    expect((await extractor.extract('markdown', page, true)).title).toBe('Logo Name')
    expect((await extractor.extract('markdown', page)).title).toBe('Hooks')
    expect((await extractor.extract('markdown', bytes('<h1>Only</h1> text'))).title).toBe('Only')
  })

  it('reads reStructuredText with its first underlined heading', async () => {
    const source = '=====\nGuide\n=====\n\nText'
    expect(await extractor.extract('rst', bytes(source))).toEqual({ title: 'Guide', text: source })
  })

  it('reads an HTML page without its scripts, styles and navigation, with its headings marked', async () => {
    const html = `<!doctype html><html><head><title>A &amp; B</title><style>p{color:red}</style>
      <script>alert('never')</script></head><body><nav>Home</nav><h1>Top</h1><p>First <a href="/x">link</a>.</p>
      <script>more()</script><h2>Sub</h2><ul><li>One</li></ul><p hidden>secret</p>
      <table><tr><th>Name</th><th>Size</th></tr><tr><td>a</td><td>1</td></tr></table></body></html>`
    const { title, text } = await extractor.extract('html', bytes(html))
    expect(title).toBe('A & B')
    expect(text).toMatch(/^# Top\n\nFirst link\.\n\n## Sub\n\n- One\n/)
    expect(text).toMatch(/Name\s+Size\na\s+1/)
    expect(text).not.toMatch(/alert|more|color|Home|secret/)
  })

  it('reads the text and title of a PDF', async () => {
    expect(await extractor.extract('pdf', samplePdf('Vacation is 25 days.', 'Policy'))).toEqual({
      title: 'Policy',
      text: 'Vacation is 25 days.',
    })
    expect((await extractor.extract('pdf', samplePdf('x', 'Microsoft Word - draft.doc'))).title).toBe('')
  })

  it('reads the text of a Word file, its heading as title', async () => {
    expect(await extractor.extract('word', await sampleDocx('Handbook', 'Be kind.'))).toEqual({
      title: 'Handbook',
      text: '# Handbook\n\nBe kind.',
    })
  })

  it('reads the sheets of a workbook and the slides of a presentation', async () => {
    const workbook = workbookOf([{ name: 'Budget', rows: [['Rent', 1200]] }])
    expect((await extractor.extract('excel', workbook)).text).toBe('# Budget\n\nRent | 1200')
    const slides = presentationOf([{ title: 'Plan', lines: ['Move in May'], notes: '' }])
    expect((await extractor.extract('powerpoint', slides)).text).toContain('Plan\n\nMove in May')
  })

  it('says what is wrong with a damaged PDF or Word file, and goes on', async () => {
    const docx = await sampleDocx('A', 'B')
    await expect(extractor.extract('pdf', Buffer.from('%PDF-1.4 nonsense'))).rejects.toThrow(/PDF/)
    await expect(extractor.extract('word', docx.subarray(0, 200))).rejects.toThrow(/zip/i)
    expect((await extractor.extract('pdf', samplePdf('Still here'))).text).toBe('Still here')
  })

  it('gives up on a file that takes too long, and goes on with the next', async () => {
    const hasty = createExtractor(1)
    await expect(hasty.extract('html', bytes('<p>'.repeat(100_000)))).rejects.toThrow('within 0.001 s')
    await hasty.close()
    const patient = createExtractor()
    expect((await patient.extract('html', bytes('<p>fine</p>'))).text).toBe('fine')
    await patient.close()
  })

  it('reads HTML that is nested too deep as far as it goes', async () => {
    const deep = `<p>before</p>${'<div>'.repeat(2_000)}inside`
    expect((await extractor.extract('html', bytes(deep))).text).toBe('before')
  })
})
