import { rm } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import path from 'node:path'
import type { Settings } from '../config.ts'
import type { OpenDatabase } from '../database/database.ts'
import type { Metrics } from '../health/index.ts'
import { SavedSnapshots, createVectorMemory, type VectorMemory } from '../vector-memory/index.ts'
import type { Logger } from '../kernel/logger.ts'

/** With more threads, memory bandwidth is the bottleneck. */
const THREADS_MAX = 4
/** A server works in parallel; the embedded database blocks all other requests meanwhile. */
const WAITS = {
  embedded: { loadMs: 10_000, catchUpMs: 10_000 },
  postgres: { loadMs: 0, catchUpMs: 250 },
}

/** Where searched vectors are cached; null when caching is off or this process does not search. */
export async function openVectorMemory(
  { settings, database, logger }: { settings: Settings; database: OpenDatabase; logger: Logger },
  metrics: Metrics,
): Promise<VectorMemory | null> {
  const megabytes = settings.SEARCH_MEMORY_MB ?? defaultMegabytes()
  // The embedded database's files belong to this process alone. A server delivers vectors fast enough without saved
  // copies.
  const folder = database.files === null ? null : path.join(settings.DATA_DIR, 'vector-memory')
  if (megabytes === 0 || settings.ROLE === 'worker') {
    // Nothing else would remove what an earlier process saved.
    if (folder !== null) await rm(folder, { recursive: true, force: true })
    return null
  }
  const memory = createVectorMemory({
    db: database.db,
    bytes: megabytes * 2 ** 20,
    threads: Math.min(THREADS_MAX, availableParallelism()),
    saved: folder === null ? undefined : new SavedSnapshots({ folder, logger }),
    waits: WAITS[database.driver],
    onError: (err, organizationId) =>
      logger.error(
        { err, organizationId },
        'vectors could not be loaded into memory; the database answers searches',
      ),
  })
  metrics.watchVectorMemory(memory.held)
  return memory
}

/** A quarter of the memory that the process can use, at most 1024. */
function defaultMegabytes(): number {
  const bytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  return Math.min(1024, Math.floor(bytes / 4 / 2 ** 20))
}
