import { Kysely, PGliteDialect } from 'kysely'
import type { PGlite } from '@electric-sql/pglite'
import type { OpenDatabase } from '../database.ts'
import type { Schema } from '../schema.ts'

/** What a new PGlite starts with; loading it takes half a second, so only who uses it pays. */
export async function createPGlite(options: { dataDir?: string; loadDataDir?: Blob }): Promise<PGlite> {
  const { PGlite } = await import('@electric-sql/pglite')
  const { vector } = await import('@electric-sql/pglite-pgvector')
  return await PGlite.create({ ...options, extensions: { vector } })
}

/** Wraps a running PGlite. */
export function embeddedDatabase(
  pglite: PGlite,
  release: () => Promise<void> = async () => {},
): OpenDatabase {
  return {
    db: new Kysely<Schema>({ dialect: new PGliteDialect({ pglite }) }),
    driver: 'embedded',
    async close() {
      await pglite.close()
      await release()
    },
  }
}
