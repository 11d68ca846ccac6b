import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { ENTITY_TYPES, type EntityType } from '../database/schema-words.ts'
import { type Atom, countedInAll, idsInView, loadAtoms } from './atoms.ts'
import { GraphCache, type Graph } from './graph-cache.ts'
import { findInItems, findNamed, type FoundAtoms } from './find-named.ts'
import { byWeight, interleave, toGraph } from './graph.ts'
import type { Canvas, CanvasQuery } from './schemas.ts'
import { givenIds } from './ids.ts'
import { prepareInView } from './in-view.ts'
import { type Entity, resolveEntities } from './resolve.ts'
import {
  heaviestIn,
  itemsNaming,
  namedTogetherIn,
  resolveWithin,
  type Selection,
  selectItems,
  typesInTurn,
} from './selection.ts'
import { namedTogether } from './co-occurrences.ts'
import { PERSONS_ITEMS_MAX, type View, type VisibleSource, viewOf } from './visible-sources.ts'

/** The items that the viewer may read and whose passages are nearest to a query. */
export type FindItems = (
  viewer: Viewer,
  query: string,
  provider: ProviderId | undefined,
  signal: AbortSignal,
) => Promise<string[]>

export interface CanvasOptions {
  db: Db
  clock: Clock
  findItems: FindItems
}

/** Draws the graph for a query. @throws AppError `not_found` for `around`; what `findItems` throws */
export type DrawCanvas = (viewer: Viewer, query: CanvasQuery, signal: AbortSignal) => Promise<Canvas>

/** Limit on the latest items for a canvas since a time or around an entity. */
const SINCE_ITEMS_MAX = 500
export const AROUND_ITEMS_MAX = 500
const SELECTED_ATOMS_MAX = 1_000
/** Atoms looked up beyond those shown, in case some turn out to be the same. If more do, the rest are looked up too. */
const SPARE_ATOMS = 10
/** A word in a single item is not yet a topic. */
const TOPIC_WEIGHT_MIN = 2
/** Sources are at most one in this many nodes. */
const SOURCES_SHARE = 4

/** Draws the canvas of a viewer, counting only items that the viewer may read. */
export function createDrawCanvas({ db, clock, findItems }: CanvasOptions): DrawCanvas {
  const graphCache = new GraphCache()

  return async (viewer, query, signal) => {
    const view = await viewOf(db, viewer, query.provider)
    const empty = { generatedAt: clock.now().toISOString(), complete: true, itemsWaiting: 0 }
    if (view.sources.length === 0) {
      if (query.around !== undefined) throw noSuchNode()
      return { nodes: [], edges: [], ...empty }
    }
    // Independent queries run at once: most of a small graph's time is the round trip to the database.
    const [graph, itemsWaiting] = await Promise.all([
      graphCache.find(view, query) ?? drawGraph(view, viewer, query, signal),
      countWaiting(db, view),
    ])
    return { ...graph, ...empty, complete: itemsWaiting === 0, itemsWaiting }
  }

  async function drawGraph(
    view: View,
    viewer: Viewer,
    query: CanvasQuery,
    signal: AbortSignal,
  ): Promise<Graph> {
    const selection = await selectPart(db, view, query)
    const asked = query.q === undefined ? null : await findAsked(view, viewer, query, query.q, signal)
    const ids = asked?.ids ?? null
    const hasSources = ids === null && query.entityType === undefined
    const sources = hasSources ? weighSources(view, query, selection) : []
    const entities = await findCandidates(db, view, query, selection, ids)
    const isCenter = ({ type, atoms }: Entity): boolean =>
      type !== 'source' && atoms.some(({ id }) => id === query.around)
    const ranked = ENTITY_TYPES.map((type) =>
      entities.filter((entity) => entity.type === type && !isCenter(entity)).toSorted(byWeight),
    )
    // An entity in the center is always included, whatever its weight; `weighSources` includes a source.
    const chosen = interleave([entities.filter(isCenter), ...ranked], query.limit - sources.length)
    const together = selection ? namedTogetherIn(selection, chosen) : await namedTogether(db, view, chosen)
    const graph = toGraph(chosen, sources, together)
    // The nearest passages can change although the canvas does not.
    if (asked?.isByPassages !== true) graphCache.keep(view, query, graph)
    return graph
  }

  async function findAsked(
    view: View,
    viewer: Viewer,
    { provider }: CanvasQuery,
    q: string,
    signal: AbortSignal,
  ): Promise<{ ids: FoundAtoms; isByPassages: boolean }> {
    const named = await findNamed(db, view, q)
    if (named.size > 0) return { ids: named, isByPassages: false }
    const passages = await findItems(viewer, q, provider, signal)
    return { ids: await findInItems(db, view, passages), isByPassages: true }
  }
}

/** The items for a part of the canvas; undefined: all items. */
async function selectPart(
  db: Db,
  view: View,
  { around, since }: CanvasQuery,
): Promise<Selection | undefined> {
  if (around === undefined && since === undefined && view.items === null) return undefined
  const atoms = around === undefined ? view.sources : await findNode(db, view, around)
  const limit =
    around !== undefined ? AROUND_ITEMS_MAX : since !== undefined ? SINCE_ITEMS_MAX : PERSONS_ITEMS_MAX
  return await selectItems(db, view, { atomIds: atoms.map(({ id }) => id), since: since ?? null, limit })
}

/** The atoms of a node. @throws AppError `not_found`, also for a node out of view */
async function findNode(db: Db, view: View, id: string): Promise<Atom[]> {
  const entity = await findEntity(db, view, id)
  if (!entity) throw noSuchNode()
  return entity.atoms
}

