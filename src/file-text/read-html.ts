import { convert, type FormatCallback, type HtmlToTextOptions } from 'html-to-text'
import { Parser } from 'htmlparser2'
import type { FileText } from './file-text.ts'
import { formatCode } from './html-code.ts'
import { formatTable } from './html-table.ts'
import { limitNesting } from './limit-nesting.ts'
import { oneLine } from './markdown-table.ts'

const SKIPPED = [
  'title',
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'nav',
  'footer',
  'button',
  'select',
  'img',
  'iframe',
]
const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
/** Elements on lines of their own, in addition to the package's defaults. */
const LINES = [
  'dl',
  'dt',
  'dd',
  'details',
  'summary',
  'figure',
  'figcaption',
  'fieldset',
  'legend',
  'address',
  'caption',
]
/** Deeper nesting is layout at best and would overflow the stack. */
const DEPTH_MAX = 300
/** Longer pages are cut before parsing. */
const CHARACTERS_MAX = 1 << 25
const TITLE_CHARACTERS_MAX = 1_000

/** Headings as in Markdown, so that the text keeps its sections. */
const formatHeading: FormatCallback = (element, walk, builder, options) => {
  builder.openBlock({ leadingLineBreaks: 2 })
  builder.addLiteral(`${'#'.repeat(Number(element.name?.slice(1) ?? 1))} `)
  walk(element.children, builder)
  builder.closeBlock({ trailingLineBreaks: options.trailingLineBreaks ?? 2 })
}

const formatCell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder)
  builder.addInline(' ')
}

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxDepth: DEPTH_MAX + 1, ellipsis: '', maxInputLength: CHARACTERS_MAX },
  formatters: {
    markedHeading: formatHeading,
    fencedCode: formatCode,
    markdownTable: formatTable,
    layoutCell: formatCell,
  },
  selectors: [
    ...SKIPPED.map((selector) => ({ selector, format: 'skip' })),
    { selector: '[hidden]', format: 'skip' },
    { selector: '[aria-hidden=true]', format: 'skip' },
    // A question above an answer that folds; other buttons are controls.
    ...[...HEADINGS, 'dt'].map((name) => ({ selector: `${name} > button`, format: 'inline' })),
    ...LINES.map((selector) => ({
      selector,
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    ...HEADINGS.map((selector) => ({ selector, format: 'markedHeading' })),
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    { selector: 'pre', format: 'fencedCode' },
    { selector: 'table', format: 'markdownTable' },
    // For layout tables: one line per row.
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'td', format: 'layoutCell' },
    { selector: 'th', format: 'layoutCell' },
  ],
}

/** An HTML page as Markdown: its visible text without scripts, styles, navigation and footers. */
export function readHtml(html: string): FileText {
  const page = limitNesting(html.slice(0, CHARACTERS_MAX), DEPTH_MAX)
  return { title: titleOf(page), text: convert(page, OPTIONS) }
}

/** Default titles of programs. */
const NO_TITLE = /^(?:|untitled(?: document)?|document|home|index|page|title|new page|.{0,80}\.x?html?)$/i

/** `<title>`; or the page's only top-level heading, if the title is a placeholder or only adds the site's name. */
function titleOf(html: string): string {
  const { title, headings } = readTitles(html)
  const [heading = ''] = headings
  const names = title.toLowerCase()
  const onlyAdds = headings.length === 1 && heading.length > 2 && names.includes(heading.toLowerCase())
  return NO_TITLE.test(title) || onlyAdds ? heading || (NO_TITLE.test(title) ? '' : title) : title
}

/** The page's title, and up to two top-level headings. */
function readTitles(html: string): { title: string; headings: string[] } {
  let title: string | null = null
  const headings: string[] = []
  let inside: 'title' | 'h1' | null = null
  let text = ''
  let drawings = 0
  const parser = new Parser({
    onopentagname(name) {
      if (name === 'svg') drawings += 1
      if (inside !== null || drawings > 0 || (name !== 'title' && name !== 'h1')) return
      inside = name
      text = ''
    },
    ontext(piece) {
      if (inside !== null && text.length < TITLE_CHARACTERS_MAX) text += piece
    },
    onclosetag(name) {
      if (name === 'svg') drawings -= 1
      if (name !== inside) return
      if (inside === 'title') title ??= oneLine(text)
      else if (headings.length < 2) headings.push(oneLine(text))
      inside = null
    },
  })
  parser.end(html)
  return { title: title ?? '', headings }
}
