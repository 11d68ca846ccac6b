import { sql } from 'kysely'
import { z } from 'zod'
import { StartupError } from '../../kernel/errors.ts'
import type { Db } from '../database.ts'

const Cluster = z.object({
  is_coordinator: z.boolean(),
  knows_itself: z.boolean(),
  workers: z.int(),
})
const Vectors = z.array(z.object({ server: z.string(), version: z.string().nullable() }))

/** @returns the version of Citus, and the number of storing servers @throws StartupError with what fixes it */
export async function checkCluster(db: Db): Promise<{ citus: string; workers: number }> {
  const { rows: extensions } = await sql<{ version: string }>`
    select extversion as version from pg_extension where extname = 'citus'`.execute(db)
  const [extension] = extensions
  if (!extension) {
    throw new StartupError(
      'This database does not belong to a Citus cluster: add citus to shared_preload_libraries on every server and run ' +
        '`create extension citus` in this database on each',
    )
  }
  const { rows } = await sql`
    select (select groupid = 0 from pg_dist_local_group) as is_coordinator,
      exists (select from pg_dist_node where groupid = 0) as knows_itself,
      (select count(*)::int from pg_dist_node where isactive and shouldhaveshards and noderole = 'primary') as workers`.execute(
    db,
  )
  const cluster = Cluster.parse(rows[0])
  if (!cluster.is_coordinator)
    throw new StartupError('DATABASE_URL names a worker; set it to the coordinator')
  if (!cluster.knows_itself) {
    throw new StartupError(
      "The coordinator does not know its own address: run `select citus_set_coordinator_host('HOST', PORT)`",
    )
  }
  if (cluster.workers === 0) {
    throw new StartupError("The cluster has no worker: run `select citus_add_node('HOST', PORT)` for each")
  }
  await requireVectors(db)
  return { citus: extension.version, workers: cluster.workers }
}

/** The coordinator creates the extension on its workers; its files must be installed there. */
async function requireVectors(db: Db): Promise<void> {
  const { rows } = await sql`
    select n.nodename || ':' || n.nodeport as server, case when r.success then nullif(r.result, '') end as version
    from run_command_on_all_nodes(
      $$select default_version from pg_available_extensions where name = 'vector'$$) r
    join pg_dist_node n on n.nodeid = r.nodeid`.execute(db)
  for (const { server, version } of Vectors.parse(rows)) {
    const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
    if (version !== null && (major > 0 || minor >= 8)) continue
    throw new StartupError(
      `${server} offers ${version ?? 'no'} pgvector; 0.8 or later is required on every server`,
    )
  }
}
