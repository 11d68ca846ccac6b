import { createTask, releaseLease } from '../background/index.ts'
import type { Db } from '../database/database.ts'
import type { ModelRegistry } from '../models/index.ts'
import { calibratedModels } from '../inference/calibrations.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { MINUTE_MS } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { runCooperatively } from '../kernel/cooperative.ts'
import { FOREIGN_QUESTIONS } from './foreign-questions.ts'
import { measuring, type OwnCalibration } from './measure.ts'
import { askingFor } from './question-of.ts'
import {
  type Calibrated,
  claim,
  countChunks,
  findOrganizations,
  deleteCalibrations,
  type ProviderChunks,
  sampleChunks,
} from './store.ts'
import type { Logger } from '../kernel/logger.ts'

/** Measures the scores of uncalibrated models with the data that organizations have stored. */
export interface EvidenceCalibrator {
  /** Runs now and every five minutes. */
  start(): void
  /** Measures everything due. Never rejects: failures are logged. */
  calibrate(): Promise<void>
  /** Stops the work in progress and releases its lease. */
  stop(): Promise<void>
}

const INTERVAL_MS = 5 * MINUTE_MS
/** Enough to embed some 160 questions, one at a time. */
const LEASE_SECONDS = 10 * 60
/** The minimum number of chunks for a measurement that is not noise. */
const CHUNKS_MIN = 50
const SAMPLE_MAX = 400
const OWN_QUESTIONS_MAX = 100
/** Measures again when the number of chunks has grown or shrunk by this factor. */
const RENEWED_AFTER = 2

/** Calibrates one organization and provider at a time. The database records what is due, so a crash loses nothing. */
export function createEvidenceCalibrator({
  db,
  models,
  logger,
}: {
  db: Db
  models: ModelRegistry
  logger: Pick<Logger, 'error'>
}): EvidenceCalibrator {
  async function calibrateProvider(
    of: Calibrated,
    { provider, chunks }: ProviderChunks,
    model: EmbeddingModel,
  ): Promise<void> {
    const lease = await claim(db, of, provider, LEASE_SECONDS)
    if (lease === null) return
    let measured: OwnCalibration | null = null
    try {
      measured = await measureProvider(db, { of, provider, model, signal: task.signal })
    } finally {
      await releaseLease(db, lease, measured === null ? {} : { set: { ...measured, chunks } })
    }
  }

  async function calibrateOrganization(of: Calibrated, modelName: string): Promise<void> {
    const providers = await countChunks(db, of)
    const tooFew = providers.filter(({ chunks }) => chunks < CHUNKS_MIN)
    await deleteCalibrations(
      db,
      of,
      tooFew.map(({ provider }) => provider),
    )
    const due = providers.filter(isDue)
    if (due.length === 0) return
    const model = await models.find(modelName)
    if (model === null) return
    for (const one of due) {
      if (task.signal.aborted) return
      await calibrateProvider(of, one, model)
    }
  }

  const task = createTask({
    async act() {
      for (const { modelName, ...of } of await findOrganizations(db, calibratedModels())) {
        if (task.signal.aborted) return
        await calibrateOrganization(of, modelName).catch((err: unknown) => {
          if (task.signal.aborted) return
          const { organizationId } = of
          logger.error(
            { organizationId, model: modelName, err },
            'an embedding model could not be calibrated; will retry',
          )
        })
      }
    },
    intervalMs: INTERVAL_MS,
    onError: (err) => logger.error({ err }, 'the search for models to calibrate failed'),
  })

  return {
    start: task.start,
    calibrate: task.ask,
    stop: task.stop,
  }
}

function isDue({ chunks, measuredChunks }: ProviderChunks): boolean {
  if (chunks < CHUNKS_MIN) return false
  return chunks >= RENEWED_AFTER * measuredChunks || chunks * RENEWED_AFTER <= measuredChunks
}

async function measureProvider(
  db: Db,
  {
    of,
    provider,
    model,
    signal,
  }: { of: Calibrated; provider: ProviderId; model: EmbeddingModel; signal: AbortSignal },
): Promise<OwnCalibration> {
  const sample = await sampleChunks(db, of, provider, SAMPLE_MAX)
  const questions: string[] = []
  for (const { content } of sample) {
    if (questions.length === OWN_QUESTIONS_MAX) break
    const question = await runCooperatively(askingFor(content), signal)
    if (question !== null) questions.push(question)
  }
  const foreign = await embedEach(model, FOREIGN_QUESTIONS, signal)
  const own = await embedEach(model, questions, signal)
  return await runCooperatively(
    measuring({ chunks: sample.map(({ vector }) => vector), foreign, own }),
    signal,
  )
}

async function embedEach(
  model: EmbeddingModel,
  questions: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = []
  for (const question of questions) vectors.push(await model.embedQuery(question, signal))
  return vectors
}
