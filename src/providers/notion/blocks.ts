import { tableRule } from '../../file-text/index.ts'
import { blockText, isReadable, toNotionBlock, type NotionBlock } from './block-text.ts'
import { isRejected } from '../adapter.ts'
import { followPages } from '../pages.ts'
import type { NotionRun } from './client.ts'
import { List } from './objects.ts'

const BLOCKS_PER_REQUEST = 100
const DEEPEST = 30

/** Upper bounds for one page. Each toggle or list item with children costs a request. */
export const BLOCK_LIMITS = { blocks: 10_000, requests: 1_000 }

/** A page's readable text and its direct children. */
export interface NotionContent {
  text: string
  children: { kind: 'page' | 'database'; id: string }[]
  /** Parts of the page that are not in the text. */
  left: LeftOut
}

export interface LeftOut {
  /** Files and PDFs in the page, which are not read. */
  files: number
  /** Parts of a long page that Notion refused, or beyond those we request. */
  parts: number
}

interface Level {
  blocks: AsyncIterator<unknown>
  /** Tabs before its lines. */
  indent: number
  /** Whether its first line names the columns of a table. */
  hasHeader: boolean
}

/** The blocks of a page as Markdown, the fallback of the Markdown endpoint, each once. @throws ProviderError */
export async function readBlocks(run: NotionRun, id: string, limits = BLOCK_LIMITS): Promise<NotionContent> {
  const lines: string[] = []
  const children: NotionContent['children'] = []
  const opened = new Set([id])
  let files = 0
  const left = { ...limits, bytes: run.session.limits.maxTextBytes }
  const levels: Level[] = [{ blocks: blocksIn(run, id, left), indent: 0, hasHeader: false }]
  for (let level = levels.at(-1); level && left.blocks > 0 && left.bytes > 0; level = levels.at(-1)) {
    const block = await nextBlock(level, levels.length === 1)
    if (block === null) {
      levels.pop()
      continue
    }
    left.blocks -= 1
    if (block.isTrashed) continue
    if (block.type === 'child_page') children.push({ kind: 'page', id: block.id })
    if (block.type === 'child_database') children.push({ kind: 'database', id: block.id })
    if (block.type === 'file' || block.type === 'pdf') files += 1
    const text = blockText(block)
    if (text !== null) {
      const rule = level.hasHeader ? `\n${tableRule(block.content.cells.length)}` : ''
      level.hasHeader = false
      const line = `${text}${rule}`.replaceAll(/^/gm, '\t'.repeat(level.indent))
      lines.push(line)
      left.bytes -= Buffer.byteLength(line) + 1
    }
    const inner = holderOf(block)
    if (inner === null || opened.has(inner) || levels.length >= DEEPEST) continue
    opened.add(inner)
    levels.push({
      blocks: blocksIn(run, inner, left),
      indent: level.indent + (text === null ? 0 : 1),
      hasHeader: block.content.has_column_header,
    })
  }
  return { text: lines.join('\n').trim(), children, left: { files, parts: 0 } }
}

/** The next block of a level; null at its end, and when we may not see a block's children. */
async function nextBlock(level: Level, isTop: boolean): Promise<NotionBlock | null> {
  try {
    for (;;) {
      const { value, done } = await level.blocks.next()
      if (done === true) return null
      const block = toNotionBlock(value)
      if (block !== null) return block
    }
  } catch (error) {
    if (!isTop && isRejected(error)) return null
    throw error
  }
}

/** The id whose child blocks to read for a block: its own, or its original's for a copy; null for none. */
function holderOf(block: NotionBlock): string | null {
  const original = block.type === 'synced_block' ? block.content.synced_from : null
  if (original !== null) return original.block_id
  // A subpage is an item of its own.
  const isClosed = block.type === 'child_page' || block.type === 'child_database'
  return block.hasChildren && !isClosed && isReadable(block.type) ? block.id : null
}

/** The direct children of a block, while requests are left. */
async function* blocksIn(run: NotionRun, id: string, left: { requests: number }): AsyncGenerator {
  if (left.requests <= 0) return
  const path = `blocks/${encodeURIComponent(id)}/children?page_size=${BLOCKS_PER_REQUEST}`
  const pages = followPages(
    (cursor) => {
      left.requests -= 1
      return run.call(cursor === null ? path : `${path}&start_cursor=${encodeURIComponent(cursor)}`, List)
    },
    ({ nextCursor }) => (left.requests > 0 ? nextCursor : null),
  )
  for await (const { results } of pages) yield* results
}
