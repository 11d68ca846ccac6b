import { z } from 'zod'
import type { Pausable } from '../../../kernel/cooperative.ts'
import { escapeHtml } from '../../html-text.ts'

/** https://developer.atlassian.com/cloud/jira/platform/apis/document/structure */
const ELEMENTS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  blockquote: 'blockquote',
  panel: 'blockquote',
  bulletList: 'ul',
  orderedList: 'ol',
  listItem: 'li',
  taskList: 'ul',
  taskItem: 'li',
  decisionList: 'ul',
  decisionItem: 'li',
  codeBlock: 'pre',
  table: 'table',
  tableRow: 'tr',
  tableHeader: 'th',
  tableCell: 'td',
  expand: 'div',
  nestedExpand: 'div',
  caption: 'p',
}

const record = z.record(z.string(), z.unknown())
const Node = z.object({
  type: z.string().catch(''),
  text: z.string().catch(''),
  attrs: record.catch({}),
  marks: z.array(z.object({ type: z.string(), attrs: record.catch({}) })).catch([]),
  content: z.array(z.unknown()).catch([]),
})
type Node = z.output<typeof Node>

/** A document in the Atlassian Document Format as HTML, up to about `most` characters. */
export function* htmlOfAdf(document: unknown, most: number): Pausable<string> {
  const parts: string[] = []
  let length = 0
  // A stack of what is still to be written: nodes and closing tags. Documents may be nested deeply.
  const waiting: unknown[] = [document]
  while (waiting.length > 0) {
    yield
    const next = waiting.pop()
    if (typeof next === 'string') parts.push(next)
    const node = typeof next === 'object' && length <= most ? Node.safeParse(next).data : undefined
    if (node === undefined) continue
    const opening = openingOf(node)
    parts.push(opening)
    length += opening.length
    waiting.push(closingOf(node))
    for (let at = node.content.length - 1; at >= 0; at -= 1) waiting.push(node.content[at])
  }
  return parts.join('')
}

const elementOf = ({ type, attrs }: Node): string | undefined =>
  type === 'heading' ? `h${levelOf(attrs['level'])}` : ELEMENTS[type]

const levelOf = (level: unknown): number =>
  typeof level === 'number' && level >= 1 && level <= 6 ? Math.floor(level) : 1

function openingOf(node: Node): string {
  const element = elementOf(node)
  if (element !== undefined) return `<${element}>${titleOf(node)}`
  return (INLINE[node.type] ?? (() => ''))(node)
}

function closingOf(node: Node): string {
  const element = elementOf(node)
  return element === undefined ? '' : `</${element}>`
}

/** The title of an expand, and whether a task is done. */
function titleOf({ type, attrs }: Node): string {
  if (type === 'taskItem') return attrs['state'] === 'DONE' ? '[x] ' : '[ ] '
  return type.endsWith('xpand') && wordsOf(attrs['title']) !== '' ? `<p>${wordsOf(attrs['title'])}</p>` : ''
}

const INLINE: Readonly<Record<string, (node: Node) => string>> = {
  text: ({ text, marks }) => {
    const link = marks.find(({ type }) => type === 'link')
    const code = marks.some(({ type }) => type === 'code')
    const shown = code ? `<code>${escapeHtml(text)}</code>` : escapeHtml(text)
    return link === undefined ? shown : `<a href="${wordsOf(link.attrs['href'])}">${shown}</a>`
  },
  hardBreak: () => '<br>',
  rule: () => '<hr>',
  mention: ({ attrs }) => wordsOf(attrs['text']) || '@a former user',
  emoji: ({ attrs }) => wordsOf(attrs['text']) || wordsOf(attrs['shortName']),
  status: ({ attrs }) => wordsOf(attrs['text']),
  date: ({ attrs }) => dateOf(attrs['timestamp']),
  media: ({ attrs }) => wordsOf(attrs['alt']),
  inlineCard: ({ attrs }) => linkTo(attrs['url']),
  blockCard: ({ attrs }) => `<p>${linkTo(attrs['url'])}</p>`,
  embedCard: ({ attrs }) => `<p>${linkTo(attrs['url'])}</p>`,
}

const wordsOf = (value: unknown): string => (typeof value === 'string' ? escapeHtml(value) : '')
const linkTo = (url: unknown): string =>
  wordsOf(url) === '' ? '' : `<a href="${wordsOf(url)}">${wordsOf(url)}</a>`

function dateOf(timestamp: unknown): string {
  const at = new Date(Number(timestamp))
  return Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 10)
}
