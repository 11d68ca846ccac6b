import { z } from 'zod'
import { rowLines, sheetRow } from '../../../file-text/index.ts'

/** Deeper parts of blocks are not read. */
const DEEPEST = 12

const text = z.string().catch('')
const list = z.array(z.unknown()).catch([])
// One schema for all types: each holds some of these (docs.slack.dev/reference/block-kit/blocks).
const partSchema = z.object({
  type: text,
  text: z.unknown().optional(),
  title: z.unknown().optional(),
  alt_text: text,
  fields: list,
  elements: list,
  rows: list,
  url: text,
  name: text,
  range: text,
  fallback: text,
  user_id: text,
  channel_id: text,
  usergroup_id: text,
})
type Part = z.output<typeof partSchema>

/** A message's text as Slack shows it, in mrkdwn: that of its blocks. Rich text alone repeats the message's own. */
export function shownText(own: string | undefined, blocks: unknown): string | undefined {
  const all = Array.isArray(blocks) ? blocks : []
  const isRichOnly = all.every((block) => toPart(block)?.type === 'rich_text' || textOf(block, 0) === '')
  if (isRichOnly && own?.trim()) return own
  return joined(all, '\n', 0) || own
}

const toPart = (value: unknown): Part | undefined => partSchema.safeParse(value).data

const joined = (parts: readonly unknown[], between: string, depth: number): string =>
  parts
    .map((part) => textOf(part, depth))
    .filter((shown) => shown !== '')
    .join(between)

function textOf(value: unknown, depth: number): string {
  const part = depth > DEEPEST ? undefined : toPart(value)
  if (part === undefined) return ''
  const inner = (parts: readonly unknown[], between: string) => joined(parts, between, depth + 1)
  const own = typeof part.text === 'string' ? part.text : ''
  switch (part.type) {
    case 'mrkdwn':
      return own
    case 'text':
    case 'plain_text':
    case 'raw_text':
    case 'markdown':
      return escaped(own)
    case 'header':
      return inner([part.text], '')
    case 'section':
      return inner([part.text, ...part.fields], '\n')
    case 'context':
      return inner(part.elements, ' ')
    case 'rich_text':
      return inner(part.elements, '\n')
    case 'rich_text_list':
      return part.elements
        .map((entry) => inner([entry], ''))
        .flatMap((entry) => (entry === '' ? [] : [`• ${entry}`]))
        .join('\n')
    case 'rich_text_section':
    case 'rich_text_preformatted':
    case 'rich_text_quote':
      return inner(part.elements, '')
    case 'table':
      return tableText(part.rows, depth)
    case 'image':
    case 'video':
      return inner([part.title], '') || escaped(part.alt_text)
    default:
      return mentionOf(part, own)
  }
}

/** Slack does not mark the row with the names of the columns. */
function tableText(rows: readonly unknown[], depth: number): string {
  const cells = rows.map((row) =>
    list.parse(row).map((cell) =>
      textOf(cell, depth + 1)
        .replaceAll(/\s+/g, ' ')
        .trim(),
    ),
  )
  return [...rowLines(cells.map(sheetRow))].join('\n')
}

/** A link, mention or emoji of rich text. */
function mentionOf(
  { type, url, name, range, fallback, user_id, channel_id, usergroup_id }: Part,
  own: string,
): string {
  switch (type) {
    case 'link':
      return own === '' ? `<${url}>` : `<${url}|${escaped(own)}>`
    case 'user':
      return `<@${user_id}>`
    case 'channel':
      return `<#${channel_id}>`
    case 'usergroup':
      return `<!subteam^${usergroup_id}>`
    case 'broadcast':
      return `@${range}`
    case 'emoji':
      return `:${name}:`
    case 'date':
      return escaped(fallback)
    default:
      return ''
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Plain text as mrkdwn. */
export const escaped = (plain: string): string => plain.replaceAll(/[&<>]/g, (mark) => ENTITIES[mark] ?? mark)
