import { convert, type HtmlToTextOptions } from 'html-to-text'
import type { ExtractedDocument } from './extracted-document.ts'

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

const OPTIONS: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxDepth: 500, ellipsis: '' },
  formatters: {
    // Headings as in Markdown, so that the text keeps its sections.
    markedHeading: (element, walk, builder, options) => {
      builder.openBlock({ leadingLineBreaks: 2 })
      builder.addLiteral(`${'#'.repeat(Number(element.name?.slice(1) ?? 1))} `)
      walk(element.children, builder)
      builder.closeBlock({ trailingLineBreaks: options.trailingLineBreaks ?? 2 })
    },
  },
  selectors: [
    ...SKIPPED.map((selector) => ({ selector, format: 'skip' })),
    { selector: '[hidden]', format: 'skip' },
    { selector: '[aria-hidden=true]', format: 'skip' },
    ...HEADINGS.map((selector) => ({ selector, format: 'markedHeading' })),
    { selector: 'a', options: { ignoreHref: true } },
    { selector: 'ul', options: { itemPrefix: '- ' } },
    { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
  ],
}

/** An HTML page: its visible text with its headings marked as in Markdown; its `<title>`, else its first heading. */
export function extractHtml(html: string): ExtractedDocument {
  const text = convert(html, OPTIONS).trim()
  return { title: elementText(html, 'title') || elementText(html, 'h1'), text }
}

function elementText(html: string, element: string): string {
  const text = convert(html, {
    wordwrap: false,
    baseElements: { selectors: [element], returnDomByDefault: false },
    limits: { maxBaseElements: 1 },
    selectors: HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
  })
  return text.replace(/\s+/g, ' ').trim()
}
