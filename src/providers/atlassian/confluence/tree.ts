import { z } from 'zod'
import { isMissing, isRejected, returnIf } from '../../adapter.ts'
import { mapBounded } from '../../map-bounded.ts'
import { parseEach, parseShape } from '../../rest.ts'
import { inParts } from '../../../kernel/in-parts.ts'
import { type Confluence, NAME } from './client.ts'

const AT_ONCE = 4
const DEPTH_MAX = 200
const PATH_CHARACTERS_MAX = 1_000
const SUBJECTS_PER_PAGE = 200
const PER_REQUEST = 250
/** Page lists are requested for these statuses only. */
const CURRENT = 'current'
/** What a page can be under, with its API list. */
const LISTS: Readonly<Record<string, string>> = {
  page: 'pages',
  folder: 'folders',
  whiteboard: 'whiteboards',
  database: 'databases',
  embed: 'embeds',
}

/** The lists whose entries become items. */
export const CONTENT_LISTS = ['pages', 'blogposts'] as const
export type ContentList = (typeof CONTENT_LISTS)[number]

/** The parent of an entry in an unknown format: it cannot be read, so nobody may read its descendants. */
const UNKNOWN_PARENT = ''

/** The list entry of a page, blog post or folder. An entry with other broken fields fails when it is read. */
const Listed = z.object({
  id: z.string().regex(/^\d+$/),
  status: z.string().catch(CURRENT),
  title: z.string().catch(''),
  spaceId: z.string().nullable().catch(null),
  parentId: z.string().nullish().catch(UNKNOWN_PARENT),
  parentType: z.string().nullish().catch(null),
  version: z.object({ number: z.int() }).catch({ number: 0 }),
})
/** `list` is its API list. */
export type Node = z.output<typeof Listed> & { list: string }

function nodeOf(listed: z.output<typeof Listed>, list: string, space: string | null): Node {
  const spaceId = listed.spaceId ?? space
  return { ...listed, ...(spaceId === null && { parentId: UNKNOWN_PARENT }), spaceId, list }
}

/** The current pages or blog posts of a space, page by page. @throws ProviderError */
export async function* pagesOfSpace(
  confluence: Confluence,
  space: string,
  list: ContentList,
): AsyncGenerator<Node[]> {
  const parameters = { status: CURRENT, sort: 'id', limit: String(PER_REQUEST) }
  for await (const found of confluence.pages(`api/v2/spaces/${space}/${list}`, Listed, parameters))
    yield found.filter(({ status }) => status === CURRENT).map((node) => nodeOf(node, list, space))
}

/** The current pages among these ids, page by page. @throws ProviderError */
export async function* pagesOfIds(confluence: Confluence, ids: readonly string[]): AsyncGenerator<Node[]> {
  for (const some of inParts(ids, PER_REQUEST))
    for (const list of CONTENT_LISTS) {
      const parameters = { id: some.join(','), status: CURRENT, limit: String(PER_REQUEST) }
      for await (const found of confluence.pages(`api/v2/${list}`, z.unknown(), parameters))
        yield parseEach(found, Listed, NAME)
          .filter(({ status }) => status === CURRENT)
          .map((node) => nodeOf(node, list, null))
    }
}

/** Deleted users and groups have no id, but still restrict. */
const subjects = <Schema extends z.ZodType>(schema: Schema) =>
  z.object({ results: z.array(schema), limit: z.int().positive() })
export const Restriction = z.object({
  restrictions: z.object({
    user: subjects(z.object({ accountId: z.string().nullish() })),
    group: subjects(z.object({ id: z.string().nullish() })),
  }),
})
type Restriction = z.output<typeof Restriction>

/** Who may read a page among the readers of its parent; null: all of them; `unknown`: not known. */
export type Layer = { users: string[]; groups: string[] } | null | 'unknown'

/** A page's place in the tree. */
export interface Place {
  /** The titles of its ancestors. */
  path: string
  /** The nearest page or folder with a restriction: itself or an ancestor. */
  guard: string | null
  /** Whether an ancestor cannot be read, so that its readers are unknown. */
  isClosed: boolean
}

/** The pages, blog posts and folders of a site, each with its ancestors. */
export interface Tree {
  readonly nodes: ReadonlyMap<string, Node>
  /** The API list that contains the item with this ID. */
  listOf(id: string): ContentList
  add(node: Node): void
  setLayer(id: string, layer: Layer): void
  layerOf(id: string): Layer
  /** Requests what is still unknown about these pages and their ancestors. @throws ProviderError */
  complete(ids: Iterable<string>): Promise<void>
  /** The place of a page whose ancestors are all known. */
  placeOf(id: string): Place
  /** A page or folder and its ancestors, innermost first. */
  chainOf(id: string): Node[]
}

