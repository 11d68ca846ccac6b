import type { Db } from '../database/database.ts'
import type { ChunkPage, ChunkQuery } from './console-schemas.ts'

/** The chunks of an item in reading order. The caller checks that it may be read. */
export async function listChunks(
  db: Db,
  organizationId: string,
  itemId: string,
  { after, limit }: ChunkQuery,
): Promise<ChunkPage> {
  const ofItem = db
    .selectFrom('chunks')
    .where('organization_id', '=', organizationId)
    .where('source_item_id', '=', itemId)
  const rows = await ofItem
    .select(['position', 'heading', 'content'])
    .where('position', '>', after ?? -1)
    .orderBy('position')
    .limit(limit + 1)
    .execute()
  const { total } = await ofItem.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
  const chunks = rows.slice(0, limit)
  return {
    chunks,
    total: Number(total),
    nextAfter: rows.length > limit ? (chunks.at(-1)?.position ?? null) : null,
  }
}
