import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { Migrator, type Migration, type MigrationProvider } from 'kysely/migration'
import { StartupError } from '../kernel/errors.ts'
import type { Db } from './database.ts'

const MIGRATIONS_FOLDER = new URL('./migrations/', import.meta.url)

/** Reads the numbered SQL files. Statements end with `;` at the end of a line, since the embedded database takes one at a time. */
const sqlFiles: MigrationProvider = {
  async getMigrations() {
    const names = (await readdir(MIGRATIONS_FOLDER)).filter((name) => name.endsWith('.sql')).toSorted()
    const migrations: Record<string, Migration> = {}
    for (const name of names) {
      const text = await readFile(new URL(name, MIGRATIONS_FOLDER), 'utf8')
      const statements = text
        .split(/;[ \t]*$/m)
        .filter((part) => part.replace(/^\s*--.*$/gm, '').trim() !== '')
      migrations[name.replace(/\.sql$/, '')] = {
        async up(db) {
          for (const statement of statements) await sql.raw(statement).execute(db)
        },
      }
    }
    return migrations
  },
}

/** Applies the migrations of this version to a database, one by one where asked to. */
export function createMigrator(db: Db): Migrator {
  return new Migrator({ db, provider: sqlFiles })
}

/**
 * Brings the schema up to date; instances that start together take turns.
 * @returns the names of the migrations that were applied now.
 * @throws StartupError when one fails; nothing of it is kept.
 */
export async function migrate(db: Db): Promise<string[]> {
  const { error, results } = await createMigrator(db).migrateToLatest()
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'before the first'
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new StartupError(`The database could not be migrated (${failed}): ${reason}`, { cause: error })
  }
  return (results ?? []).map((result) => result.migrationName)
}

/** Whether every migration of this version has been applied. */
export async function isMigrated(db: Db): Promise<boolean> {
  const migrations = await createMigrator(db).getMigrations()
  return migrations.every((migration) => migration.executedAt !== undefined)
}
