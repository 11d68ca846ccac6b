import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { Migrator, type Migration, type MigrationProvider } from 'kysely/migration'
import { StartupError } from '../kernel/errors.ts'
import { makeOnce } from '../kernel/make-once.ts'
import type { Db } from './database.ts'

/** Refuses a database of a newer version; `what` begins the sentence. */
export function newerDatabase(what: string, migration: string): StartupError {
  return new StartupError(
    `${what} was migrated by a newer version of the service: it has the migration ${migration}, which this version does not know. Start that version or a later one; nothing was changed`,
  )
}

/** Reads the folder once: an upgrade on disk must not make the running version not ready. */
export function migrationsIn(folder: URL): MigrationProvider {
  return { getMigrations: makeOnce(() => readMigrations(folder)) }
}

const sqlFiles = migrationsIn(new URL('./migrations/', import.meta.url))

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  const migrations: Record<string, Migration> = {}
  for (const name of names) {
    const text = await readFile(new URL(name, folder), 'utf8')
    const statements = statementsOf(text)
    migrations[name.replace(/\.sql$/, '')] = {
      async up(db) {
        for (const statement of statements) await sql.raw(statement).execute(db)
      },
    }
  }
  return migrations
}

/** Splits a file into statements, ending with `;` at a line's end, except between `$$`: PGlite runs one at a time. */
function statementsOf(text: string): string[] {
  const statements: string[] = []
  let open = ''
  for (const part of text.split(/;[ \t]*$/m)) {
    open += part
    if (open.split('$$').length % 2 === 0) open += ';'
    else {
      statements.push(open)
      open = ''
    }
  }
  return statements.filter((statement) => statement.replace(/^\s*--.*$/gm, '').trim() !== '')
}

/** The first of these migrations that this version does not have; null when it has them all. */
export async function findUnknownMigrations(names: readonly string[]): Promise<string | null> {
  const known = await sqlFiles.getMigrations()
  return names.find((name) => !Object.hasOwn(known, name)) ?? null
}

export function createMigrator(db: Db): Migrator {
  return new Migrator({ db, provider: sqlFiles })
}

/** Brings the schema up to date, one instance at a time. @returns the applied migrations @throws StartupError */
export async function migrate(db: Db): Promise<string[]> {
  const unknown = await findUnknownMigrations(await appliedMigrations(db))
  if (unknown !== null) throw newerDatabase('The database', unknown)
  const { error, results } = await createMigrator(db).migrateToLatest()
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'before the first'
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new StartupError(`The database could not be migrated (${failed}): ${reason}`, { cause: error })
  }
  return (results ?? []).map((result) => result.migrationName)
}

/** In order; none for a new database. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  const { rows: found } = await sql<{ isThere: boolean }>`
    select to_regclass('kysely_migration') is not null as "isThere"`.execute(db)
  if (found[0]?.isThere !== true) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

export async function isMigrated(db: Db): Promise<boolean> {
  const migrations = await createMigrator(db).getMigrations()
  return migrations.every((migration) => migration.executedAt !== undefined)
}
