import { createTask } from '../../background/index.ts'
import type { EmbeddedQueries, EmbeddedThread } from './embedded-thread.ts'

const INTERVAL_MS = 60_000

/** PostgreSQL's own thresholds (manual, "The Autovacuum Daemon"); the embedded database has no autovacuum. */
const WORN_TABLES = `
  select quote_ident(relname) as name from pg_stat_user_tables
  where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`

/** With more log than this since the last checkpoint, a stop takes noticeably longer. */
const LOG_BYTES_MAX = 8 * 2 ** 20
const NEEDS_CHECKPOINT = `
  select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${LOG_BYTES_MAX} as "isNeeded" from pg_control_checkpoint()`

/** Vacuums and analyzes worn tables and writes changed pages to disk, once a minute. Returns what stops it. */
export function startVacuuming(
  database: EmbeddedThread,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const vacuuming = createTask({
    async act() {
      await vacuumWornTables(database)
      await checkpointIfIdle(database)
    },
    intervalMs: INTERVAL_MS,
    onError,
    waitsFirst: true,
  })
  vacuuming.start()
  return () => vacuuming.stop()
}

/** @returns the names of the worn tables */
export async function vacuumWornTables(database: EmbeddedQueries): Promise<string[]> {
  await database.query('select pg_stat_force_next_flush()')
  const { rows } = await database.query<{ name: string }>(WORN_TABLES)
  for (const { name } of rows) await database.query(`vacuum (analyze) ${name}`)
  return rows.map(({ name }) => name)
}

/** Writes changed pages to disk unless there are few, or other queries wait. Returns whether it did. */
export async function checkpointIfIdle(database: EmbeddedThread): Promise<boolean> {
  const { rows } = await database.query<{ isNeeded: boolean }>(NEEDS_CHECKPOINT)
  if (rows[0]?.isNeeded !== true || database.isAsked) return false
  await database.query('checkpoint')
  return true
}
