import { isFullBlock, isFullDatabase } from '@notionhq/client'
import {
  orNull,
  retrieveDataSource,
  retrievePage,
  type NotionObject,
  type NotionRun,
} from './notion-client.ts'
import { pageTitle, plainText } from './notion-text.ts'

const DEEPEST = 50

type ParentRef = { kind: 'page' | 'data_source' | 'database' | 'block'; id: string }

interface TreeNode {
  /** Null for what has no name of its own in a path: blocks, and databases, whose data sources carry it. */
  title: string | null
  trashed: boolean
  parent: ParentRef | null
}

export interface NotionPlace {
  /** Titles of the pages and databases the object lies in, outermost first, as far as they are shared. */
  path: string[]
  /** Whether the object, or something it lies in, is in the trash. */
  trashed: boolean
  /** The innermost of those, with the titles around it. */
  container: { id: string; title: string; path: string[] } | null
}

export interface NotionTree {
  /** Notes an object met on the way, so that it need not be asked for. */
  remember(object: NotionObject): void
  /** Where an object lies. Throws ProviderError. */
  locate(object: NotionObject): Promise<NotionPlace>
}

/** The pages and databases of a workspace as they lie in each other, read as needed and kept for the run. */
export function createNotionTree(run: NotionRun): NotionTree {
  const nodes = new Map<string, TreeNode | null>()

  async function nodeOf(ref: ParentRef): Promise<TreeNode | null> {
    const known = nodes.get(ref.id)
    if (known !== undefined) return known
    const node = await readNode(run, ref)
    nodes.set(ref.id, node)
    return node
  }

  return {
    remember: (object) => nodes.set(object.id, toNode(object)),
    locate: async (object) => {
      const own = toNode(object)
      const path: string[] = []
      let innermost: ParentRef | null = null
      const seen = new Set([object.id])
      let trashed = own.trashed
      let ref = own.parent
      while (ref !== null && !seen.has(ref.id) && seen.size < DEEPEST) {
        seen.add(ref.id)
        const node: TreeNode | null = await nodeOf(ref)
        if (node === null) break
        if (node.title !== null) {
          path.unshift(node.title)
          innermost ??= ref
        }
        trashed ||= node.trashed
        ref = node.parent
      }
      const title = path.at(-1)
      const container =
        innermost && title !== undefined ? { id: innermost.id, title, path: path.slice(0, -1) } : null
      return { path, trashed, container }
    },
  }
}

/** An object's title; `Untitled` as Notion shows it when there is none. */
export function titleOf(object: NotionObject): string {
  const title = object.object === 'page' ? pageTitle(object) : plainText(object.title).trim()
  return title === '' ? 'Untitled' : title
}

function toNode(object: NotionObject): TreeNode {
  const parent = object.object === 'page' ? object.parent : object.database_parent
  return { title: titleOf(object), trashed: object.in_trash, parent: toRef(parent) }
}

interface AnyParent {
  type: string
  page_id?: string
  data_source_id?: string
  database_id?: string
  block_id?: string
}

function toRef(parent: AnyParent): ParentRef | null {
  if (parent.type === 'page_id' && parent.page_id) return { kind: 'page', id: parent.page_id }
  if (parent.type === 'data_source_id' && parent.data_source_id) {
    return { kind: 'data_source', id: parent.data_source_id }
  }
  if (parent.type === 'database_id' && parent.database_id) return { kind: 'database', id: parent.database_id }
  if (parent.type === 'block_id' && parent.block_id) return { kind: 'block', id: parent.block_id }
  return null
}

async function readNode(run: NotionRun, ref: ParentRef): Promise<TreeNode | null> {
  if (ref.kind === 'page') {
    const page = await retrievePage(run, ref.id)
    return page && toNode(page)
  }
  if (ref.kind === 'data_source') {
    const source = await retrieveDataSource(run, ref.id)
    return source && toNode(source)
  }
  if (ref.kind === 'database') {
    const database = await orNull(() =>
      run.call((auth) => run.client.databases.retrieve({ auth, database_id: ref.id })),
    )
    if (!database || !isFullDatabase(database)) return null
    return { title: null, trashed: database.in_trash, parent: toRef(database.parent) }
  }
  const block = await orNull(() => run.call((auth) => run.client.blocks.retrieve({ auth, block_id: ref.id })))
  if (!block || !isFullBlock(block)) return null
  return { title: null, trashed: block.in_trash, parent: toRef(block.parent) }
}