/** The entity with this id or with an atom of this id; undefined: no item in view names it. */
export async function findEntity(db: Db, view: View, id: string): Promise<Entity | undefined> {
  if (view.sources.length === 0) return undefined
  const atoms = await loadAtoms(db, view, [id], countedInAll(db, view))
  return resolveEntities(atoms.values()).find((entity) => entity.atoms.some((atom) => atom.id === id))
}

function noSuchNode(): AppError {
  return new AppError('not_found', 'There is no such node on the canvas')
}

/** Entities of the requested kinds and weights; if there are more than needed, enough to choose from. */
async function findCandidates(
  db: Db,
  view: View,
  query: CanvasQuery,
  selection: Selection | undefined,
  asked: FoundAtoms | null,
): Promise<Entity[]> {
  const isWanted = (entity: Entity): boolean =>
    (query.entityType === undefined || entity.type === query.entityType) &&
    (asked === null || entity.atoms.some(({ id }) => asked.has(id))) &&
    (asked !== null ||
      query.around !== undefined ||
      entity.type !== 'topic' ||
      entity.weight >= TOPIC_WEIGHT_MIN)
  // Some of them will turn out to be the same.
  const room = query.limit + Math.ceil(query.limit / 2) + 10
  const named = selection ? heaviestIn(selection, asked) : asked
  const ids =
    named === null
      ? await topAtoms(db, view, query.entityType, room)
      : typesInTurn(named, query.entityType, Math.min(room * 2, SELECTED_ATOMS_MAX))
  if (selection) {
    const center = query.around === undefined ? [] : [query.around]
    return (await resolveWithin(db, view, selection, [...center, ...ids])).filter(isWanted)
  }
  // For the whole canvas the kinds already alternate; for requested ids the kinds are unknown until loaded.
  const enough = asked !== null ? ids.length : query.limit + SPARE_ATOMS
  const countsOf = countedInAll(db, view)
  const atoms = await loadAtoms(db, view, ids.slice(0, enough), countsOf)
  const wanted = resolveEntities(atoms.values()).filter(isWanted)
  if (wanted.length >= query.limit || ids.length <= enough) return wanted
  await loadAtoms(db, view, ids.slice(enough), countsOf, atoms)
  return resolveEntities(atoms.values()).filter(isWanted)
}

/** An atom may not be among the top of every source, so it is counted in all of them before ranking. */
const selectTop = prepareInView(`
  select string_agg(r.id::text, ',' order by r.place, r.nth) as ids from (
    select row_number() over (partition by r.nth order by r.items desc, r.id) as place, r.nth, r.id from (
    select k.nth, l.id, case when l.sources = cardinality($2::uuid[]) then l.items else (
      select sum(items) from entity_totals
      where organization_id = $1 and entity_id = l.id and source_id = any($2::uuid[])
    ) end as items
    from unnest($3::text[]) with ordinality as k(type, nth)
    cross join lateral (
      select t.entity_id as id, sum(t.items) as items, count(*) as sources,
        row_number() over (order by sum(t.items) desc, t.entity_id) as place
      from unnest($2::uuid[]) as s(id)
      cross join lateral (
        select entity_id, items from entity_totals
        where organization_id = $1 and source_id = s.id and type = k.type
        order by items desc, entity_id limit $5
      ) t
      group by t.entity_id order by sum(t.items) desc, t.entity_id limit $4
    ) l
    order by l.place, k.nth limit $4
  ) r ) r`)

/** The atoms that most items in view name, alternating between types: the best of each source's top. */
async function topAtoms(
  db: Db,
  view: View,
  entityType: EntityType | undefined,
  room: number,
): Promise<string[]> {
  const types = entityType === undefined ? ENTITY_TYPES : [entityType]
  const looked = async (each: number): Promise<string[]> => {
    const { rows } = await selectTop(db, view, [view.organizationId, idsInView(view), types, room, each])
    return givenIds(rows)
  }
  // With several types, half of each is more than enough, unless most other types have few.
  const half = Math.ceil(room / 2)
  const found = await looked(types.length > 1 ? half : room)
  return types.length > 1 && found.length >= half && found.length < room ? await looked(room) : found
}

function weighSources(
  view: View,
  { around, limit }: CanvasQuery,
  selection: Selection | undefined,
): (VisibleSource & { weight: number })[] {
  // The items around a source name no other source.
  const isCenter = view.sources.some(({ id }) => id === around)
  return view.sources
    .map((source) => ({
      ...source,
      weight: selection ? itemsNaming(selection, source.id) : source.items,
    }))
    .filter(({ weight }) => weight > 0)
    .toSorted(byWeight)
    .slice(0, Math.max(Math.floor(limit / SOURCES_SHARE), isCenter ? 1 : 0))
}

const WaitingRows = z.array(z.object({ waiting: z.number() }))

const WAITING = `
  select count(*)::int as waiting from source_items
  where organization_id = $1 and source_id = any($2::uuid[]) and canvas_sha256 is distinct from content_sha256`
const selectWaiting = prepare(WAITING)
const selectPersonsWaiting = prepare(
  `${WAITING} and coalesce(policy_id in (select unnest($3::text::int[])), false)`,
)

/** Items in view whose current content the canvas has not read. */
async function countWaiting(db: Db, view: View): Promise<number> {
  const { organizationId, readable } = view
  const { rows } = readable.isEverything
    ? await selectWaiting(db, [organizationId, idsInView(view)])
    : await selectPersonsWaiting(db, [organizationId, idsInView(view), readable.ids])
  return WaitingRows.parse(rows)[0]?.waiting ?? 0
}
