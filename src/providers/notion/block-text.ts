import { z } from 'zod'
import { markdownTable } from '../../file-text/index.ts'
import { plainText, richTextSchema, type RichText } from './objects.ts'

const text = z.string().catch('')
// One schema for the contents of all block types: each type's field holds some of these.
const contentSchema = z.looseObject({
  rich_text: richTextSchema,
  caption: richTextSchema,
  cells: z.array(richTextSchema).catch([]),
  has_column_header: z.boolean().catch(false),
  /** Of a child page or database; rich text in meeting notes. */
  title: z.union([z.string(), richTextSchema.transform(plainText)]).catch(''),
  name: text,
  url: text,
  expression: text,
  language: text,
  checked: z.boolean().catch(false),
  synced_from: z.looseObject({ block_id: z.string() }).nullable().catch(null),
})
type Content = z.infer<typeof contentSchema>

const blockSchema = z.looseObject({
  object: z.literal('block'),
  id: z.string(),
  type: z.string(),
  has_children: z.boolean().catch(false),
  in_trash: z.boolean().optional().catch(undefined),
  archived: z.boolean().optional().catch(undefined),
})

export interface NotionBlock {
  id: string
  type: string
  hasChildren: boolean
  isTrashed: boolean
  content: Content
}

/** Parses a block; null when it is invalid or "partial" (id only). */
export function toNotionBlock(raw: unknown): NotionBlock | null {
  const parsed = blockSchema.safeParse(raw)
  if (!parsed.success) return null
  const { id, type, has_children: hasChildren, in_trash: inTrash, archived } = parsed.data
  const content = contentSchema.safeParse(parsed.data[type])
  return {
    id,
    type,
    hasChildren,
    isTrashed: inTrash ?? archived ?? false,
    content: content.success ? content.data : contentSchema.parse({}),
  }
}

const words =
  (prefix = '') =>
  (content: Content) =>
    prefix + richMarkdown(content.rich_text)
const link = (content: Content) => linked(plainText(content.caption) || content.url, content.url)
// A file's URL expires after an hour and has no useful text.
const file = (content: Content) => [content.name, plainText(content.caption)].filter(Boolean).join(': ')

/** Renders each block type that has text; null for blocks that only contain others. */
const LINES = new Map<string, ((content: Content) => string) | null>(
  Object.entries({
    paragraph: words(),
    heading_1: words('# '),
    heading_2: words('## '),
    heading_3: words('### '),
    heading_4: words('#### '),
    bulleted_list_item: words('- '),
    numbered_list_item: words('1. '),
    to_do: (content) => words(content.checked ? '- [x] ' : '- [ ] ')(content),
    toggle: words(),
    quote: words('> '),
    callout: words('> '),
    template: words(),
    code: (content) =>
      ['```' + content.language, plainText(content.rich_text), '```', plainText(content.caption)]
        .filter((line, index) => index < 3 || line !== '')
        .join('\n'),
    equation: (content) => `$$${content.expression}$$`,
    table_row: ({ cells }) => markdownTable([cells.map(richMarkdown)], false),
    bookmark: link,
    embed: link,
    link_preview: link,
    image: file,
    video: file,
    audio: file,
    pdf: file,
    file,
    child_page: (content) => content.title,
    child_database: (content) => content.title,
    meeting_notes: (content) => content.title,
    transcription: (content) => content.title,
    table: null,
    column_list: null,
    column: null,
    synced_block: null,
    tab: null,
  }),
)

/** Whether a block of this type, or its children, has text. Unknown types are skipped. */
export function isReadable(type: string): boolean {
  return LINES.has(type)
}

/** A block without its children, as Markdown-like text; null when it has no text. */
export function blockText(block: NotionBlock): string | null {
  const line = LINES.get(block.type)?.(block.content) ?? ''
  return line === '' ? null : line
}

function richMarkdown(rich: RichText): string {
  return rich.map((part) => linked(plainText([part]), part.href ?? '')).join('')
}

const linked = (label: string, url: string) =>
  /^https?:\/\//.test(url) && label !== '' && label !== url ? `[${label}](${url})` : label
