import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../database/database.ts'
import type { VectorMemory } from '../../vector-memory/index.ts'
import type { NearestQuery } from '../nearest-query.ts'
import type { ReadAhead } from '../read-ahead.ts'
import { createIndexProposer } from './by-index.ts'
import { createScanProposer } from './by-scan.ts'
import { createSnapshotProposer } from './by-snapshot.ts'
import type { Proposer } from './proposal.ts'

/** A snapshot too far behind is dropped and rebuilt. */
const SNAPSHOTS_MAX = 2
/** If more items name an entity, the database filters them itself. */
const NAMED_ITEMS_MAX = 50_000

/** The ways to answer a query, fastest first. The last one, a database scan, can always answer. */
export async function* proposersFor(
  query: NearestQuery,
  deps: { db: Db; memory: VectorMemory | undefined; readAhead: ReadAhead },
): AsyncGenerator<Proposer, void, void> {
  const { db, memory } = deps
  if (memory) yield* snapshotProposers(query, { ...deps, memory })
  // An index's results depend on chunks that the user may not read.
  const byIndex = query.readable.isEverything ? await createIndexProposer(db, query) : null
  if (byIndex) yield byIndex
  yield createScanProposer(db, query)
}

async function* snapshotProposers(
  query: NearestQuery,
  { db, memory, readAhead }: { db: Db; memory: VectorMemory; readAhead: ReadAhead },
): AsyncGenerator<Proposer, void, void> {
  const itemIds = await namedItems(db, query)
  if (itemIds === undefined) return
  for (let tries = 1; tries <= SNAPSHOTS_MAX; tries++) {
    const held = await memory.take({
      organizationId: query.organizationId,
      modelId: query.model.id,
      dimensions: query.vector.length,
    })
    if (held === null) return
    try {
      yield createSnapshotProposer(held, query, { itemIds, readAhead })
      if (!held.isDropped) return
    } finally {
      held.release()
    }
  }
}

const Named = z.array(z.object({ source_item_id: z.string() }))

/** The items that name the filter's entity; null: no entity; undefined: too many. */
async function namedItems(
  db: Db,
  { organizationId, entityIds }: NearestQuery,
): Promise<string[] | null | undefined> {
  if (entityIds === null) return null
  const { rows } = await sql`
    select distinct n.source_item_id from item_entities n
    where n.organization_id = ${organizationId} and n.entity_id in (${sql.join([...entityIds])})
    limit ${NAMED_ITEMS_MAX + 1}`.execute(db)
  return rows.length > NAMED_ITEMS_MAX ? undefined : Named.parse(rows).map((row) => row.source_item_id)
}
