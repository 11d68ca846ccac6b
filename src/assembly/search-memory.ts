import { rm } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import path from 'node:path'
import type { Settings } from '../config.ts'
import type { OpenDatabase } from '../database/database.ts'
import type { Metrics } from '../health/index.ts'
import { createSavedSnapshots, createVectorMemory, type VectorMemory } from '../vector-memory/index.ts'
import type { Logger } from '../kernel/logger.ts'

/** More threads than these wait for the machine's memory, and not for each other. */
const THREADS_MAX = 4
/** A server works beside us; the embedded database keeps all others waiting while it does, and scans for longer than a snapshot takes. */
const PATIENCE = {
  embedded: { loadMs: 10_000, followMs: 10_000 },
  postgres: { loadMs: 0, followMs: 250 },
}

/** Where vectors that are searched are held; null: nothing is to be held, or this process does not search. */
export async function createSearchMemory(
  { settings, database, logger }: { settings: Settings; database: OpenDatabase; logger: Logger },
  metrics: Metrics,
): Promise<VectorMemory | null> {
  const megabytes = settings.SEARCH_MEMORY_MB ?? defaultMegabytes()
  // Where the database has files of its own, no other process has them; a server is asked for vectors soon enough.
  const folder = database.files === null ? null : path.join(settings.DATA_DIR, 'vector-memory')
  if (megabytes === 0 || settings.ROLE === 'worker') {
    // Nobody would remove what an earlier process has saved.
    if (folder !== null) await rm(folder, { recursive: true, force: true })
    return null
  }
  const memory = createVectorMemory({
    db: database.db,
    bytes: megabytes * 2 ** 20,
    threads: Math.min(THREADS_MAX, availableParallelism()),
    saved: folder === null ? undefined : createSavedSnapshots({ folder, logger }),
    patience: PATIENCE[database.driver],
    onError: (err, organizationId) =>
      logger.error({ err, organizationId }, 'vectors could not be held in memory; the database answers'),
  })
  metrics.watchSearchMemory(memory.held)
  return memory
}

/** A quarter of what the process may have of the machine, at most 1024. */
function defaultMegabytes(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.min(1024, Math.floor(bytes / 4 / 2 ** 20))
}
