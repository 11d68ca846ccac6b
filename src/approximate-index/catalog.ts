import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { NAME_PREFIX } from './index-ddl.ts'

const FoundIndex = z.object({
  name: z.string(),
  /** False for a running or canceled build. */
  isValid: z.boolean(),
  /** Vectors indexed so far by a running build; null: no build is running. */
  vectorsDone: z.number().nullable(),
  bytes: z.number(),
})
type FoundIndex = z.output<typeof FoundIndex>
const FoundIndexes = z.array(FoundIndex)

/** Every approximate index of the database, valid or not. */
export async function findIndexes(db: Db): Promise<FoundIndex[]> {
  const { rows } = await sql`
    select c.relname::text as name, i.indisvalid as "isValid", p.tuples_done::float8 as "vectorsDone",
      pg_relation_size(c.oid)::float8 as bytes
    from pg_index i join pg_class c on c.oid = i.indexrelid
    left join pg_stat_progress_create_index p on p.index_relid = c.oid
    where i.indrelid = to_regclass('chunk_embeddings') and starts_with(c.relname::text, ${NAME_PREFIX})
    order by c.relname`.execute(db)
  return FoundIndexes.parse(rows)
}

/** undefined: no such index. */
export async function findIndex(db: Db, name: string): Promise<FoundIndex | undefined> {
  return (await findIndexes(db)).find((found) => found.name === name)
}
