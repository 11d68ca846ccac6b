import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import { conditionsOf } from '../filter-conditions.ts'
import type { NearestQuery } from '../nearest-query.ts'
import type { RankCandidate } from '../propose/proposal.ts'

const Ids = z.array(z.object({ id: z.string() }))

/**
 * The candidates whose items match the filter's metadata. A snapshot has only hashes of metadata, so it may
 * propose others; it decides every other condition itself.
 */
export async function keepMatching(
  db: Db,
  { organizationId, filter }: NearestQuery,
  candidates: RankCandidate[],
): Promise<RankCandidate[]> {
  const { metadata } = filter
  if (!metadata || Object.keys(metadata).length === 0 || candidates.length === 0) return candidates
  const ids = [...new Set(candidates.map(({ itemId }) => itemId))]
  const { rows } = await sql`
    select f.id from unnest(${`{${ids.join(',')}}`}::text::uuid[]) as g(id)
    cross join lateral (
      select f.id from source_items f
      where f.organization_id = ${organizationId} and f.id = g.id and ${sql.join(conditionsOf({ metadata }), sql` and `)}
      limit 1
    ) f`.execute(db)
  const matching = new Set(Ids.parse(rows).map(({ id }) => id))
  return candidates.filter(({ itemId }) => matching.has(itemId))
}