export function createTree(confluence: Confluence): Tree {
  const nodes = new Map<string, Node>()
  const layers = new Map<string, Layer>()
  const missing = new Set<string>()

  async function load(id: string, type: string): Promise<void> {
    const list = LISTS[type]
    const node =
      list === undefined
        ? null
        : await confluence.get(`api/v2/${list}/${id}`, Listed).catch(returnIf(isMissing, null))
    if (list !== undefined && node?.id === id) nodes.set(id, { ...node, list })
    else missing.add(id)
  }

  async function complete(ids: Iterable<string>): Promise<void> {
    const seen = new Set<string>()
    for (let level = [...new Set(ids)]; level.length > 0;) {
      for (const id of level) seen.add(id)
      const unread = level.filter((id) => !layers.has(id))
      await mapBounded(unread, AT_ONCE, async (id) => layers.set(id, await readLayer(confluence, id)))
      const above = new Map<string, string>()
      for (const id of level) {
        const { parentId, parentType } = nodes.get(id) ?? {}
        if (parentId != null && parentId !== UNKNOWN_PARENT && !seen.has(parentId))
          above.set(parentId, parentType ?? 'page')
      }
      const unknown = [...above.keys()].filter((id) => !nodes.has(id) && !missing.has(id))
      await mapBounded(unknown, AT_ONCE, (id) => load(id, above.get(id) ?? 'page'))
      level = [...above.keys()].filter((id) => nodes.has(id))
    }
  }

  return {
    nodes,
    listOf: (id) => (nodes.get(id)?.list === 'blogposts' ? 'blogposts' : 'pages'),
    add: (node) => void nodes.set(node.id, node),
    setLayer: (id, layer) => void layers.set(id, layer),
    layerOf: (id) => layers.get(id) ?? null,
    complete,
    ...createPlaces(nodes, layers),
  }
}

function createPlaces(
  nodes: ReadonlyMap<string, Node>,
  layers: ReadonlyMap<string, Layer>,
): Pick<Tree, 'placeOf' | 'chainOf'> {
  const places = new Map<string, Place>()

  function chainOf(id: string): Node[] {
    const chain: Node[] = []
    for (let node = nodes.get(id); node !== undefined && chain.length < DEPTH_MAX;) {
      chain.push(node)
      node = node.parentId == null ? undefined : nodes.get(node.parentId)
    }
    return chain
  }

  function placeOf(id: string): Place {
    const known = places.get(id)
    if (known !== undefined) return known
    const above: Node[] = []
    for (const node of chainOf(id)) {
      if (places.has(node.id)) break
      above.push(node)
    }
    let place = PLACELESS
    for (const node of above.toReversed()) {
      place = placeBelow(node, node.parentId == null ? TOP : (places.get(node.parentId) ?? PLACELESS))
      places.set(node.id, place)
    }
    return place
  }

  function placeBelow(node: Node, parent: Place): Place {
    const layer = layers.get(node.id) ?? null
    const title = node.parentId == null ? '' : (nodes.get(node.parentId)?.title ?? '')
    return {
      path: [parent.path, title]
        .filter((part) => part !== '')
        .join(' / ')
        .slice(0, PATH_CHARACTERS_MAX),
      guard: layer === null ? parent.guard : node.id,
      isClosed: parent.isClosed || layer === 'unknown',
    }
  }

  return { placeOf, chainOf }
}

const TOP: Place = { path: '', guard: null, isClosed: false }
/** An ancestor is unknown. */
const PLACELESS: Place = { path: '', guard: null, isClosed: true }

/** The restriction of one page or folder. @throws ProviderError */
async function readLayer(confluence: Confluence, id: string): Promise<Layer> {
  const path = `rest/api/content/${id}/restriction/byOperation/read`
  const users: string[] = []
  const groups: string[] = []
  let isRestricted = false
  try {
    for (let start = 0; ;) {
      const parameters = { start: String(start), limit: String(SUBJECTS_PER_PAGE) }
      const answer = await confluence.get(path, z.object({ restrictions: z.unknown() }), parameters)
      const { layer, isCut, limit } = layerOf(parseShape(answer, Restriction, NAME, 'rejected'))
      isRestricted ||= layer !== null
      users.push(...(layer?.users ?? []))
      groups.push(...(layer?.groups ?? []))
      if (!isCut) return isRestricted ? { users, groups } : null
      start += limit
    }
  } catch (error) {
    if (isRejected(error)) return 'unknown'
    throw error
  }
}

/** The restriction in one response, and whether there may be more of it. */
export function layerOf({ restrictions: { user, group } }: Restriction) {
  const isRestricted = user.results.length + group.results.length > 0
  const layer = {
    users: user.results.flatMap(({ accountId }) => accountId ?? []),
    groups: group.results.flatMap(({ id }) => id ?? []),
  }
  return {
    layer: isRestricted ? layer : null,
    isCut: [user, group].some(({ results, limit }) => results.length >= limit),
    limit: Math.min(user.limit, group.limit),
  }
}
