import { createTask, releaseAllLeases, type Task } from '../background/index.ts'
import type { Billing } from '../billing/index.ts'
import { warnOfOtherModels } from '../models/index.ts'
import type { Metrics } from '../health/index.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import { createPolicyDeriver, type Files, type JournaledIngests } from '../items/index.ts'
import { createCanvasWorker } from '../memory-canvas/index.ts'
import type { OrganizationRemovals } from '../organization-removal/index.ts'
import type { OutgoingWebhooks } from '../outgoing-webhooks/index.ts'
import { createEvidenceCalibrator } from '../evidence/index.ts'
import type { Removals } from '../sources/index.ts'
import type { VectorMemory } from '../vector-memory/index.ts'
import type { ConnectorEngine } from './connector-engine.ts'
import type { EmbeddingEngine } from './embedding-engine.ts'
import type { Foundation } from './foundation.ts'
import type { Logger } from '../kernel/logger.ts'

interface Working {
  embedding: EmbeddingEngine
  periodicTasks: readonly Pick<Task, 'start' | 'stop'>[]
  files: Files
  /** Starts before anything else that changes items. */
  journaled: JournaledIngests | null
  removals: Removals
  organizationRemovals: OrganizationRemovals
  connectors: ConnectorEngine
  billing: Billing
  outgoing: OutgoingWebhooks
  metrics: Metrics
  memory: VectorMemory | null
}

export interface BackgroundWork {
  start(): Promise<void>
  readForCanvas(): Promise<void>
  /** Stops the work and saves cached vectors. */
  stop(): Promise<void>
}

export function createBackgroundWork(
  { settings, database, logger, termWeights }: Foundation & { termWeights: TermWeights },
  {
    embedding: { models, modelMove, approximateIndexes },
    periodicTasks,
    files,
    journaled,
    removals,
    organizationRemovals,
    connectors,
    billing,
    outgoing,
    metrics,
    memory,
  }: Working,
): BackgroundWork {
  const canvasWorker = createCanvasWorker({
    db: database.db,
    logger,
    terms: termWeights,
    onRead: metrics.observeCanvasItems,
    isBusy: metrics.isAnswering,
  })
  const policyDeriver = createPolicyDeriver({ db: database.db, logger })
  const evidenceCalibrator = createEvidenceCalibrator({ db: database.db, models, logger })
  const workers = [policyDeriver, canvasWorker, evidenceCalibrator]
  const forgetting = memory && forgettingOf(memory, logger)
  return {
    async start() {
      // No other process can have the embedded database open.
      if (database.driver === 'embedded') await releaseAllLeases(database.db)
      await Promise.all([journaled?.start(), warnOfOtherModels(database.db, models, logger)])
      memory?.start()
      forgetting?.start()
      for (const task of periodicTasks) task.start()
      modelMove.startResuming()
      approximateIndexes.start()
      await connectors.start()
      if (settings.ROLE === 'api') return
      removals.start()
      organizationRemovals.start()
      for (const worker of workers) worker.start()
      billing.start()
      outgoing.start()
    },
    readForCanvas: () => canvasWorker.readWaiting(),
    async stop() {
      const tasks = [
        ...periodicTasks,
        files,
        modelMove,
        approximateIndexes,
        removals,
        organizationRemovals,
        connectors,
        billing,
        outgoing,
        ...workers,
      ]
      await Promise.all(tasks.map((task) => task.stop()))
      await journaled?.stop()
      await forgetting?.stop()
      // Saves cached vectors last, when nothing changes them any more.
      await memory?.close()
    },
  }
}

const FORGET_MS = 60_000

/** Any process can remove an organization, so each process checks which ones it still needs. */
function forgettingOf(memory: VectorMemory, logger: Logger): Task {
  return createTask({
    act: () => memory.evictRemoved(),
    intervalMs: FORGET_MS,
    onError: (err) =>
      logger.warn({ err }, 'vectors of removed organizations stay in memory until the next attempt'),
  })
}
