import { z } from 'zod'
import { arrayOf } from '../database/array-of.ts'
import type { Db } from '../database/database.ts'
import { itemDate } from '../database/item-date.ts'
import { prepare } from '../database/prepared.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { Hit } from '../retrieval/index.ts'

export interface Around {
  /** The index of the hit's chunk in its document. */
  position: number
  /** The headings above the hit, outermost first, joined by ` > `. */
  heading: string | null
  /** When the document last changed, according to its source. */
  changedAt: Date
  /** The chunks around the hit, with the headings above each. */
  beside: readonly { position: number; heading: string | null; content: string }[]
}

/** The chunks around each hit; undefined for a deleted hit. */
export type ReadAround = (viewer: Viewer, hits: readonly Hit[]) => Promise<(Around | undefined)[]>

const Rows = z.array(
  z.object({
    n: z.number(),
    place: z.number(),
    changed_at: z.date(),
    policy_id: z.number().nullable(),
    position: z.number(),
    heading: z.string().nullable(),
    content: z.string(),
  }),
)

/** The chunks to each side of a hit. */
const BESIDE = 1
/** To each side of the best hits, because the right page may have the answer in another section. */
const BESIDE_BEST = 6
const BEST_HITS = 2
const WIDTH = `(case when k.n <= ${BEST_HITS} then ${BESIDE_BEST} else ${BESIDE} end)`

const selectAround = prepare(`
  select k.n::int as n, p.position as place, i.changed_at, i.policy_id, c.position, c.heading, c.content
  from unnest($2::text::uuid[], $3::text[]) with ordinality as k(id, content, n)
  cross join lateral (
    select p.position from chunks p
    where p.organization_id = $1 and p.source_item_id = k.id and p.content = k.content
    order by p.position limit 1) p
  cross join lateral (
    select ${itemDate('i')} as changed_at, i.policy_id
    from source_items i
    where i.organization_id = $1 and i.id = k.id limit 1) i
  cross join lateral (
    select c.position, c.heading, c.content from chunks c
    where c.organization_id = $1 and c.source_item_id = k.id
      and c.position between p.position - ${WIDTH} and p.position + ${WIDTH}
    order by c.position limit ${2 * BESIDE_BEST + 1}) c
  order by k.n, c.position`)

/** Reads the chunks around each hit in one statement. */
export function createReadAround(db: Db): ReadAround {
  return async ({ organizationId, readable }, hits) => {
    if (hits.length === 0) return []
    const ids = arrayOf(hits.map(({ sourceItemId }) => sourceItemId))
    const { rows } = await selectAround(db, [organizationId, ids, hits.map(({ content }) => content)])
    const found = Rows.parse(rows).filter((row) => readable.has(row.policy_id))
    const byHit = Map.groupBy(found, ({ n }) => n - 1)
    return hits.map((_, at) => {
      const around = byHit.get(at) ?? []
      const own = around.find(({ position, place }) => position === place)
      if (own === undefined) return undefined
      const beside = around.filter((one) => one !== own)
      return { position: own.position, heading: own.heading, changedAt: own.changed_at, beside }
    })
  }
}
