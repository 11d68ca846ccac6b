import { databaseIdOf, uuidOf, type EmulatedObject, type NotionEmulatorState } from './notion-state.ts'

/** A block in the API's format; the field named by its type holds its content. */
type BlockJson = ReturnType<typeof baseOf> & { type: string; [content: string]: unknown }

/** A block with its children. */
export interface EmulatedBlock {
  json: BlockJson
  children: EmulatedBlock[]
}

/** Unformatted rich text of one segment; empty for ''. */
export function richText(text: string) {
  if (text === '') return []
  const annotations = {
    bold: false,
    italic: false,
    strikethrough: false,
    underline: false,
    code: false,
    color: 'default' as const,
  }
  return [{ type: 'text', text: { content: text, link: null }, annotations, plain_text: text, href: null }]
}

/** A page's content as blocks: its Markdown's lines, nested by tabs, then its subpages and databases. */
export function blocksOf(state: NotionEmulatorState, page: EmulatedObject): EmulatedBlock[] {
  const top: EmulatedBlock[] = []
  const open: EmulatedBlock[][] = [top]
  for (const [index, line] of joinFences(state.contentOf(page)).entries()) {
    const depth = Math.min(/^\t*/.exec(line)?.[0].length ?? 0, open.length - 1)
    open.length = depth + 1
    const siblings = open[depth] ?? top
    const base = baseOf(page, uuidOf('block', page.id, index))
    const block: EmulatedBlock = { json: lineBlock(base, line.slice(depth)), children: [] }
    siblings.push(block)
    open.push(block.children)
  }
  const children = state.children(page.id).map((child): EmulatedBlock => {
    const title = { title: child.title }
    const json: BlockJson =
      child.kind === 'page'
        ? { ...baseOf(page, child.id), type: 'child_page', child_page: title }
        : { ...baseOf(page, databaseIdOf(child.id)), type: 'child_database', child_database: title }
    return { json: { ...json, has_children: child.kind === 'page' }, children: [] }
  })
  return [...top.map(closed), ...children]
}

function closed(block: EmulatedBlock): EmulatedBlock {
  const children = block.children.map(closed)
  return { json: { ...block.json, has_children: children.length > 0 }, children }
}

/** Splits into lines and keeps fenced code together. */
function joinFences(markdown: string): string[] {
  const lines: string[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (isCode) lines.push(`${lines.pop()}\n${line}`)
    else lines.push(line)
    if (line.startsWith('```')) isCode = !isCode
  }
  return lines
}

type Base = ReturnType<typeof baseOf>

function baseOf(page: EmulatedObject, id: string) {
  const person = { object: 'user' as const, id: page.createdBy }
  return {
    object: 'block' as const,
    id,
    parent: { type: 'page_id' as const, page_id: page.id },
    created_time: new Date(page.createdAt).toISOString(),
    created_by: person,
    last_edited_time: new Date(page.editedAt).toISOString(),
    last_edited_by: person,
    has_children: false,
    in_trash: false,
    archived: false,
  }
}

function lineBlock(base: Base, line: string): BlockJson {
  const [, mark = '', text = ''] = /^(#{1,3} |- \[[ x]\] |- |\d+\. |> |```)?([\s\S]*)$/.exec(line) ?? []
  const words = { rich_text: richText(text), color: 'default' as const }
  const heading = { ...words, is_toggleable: false }
  switch (mark.replace(/^\d+/, '1')) {
    case '# ':
      return { ...base, type: 'heading_1', heading_1: heading }
    case '## ':
      return { ...base, type: 'heading_2', heading_2: heading }
    case '### ':
      return { ...base, type: 'heading_3', heading_3: heading }
    case '- [ ] ':
      return { ...base, type: 'to_do', to_do: { ...words, checked: false } }
    case '- [x] ':
      return { ...base, type: 'to_do', to_do: { ...words, checked: true } }
    case '- ':
      return { ...base, type: 'bulleted_list_item', bulleted_list_item: words }
    case '1. ':
      return { ...base, type: 'numbered_list_item', numbered_list_item: words }
    case '> ':
      return { ...base, type: 'quote', quote: words }
    case '```': {
      const code = text.replace(/^.*\n/, '').replace(/\n?```$/, '')
      return {
        ...base,
        type: 'code',
        code: { rich_text: richText(code), caption: [], language: 'plain text' },
      }
    }
    default:
      return { ...base, type: 'paragraph', paragraph: { ...words, icon: null } }
  }
}
