import { z } from 'zod'
import { arrayOf } from '../database/array-of.ts'
import type { Db } from '../database/database.ts'
import { type Atom, idsInView } from './atoms.ts'
import { NAMING_ROLES, type NamingRole } from './extraction/identity.ts'
import { inHalves } from './ids.ts'
import { prepareInView } from './in-view.ts'
import type { View } from './visible-sources.ts'

/** The nodes that an item names: each node's index with its role, packed by `namingOf`. */
export type Together = readonly number[]

/** Packs an index and a role into one number, because there are thousands of them. */
export function namingOf(place: number, role: number): number {
  return place * NAMING_ROLES.length + role
}

export function placeOf(naming: number): number {
  return Math.floor(naming / NAMING_ROLES.length)
}

export function roleOf(naming: number): NamingRole {
  return NAMING_ROLES[naming % NAMING_ROLES.length] ?? 'mention'
}

/** Limits on the atom and source pairs where latest items are looked up, for each node and in total. */
const PLACES_A_NODE_MAX = 6
const PLACES_MAX = 600
/** Limits on the latest items whose edges are counted, for each pair and in total. */
const EVIDENCE_A_PLACE = 24
const EVIDENCE_MAX = 1_200

/** One of a node's atoms, by index, in one source. */
interface Place {
  atom: number
  source: string
}

/** The pairs with most of a node's items. */
function placesOf({ atoms }: { atoms: readonly Atom[] }, limit: number): Place[] {
  const places: (Place & { id: string; items: number })[] = []
  atoms.forEach(({ id, counts }, atom) => {
    for (const [source, { items }] of counts) places.push({ id, atom, source, items })
  })
  if (places.length < 2) return places
  return places
    .toSorted(
      (left, right) => right.items - left.items || (left.id + left.source < right.id + right.source ? -1 : 1),
    )
    .slice(0, limit)
}

/**
 * The listed atoms that the latest items name, for items that name two or more, as one text, a fraction of
 * the work of a row for each. Items are separated by `;`. Each has its id, then for every atom its index with
 * the role (`namingOf`), separated by `,`. A place is a listed atom and a source in view, by 1-based index.
 */
const selectTogether = prepareInView(`
  select string_agg(source_item_id || ',' || codes, ';') as items from (
    select m.source_item_id, string_agg(((c.place - 1) * ${NAMING_ROLES.length} + array_position(array[${NAMING_ROLES.map((role) => `'${role}'`).join(', ')}], m.role) - 1)::text, ',') as codes
    from (
      -- Named alone first, so that the items are looked up in the index at one go, and not for each atom.
      select source_item_id, entity_id, role from item_entities
      where organization_id = $1 and source_item_id = any((array(
        select distinct latest.source_item_id from unnest($4::int[], $5::int[]) as p(atom, source)
        cross join lateral (
          select source_item_id from item_entities
          where organization_id = $1 and entity_id = ($3::uuid[])[p.atom] and source_id = ($2::uuid[])[p.source]
          order by seen_at desc, source_item_id limit $6
        ) latest
      ))) and source_id = any($2::uuid[])
      offset 0
    ) m
    join unnest($3::uuid[]) with ordinality as c(id, place) on c.id = m.entity_id
    group by m.source_item_id having count(*) > 1
  ) x`)

const TogetherRows = z.tuple([z.object({ items: z.string().nullable() })])

/** Which of these nodes their latest items in view name together: an entry for each item that names two or more. */
export async function namedTogether(
  db: Db,
  view: View,
  nodes: readonly { atoms: readonly Atom[] }[],
): Promise<Together[]> {
  if (nodes.length < 2) return []
  const atoms = nodes.flatMap((of, node) => of.atoms.map(({ id }) => ({ id, node })))
  const ids = arrayOf(atoms.map(({ id }) => id))
  const { places, each } = latestOfPlaces(view, nodes)
  const parts = await inHalves(places, async (part) => {
    const [inList, sources] = [part.map(({ atom }) => atom), part.map(({ source }) => source)]
    const lists = [ids, arrayOf(inList), arrayOf(sources)]
    const { rows } = await selectTogether(db, view, [view.organizationId, idsInView(view), ...lists, each])
    const [{ items }] = TogetherRows.parse(rows)
    return items?.split(';') ?? []
  })
  const together = new Map<string, Together>()
  for (const text of parts.flat()) {
    const codes = text.split(',')
    const item = codes.shift() ?? ''
    // An item can be among the latest of two places, with the same content.
    if (together.has(item)) continue
    together.set(
      item,
      codes.map((code) => {
        const naming = Number(code)
        const atom = atoms[placeOf(naming)]
        if (!atom) throw new Error('an item names together what was not asked for')
        return namingOf(atom.node, naming % NAMING_ROLES.length)
      }),
    )
  }
  return [...together.values()]
}

/** A listed atom and a source in view, by 1-based index. */
interface ListedPlace {
  atom: number
  source: number
}

/** The places where nodes' latest items are looked up, and how many in each. */
function latestOfPlaces(
  view: View,
  nodes: readonly { atoms: readonly Atom[] }[],
): { places: ListedPlace[]; each: number } {
  const fair = Math.floor(PLACES_MAX / nodes.length)
  const perNode = Math.max(1, Math.min(PLACES_A_NODE_MAX, fair))
  const listed = new Map(view.sources.map(({ id }, place) => [id, place + 1]))
  const places: ListedPlace[] = []
  let before = 0
  for (const node of nodes) {
    for (const { atom, source } of placesOf(node, perNode))
      places.push({ atom: before + atom + 1, source: listed.get(source) ?? 0 })
    before += node.atoms.length
  }
  const each = Math.max(1, Math.min(EVIDENCE_A_PLACE, Math.floor(EVIDENCE_MAX / places.length)))
  return { places, each }
}
