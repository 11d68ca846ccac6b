import { createTask } from '../../background/index.ts'
import type { EmbeddedQueries } from './embedded-thread.ts'

const INTERVAL_MS = 60_000

/** A server's own thresholds (PostgreSQL manual, "The Autovacuum Daemon"), which an embedded one has nobody to watch. */
const WORN_TABLES = `
  select quote_ident(relname) as name from pg_stat_user_tables
  where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup`

/**
 * Reclaims the space of deleted rows and renews the planner's statistics, once a minute where there is something to
 * do. A server does so in the background; embedded, a table's turn keeps other queries waiting.
 * @param onError gets what failed; the next minute tries again.
 * @returns what stops it; a turn under way ends first.
 */
export function startVacuuming(
  database: EmbeddedQueries,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const vacuuming = createTask({
    act: () => vacuumWornTables(database),
    intervalMs: INTERVAL_MS,
    onError,
    waitsFirst: true,
  })
  vacuuming.start()
  return () => vacuuming.stop()
}

/** One turn. Returns the names of the tables that were worn. */
export async function vacuumWornTables(database: EmbeddedQueries): Promise<string[]> {
  await database.query('select pg_stat_force_next_flush()')
  const { rows } = await database.query<{ name: string }>(WORN_TABLES)
  for (const { name } of rows) await database.query(`vacuum (analyze) ${name}`)
  return rows.map(({ name }) => name)
}
