import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { mayBeRead } from '../permissions/index.ts'
import { providersOf } from '../providers/index.ts'
import { changeItems } from '../item-changes/index.ts'
import type { DeletedSeveral } from './console-schemas.ts'
import { deleteItems, recordDeletion } from './delete-items.ts'

/** One transaction deletes no more, because everything of an item is deleted with it. */
export const DELETED_AT_ONCE_MAX = 100

const Ids = z.array(z.object({ id: z.string() }))

/** Deletes the given items that the viewer may read, with one audit event each, in one transaction. */
export async function deleteSeveral(
  db: Db,
  viewer: Viewer,
  ids: readonly string[],
  at: Date,
): Promise<DeletedSeveral> {
  const { organizationId } = viewer
  const deleted = await changeItems(db, organizationId, async (tx, changes) => {
    const readable = await readableOf(tx, viewer, ids)
    if (readable.length === 0) return []
    const gone = await deleteItems(tx, changes, { organizationId, ids: readable })
    for (const item of gone) await recordDeletion(tx, viewer, item, at)
    return gone.map(({ id }) => id)
  })
  const isGone = new Set(deleted)
  return { deleted, notFound: ids.filter((id) => !isGone.has(id)) }
}

async function readableOf(tx: Tx, viewer: Viewer, ids: readonly string[]): Promise<string[]> {
  const { organizationId, readable } = viewer
  const { rows } = await sql`
    select i.id from source_items i
    join sources s on s.organization_id = i.organization_id and s.id = i.source_id and s.removed_at is null
    where i.organization_id = ${organizationId} and i.id in (${sql.join([...ids])})
      and i.provider in (${sql.join([...providersOf(viewer)])}) and ${mayBeRead(readable, 'policy_id')}`.execute(
    tx,
  )
  return Ids.parse(rows).map(({ id }) => id)
}
