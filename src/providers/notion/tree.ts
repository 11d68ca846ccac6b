import { z } from 'zod'
import { isRejected, ProviderError, returnIf } from '../adapter.ts'
import { isUnavailable } from '../outage-guard.ts'
import type { NotionRun } from './client.ts'
import {
  retrieveDataSource,
  retrievePage,
  toParent,
  type NotionObject,
  type NotionParent,
} from './objects.ts'
import { pageTitle } from './text.ts'

const DEEPEST = 50

interface TreeNode {
  /** Null for objects without a name in a path: blocks, and databases, whose data sources carry it. */
  title: string | null
  trashed: boolean
  parent: NotionParent | null
}

export interface NotionPlace {
  /** Titles of the containing pages and databases, outermost first, as far as they are shared. */
  path: string[]
  /** Whether the object, or a container of it, is in the trash. */
  trashed: boolean
  /** The innermost container, with the titles around it. */
  container: { kind: 'page' | 'data_source'; id: string; title: string; path: string[] } | null
}

export interface NotionTree {
  /** Caches an object found elsewhere, to save a request. */
  remember(object: NotionObject): void
  /** Where an object lies. @throws ProviderError */
  locate(object: NotionObject): Promise<NotionPlace>
}

/** The containment tree of a workspace's pages and databases, read on demand and cached for the run. */
export function createNotionTree(run: NotionRun): NotionTree {
  const nodes = new Map<string, TreeNode | null>()
  const broken = new Map<string, ProviderError>()

  async function nodeOf(ref: NotionParent): Promise<TreeNode | null> {
    const known = nodes.get(ref.id)
    if (known !== undefined) return known
    const before = broken.get(ref.id)
    if (before) throw before
    try {
      const node = await readNode(run, ref)
      nodes.set(ref.id, node)
      return node
    } catch (error) {
      if (isUnavailable(error)) {
        // A broken page with a hundred children is requested once a run, and does not count as a hundred failures.
        broken.set(ref.id, new ProviderError('rejected', error.message, { cause: error }))
      }
      throw error
    }
  }

  return {
    remember: (object) => nodes.set(object.id, toNode(object)),
    locate: async (object) => {
      const own = toNode(object)
      const path: string[] = []
      let innermost: { kind: 'page' | 'data_source'; id: string } | null = null
      const seen = new Set([object.id])
      let trashed = own.trashed
      let ref = own.parent
      while (ref !== null && !seen.has(ref.id) && seen.size < DEEPEST) {
        seen.add(ref.id)
        const node: TreeNode | null = await nodeOf(ref)
        if (node === null) break
        if (node.title !== null && (ref.kind === 'page' || ref.kind === 'data_source')) {
          path.unshift(node.title)
          innermost ??= { kind: ref.kind, id: ref.id }
        }
        trashed ||= node.trashed
        ref = node.parent
      }
      const title = path.at(-1)
      const container =
        innermost && title !== undefined ? { ...innermost, title, path: path.slice(0, -1) } : null
      return { path, trashed, container }
    },
  }
}

/** An object's title; `Untitled`, as in Notion, when it has none. */
export function titleOf(object: NotionObject): string {
  const title = object.object === 'page' ? pageTitle(object) : object.title.trim()
  return title === '' ? 'Untitled' : title
}

function toNode(object: NotionObject): TreeNode {
  return { title: titleOf(object), trashed: object.in_trash, parent: object.parent }
}

const Node = z
  .object({
    in_trash: z.boolean().optional().catch(undefined),
    archived: z.boolean().optional().catch(undefined),
    parent: z.unknown().optional().transform(toParent),
  })
  .nullable()
  .catch(null)

/** The page, table, block or database around an object; null when Notion hides it from us. */
async function readNode(run: NotionRun, ref: NotionParent): Promise<TreeNode | null> {
  if (ref.kind === 'page' || ref.kind === 'data_source') {
    const retrieve = ref.kind === 'page' ? retrievePage : retrieveDataSource
    const object = await retrieve(run, ref.id).catch(returnIf(isRejected, null))
    return object && toNode(object)
  }
  const path = `${ref.kind === 'database' ? 'databases' : 'blocks'}/${encodeURIComponent(ref.id)}`
  const node = await run.call(path, Node).catch(returnIf(isRejected, null))
  if (node === null) return null
  const { in_trash: inTrash, archived, parent } = node
  return { title: null, trashed: inTrash ?? archived ?? false, parent }
}
