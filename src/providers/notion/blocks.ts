import { iteratePaginatedAPI } from '@notionhq/client'
import { blockText, isReadable, toNotionBlock, type NotionBlock } from './block-text.ts'
import { isRejected, type NotionRun } from './client.ts'
import { toNotionList } from './objects.ts'

const BLOCKS_PER_REQUEST = 100
const DEEPEST = 30

/** What is read of one page at most. A toggle or list item with something in it takes a request of its own. */
export const BLOCK_LIMITS = { blocks: 10_000, requests: 1_000 }

/** What a page says, as readable text, and what lies directly in it. */
export interface NotionContent {
  text: string
  children: { kind: 'page' | 'database'; id: string }[]
}

interface Level {
  blocks: AsyncIterator<unknown>
  /** Tabs before its lines. */
  indent: number
}

/**
 * The blocks of a page (or of one block) as Markdown-like text, up to `maxTextBytes`: what takes the place of the Markdown
 * endpoint. What lies in a block is read where it stands, and once: synced blocks may hold each other. What we may not see
 * is left out. Throws ProviderError when the page itself cannot be read.
 */
export async function readBlocks(run: NotionRun, id: string, limits = BLOCK_LIMITS): Promise<NotionContent> {
  const lines: string[] = []
  const children: NotionContent['children'] = []
  const opened = new Set([id])
  const left = { ...limits, bytes: run.session.limits.maxTextBytes }
  const levels: Level[] = [{ blocks: blocksIn(run, id, left), indent: 0 }]
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
    const text = blockText(block)
    if (text !== null) {
      const line = text.replaceAll(/^/gm, '\t'.repeat(level.indent))
      lines.push(line)
      left.bytes -= Buffer.byteLength(line) + 1
    }
    const inner = holderOf(block)
    if (inner === null || opened.has(inner) || levels.length >= DEEPEST) continue
    opened.add(inner)
    levels.push({ blocks: blocksIn(run, inner, left), indent: level.indent + (text === null ? 0 : 1) })
  }
  return { text: lines.join('\n').trim(), children }
}

/** The next block of a level; null at its end, and where we may not see what lies in a block. */
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

/** Whose blocks are to be read for a block: its own, or those of the block it is a copy of; null for none. */
function holderOf(block: NotionBlock): string | null {
  const original = block.type === 'synced_block' ? block.content.synced_from : null
  if (original !== null) return original.block_id
  // What lies in a subpage is read with the subpage.
  const isClosed = block.type === 'child_page' || block.type === 'child_database'
  return block.hasChildren && !isClosed && isReadable(block.type) ? block.id : null
}

/** The blocks directly in a block, as long as there are requests left. */
function blocksIn(run: NotionRun, id: string, left: { requests: number }): AsyncIterator<unknown> {
  const list = async (args: { block_id: string; page_size: number; start_cursor?: string }) => {
    if (left.requests <= 0)
      return { object: 'list' as const, results: [], next_cursor: null, has_more: false }
    left.requests -= 1
    const answer = await run.call(async (auth) =>
      toNotionList(await run.client.blocks.children.list({ ...args, auth })),
    )
    const { results, nextCursor } = answer
    return { object: 'list' as const, results, next_cursor: nextCursor, has_more: nextCursor !== null }
  }
  return iteratePaginatedAPI(list, { block_id: id, page_size: BLOCKS_PER_REQUEST })
}
