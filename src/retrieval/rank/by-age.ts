import { z } from 'zod'
import { DAY_MS } from '../../kernel/clock.ts'
import { arrayOf } from '../../database/array-of.ts'
import type { Db } from '../../database/database.ts'
import { itemDate } from '../../database/item-date.ts'
import { prepare } from '../../database/prepared.ts'
import type { NearestChunk } from '../nearest-query.ts'

/** The relevance an item loses with age at most, so that an old item that is the only answer ranks first. */
export const AGE_SHARE = 0.35

/** Freshness from 1 to 0; halves after each half-life. */
export function freshness(changedAt: Date, now: Date, halfLifeDays: number): number {
  const days = Math.max(0, now.getTime() - changedAt.getTime()) / DAY_MS
  return 2 ** (-days / halfLifeDays)
}

const Rows = z.array(z.object({ id: z.string(), changed_at: z.date() }))

const selectChanged = prepare(`
  select k.id::text as id, i.changed_at
  from unnest($2::text::uuid[]) as k(id)
  cross join lateral (
    select ${itemDate('i')} as changed_at from source_items i
    where i.organization_id = $1 and i.id = k.id limit 1) i`)

/** Orders chunks by relevance, reduced by age. Ties keep their order. */
export async function orderByAge<Chunk extends NearestChunk & { relevance?: number }>(
  db: Db,
  { organizationId, now, recency }: { organizationId: string; now: Date; recency: number },
  chunks: readonly Chunk[],
): Promise<(Chunk & { relevance: number })[]> {
  if (chunks.length === 0) return []
  const ids = new Set(chunks.map(({ sourceItemId }) => sourceItemId))
  const { rows } = await selectChanged(db, [organizationId, arrayOf(ids)])
  const times = new Map(Rows.parse(rows).map(({ id, changed_at: at }) => [id, at]))
  return chunks
    .map((chunk) => {
      const changedAt = times.get(chunk.sourceItemId)
      const kept = changedAt === undefined ? 0 : freshness(changedAt, now, recency)
      return { ...chunk, relevance: (chunk.relevance ?? chunk.score) * (1 - AGE_SHARE * (1 - kept)) }
    })
    .toSorted((a, b) => b.relevance - a.relevance)
}
