import { z } from 'zod'
import { isRejected, ProviderError } from '../adapter.ts'
import { isUnavailable } from '../outage-guard.ts'
import { readBlocks, type NotionContent } from './blocks.ts'
import { isEndpointMissing, type NotionRun } from './client.ts'
import type { NotionPeople } from './people.ts'
import { childrenIn, filesIn, readableMarkdown, unnamedPeople } from './text.ts'

/** Upper bound on separately fetched parts of a long page. */
const MOST_PARTS = 100
/** People of a part whose names are requested. */
const MOST_PEOPLE = 50
/** After this many consecutive pages with blocks but no Markdown, the reader stops requesting Markdown. */
const MOST_REFUSALS = 3

/** Reads a page's content; throws ProviderError. */
export type NotionReader = (pageId: string) => Promise<NotionContent>

/** A reader for one run: a page's Markdown, or its blocks, always once the server has no Markdown. */
export function createNotionReader(run: NotionRun, people: NotionPeople): NotionReader {
  let refusals = 0
  let hasMarkdown = true
  return async (pageId) => {
    if (!hasMarkdown) return await readBlocks(run, pageId)
    try {
      const content = await readMarkdown(run, people, pageId)
      refusals = 0
      return content
    } catch (error) {
      if (!isRejected(error) && !isUnavailable(error)) throw error
      const content = await blocksInstead(run, pageId, error)
      refusals += 1
      hasMarkdown = !isEndpointMissing(error) && refusals < MOST_REFUSALS
      return content
    }
  }
}

/** A page's blocks; when these are unknown as well, throws the refusal of the Markdown. */
async function blocksInstead(run: NotionRun, pageId: string, refusal: ProviderError): Promise<NotionContent> {
  try {
    return await readBlocks(run, pageId)
  } catch (error) {
    throw isEndpointMissing(error) ? refusal : error
  }
}

/** A page as Notion's Markdown, with omitted parts fetched one by one. @throws ProviderError */
async function readMarkdown(run: NotionRun, people: NotionPeople, pageId: string): Promise<NotionContent> {
  const texts: string[] = []
  const children: NotionContent['children'] = []
  const queue = [pageId]
  const asked = new Set(queue)
  const left = { files: 0, parts: 0 }
  let size = 0
  for (
    let id = queue.shift();
    id !== undefined && size < run.session.limits.maxTextBytes;
    id = queue.shift()
  ) {
    const part = id === pageId ? await markdownOf(run, people, id) : await readPart(run, people, id)
    texts.push(part.text)
    for (const child of part.children) children.push(child)
    left.files += part.left.files
    left.parts += part.left.parts
    size += Buffer.byteLength(part.text)
    for (const other of part.others) {
      if (asked.has(other)) continue
      asked.add(other)
      if (asked.size <= MOST_PARTS + 1) queue.push(other)
      else left.parts += 1
    }
  }
  return { text: texts.join('\n').trim(), children, left }
}

interface Part extends NotionContent {
  others: string[]
}

const Markdown = z
  .object({
    markdown: z.string(),
    truncated: z.boolean().catch(false),
    unknown_block_ids: z.array(z.string()).catch([]),
  })
  .nullable()
  .catch(null)

async function markdownOf(run: NotionRun, people: NotionPeople, id: string): Promise<Part> {
  const answer = await run.call(`pages/${encodeURIComponent(id)}/markdown`, Markdown)
  if (answer === null) throw new ProviderError('rejected', 'Notion returned no Markdown')
  const { markdown, truncated, unknown_block_ids: others } = answer
  const names = new Map<string, string>()
  for (const unnamed of [...unnamedPeople(markdown)].slice(0, MOST_PEOPLE)) {
    const person = await people.find(unnamed)
    if (person !== null) names.set(unnamed, `@${person.name}`)
  }
  return {
    text: readableMarkdown(markdown, names),
    children: childrenIn(markdown),
    others: truncated ? others : [],
    left: { files: filesIn(markdown), parts: 0 },
  }
}

/** A part of a long page: as Markdown, else from its blocks, else counted as left out. */
async function readPart(run: NotionRun, people: NotionPeople, id: string): Promise<Part> {
  try {
    return await markdownOf(run, people, id)
  } catch (error) {
    if (!isRejected(error)) throw error
  }
  try {
    return { ...(await readBlocks(run, id)), others: [] }
  } catch (error) {
    if (!isRejected(error)) throw error
    return { text: '', children: [], others: [], left: { files: 0, parts: 1 } }
  }
}
