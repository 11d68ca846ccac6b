/**
 * Switches the service to another embedding model at run time.
 *
 * The change downloads a known model's files, then loads and tests the model; until then nothing changes. One
 * step then activates it: its settings are stored, written to the choice file, and every organization starts
 * to move while the former model keeps answering. When all have moved, the former model is dropped. If the
 * move keeps failing, the change is rolled back. A newer choice cancels the one in progress.
 */
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { EmbeddingModel } from '../../inference/embedding-model.ts'
import {
  downloadModel,
  type EmbeddingModelSettings,
  findKnownModel,
  tryModel,
} from '../../inference/embedding-models/create-embedding-model.ts'
import { MINUTE_MS } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { ModelRegistry } from '../model-registry.ts'
import type { ModelMove } from '../move/model-move.ts'
import type { StoredModelSettings } from '../stored-settings.ts'
import type { Choice, ChoiceFile } from './choice-file.ts'
import { reasonOf, refusalOf } from './failure-words.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Change } from './schemas.ts'

export interface ChoiceRequest {
  settings: EmbeddingModelSettings
  mirrorUrl?: string | undefined
}

export interface ModelChoice {
  /** Starts a change and returns immediately; cancels one in progress. @throws AppError `embedding_model_fixed` */
  choose(request: ChoiceRequest): void
  /** The settings of the configured model. */
  present(): EmbeddingModelSettings
  change(): Change
  /** Continues a move that a stopped process left unfinished. Call it at start. */
  resume(): void
  /** Stops; the next process continues a change whose model is already active. */
  stop(): Promise<void>
}

export interface ModelChoiceOptions {
  file: ChoiceFile
  present: EmbeddingModelSettings
  /** The settings before those, if not all chunks had moved when the service stopped. */
  former: EmbeddingModelSettings | null
  /** Why the model cannot be chosen here and what to do instead, for the requested settings; null: it can. */
  fixedBecause: (settings: EmbeddingModelSettings) => string | null
  modelsDir: string
  stored: Pick<StoredModelSettings, 'store' | 'configure'>
  models: Pick<ModelRegistry, 'configure'>
  load: (settings: EmbeddingModelSettings) => Promise<EmbeddingModel>
  modelMove: Pick<ModelMove, 'startAll' | 'overall'>
  fetch: typeof fetch
  logger: Pick<Logger, 'info' | 'error'>
  /** Milliseconds: how often moves are checked, and how long they may fail before a rollback. */
  pollMs?: number
  patienceMs?: number
}

const POLL_MS = 1_000
/** A server restart or a sleeping laptop must not discard hours of work. */
const PATIENCE_MS = 5 * MINUTE_MS

const IDLE: Change = {
  status: 'idle',
  step: null,
  model: null,
  bytesDone: 0,
  bytesTotal: 0,
  errorMessage: null,
}

/** State shared by the steps of a change. */
interface Stand {
  readonly options: ModelChoiceOptions
  present: EmbeddingModelSettings
  former: EmbeddingModelSettings | null
  change: Change
  /** Aborts the latest change. */
  underWay: AbortController
  /** Activations run one at a time and are not interrupted. */
  readonly oneAtATime: ReturnType<typeof pLimit>
}

/** Nothing runs before `choose` or `resume`. */
export function createModelChoice(options: ModelChoiceOptions): ModelChoice {
  const { present, former } = options
  const stand: Stand = {
    options,
    present,
    former,
    change: IDLE,
    underWay: new AbortController(),
    oneAtATime: pLimit(1),
  }
  return {
    choose(request) {
      const reason = options.fixedBecause(request.settings)
      if (reason !== null) throw new AppError('embedding_model_fixed', reason)
      begin(stand, request.settings, (signal) => changeTo(stand, request, signal))
    },
    present: () => stand.present,
    change: () => stand.change,
    resume() {
      if (stand.former !== null) begin(stand, stand.present, (signal) => moveAll(stand, signal))
    },
    async stop() {
      stand.underWay.abort()
      await stand.oneAtATime(() => {})
    },
  }
}

/** Cancels the change in progress and starts this one in the background. */
function begin(
  stand: Stand,
  settings: EmbeddingModelSettings,
  work: (signal: AbortSignal) => Promise<void>,
): void {
  stand.underWay.abort()
  stand.underWay = new AbortController()
  stand.change = { ...IDLE, status: 'running', model: nameOf(settings) }
  void end(stand, work(stand.underWay.signal), stand.underWay.signal)
}

/** Records how a change ended, unless a newer one was requested meanwhile. */
async function end(stand: Stand, work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { model } = stand.change
  const { logger } = stand.options
  try {
    await work
    if (signal.aborted) return
    stand.change = { ...stand.change, status: 'succeeded', step: null }
    logger.info({ model }, 'the embedding model was changed')
  } catch (err) {
    if (signal.aborted) return
    stand.change = { ...stand.change, status: 'failed', step: null, errorMessage: reasonOf(err) }
    logger.error({ err, model }, 'the embedding model was not changed')
  }
}

function progress(stand: Stand, signal: AbortSignal, part: Partial<Change>): void {
  if (!signal.aborted) stand.change = { ...stand.change, ...part }
}

async function changeTo(
  stand: Stand,
  { settings, mirrorUrl }: ChoiceRequest,
  signal: AbortSignal,
): Promise<void> {
  const { modelsDir, fetch, load } = stand.options
  const known = settings.model === undefined ? undefined : findKnownModel(settings.model)
  if (settings.provider === 'transformers' && known) {
    progress(stand, signal, { step: 'downloading' })
    const onProgress = (bytesDone: number, bytesTotal: number): void =>
      progress(stand, signal, { bytesDone, bytesTotal })
    await downloadModel(known, { fetch, modelsDir, mirrorUrl, onProgress, signal })
  }
  progress(stand, signal, { step: 'trying' })
  const model = await tried(() => load(settings), settings, signal)
  // While chunks still move, every chunk has a vector of the model before.
  await take(stand, model, signal, () => ({
    chosen: withDimensions(settings, model),
    former: stand.former ?? stand.present,
  }))
  await moveAll(stand, signal)
}

/** Loads and tests a model. @throws AppError or StartupError that says why it is unusable and what to do */
async function tried(
  load: () => Promise<EmbeddingModel>,
  settings: EmbeddingModelSettings,
  signal: AbortSignal,
): Promise<EmbeddingModel> {
  try {
    const model = await load()
    await tryModel(model, signal)
    return model
  } catch (error) {
    signal.throwIfAborted()
    throw refusalOf(error, settings)
  }
}

/** Makes a model the configured one, for this process and the next. All or nothing. */
async function take(
  stand: Stand,
  model: EmbeddingModel,
  signal: AbortSignal,
  choose: () => Choice,
): Promise<void> {
  const { stored, models, file } = stand.options
  await stand.oneAtATime(async () => {
    signal.throwIfAborted()
    const choice = choose()
    await stored.store(model, choice.chosen)
    await file.write(choice).catch((cause: unknown) => {
      throw new AppError('internal', `The choice cannot be written to ${file.path}: ${reasonOf(cause)}`, {
        cause,
      })
    })
    stored.configure(model, choice.chosen)
    models.configure(model)
    stand.present = choice.chosen
    stand.former = choice.former
  })
}

/** Moves all organizations to the configured model; rolls back if that fails for too long. */
async function moveAll(stand: Stand, signal: AbortSignal): Promise<void> {
  const { pollMs = POLL_MS, patienceMs = PATIENCE_MS, file } = stand.options
  progress(stand, signal, { step: 'moving' })
  let failingSince: number | null = null
  for (;;) {
    const { isDone, errorMessage } = await lookAtMoves(stand.options)
    if (isDone) break
    if (errorMessage === null) failingSince = null
    else {
      failingSince ??= performance.now()
      if (performance.now() - failingSince >= patienceMs) await goBack(stand, errorMessage, signal)
    }
    await delay(pollMs, undefined, { signal, ref: false })
  }
  await stand.oneAtATime(async () => {
    signal.throwIfAborted()
    await file.write({ chosen: stand.present, former: null })
    stand.former = null
  })
}

/** Starts the moves that have not started. The database or a model's server may be temporarily unavailable. */
async function lookAtMoves({
  modelMove,
}: ModelChoiceOptions): Promise<{ isDone: boolean; errorMessage: string | null }> {
  try {
    const begun = await modelMove.startAll()
    const { movingOrganizations, errorMessage } = await modelMove.overall()
    return { isDone: begun === 0 && movingOrganizations === 0, errorMessage }
  } catch (error) {
    return { isDone: false, errorMessage: reasonOf(error) }
  }
}

/** @throws AppError with the reason, always */
async function goBack(stand: Stand, reason: string, signal: AbortSignal): Promise<never> {
  const { load, modelMove } = stand.options
  const failed = `The chunks could not be moved to ${nameOf(stand.present)}: ${reason}`
  const settings = stand.former
  if (settings === null) throw new AppError('upstream_error', failed)
  const model = await load(settings)
  await take(stand, model, signal, () => ({ chosen: settings, former: null }))
  await modelMove.startAll()
  throw new AppError(
    'upstream_error',
    `${failed} ${model.id} is the embedding model again, and answered throughout`,
  )
}

function nameOf({ model, provider }: EmbeddingModelSettings): string {
  return model ?? provider
}

/** Adds the dimensions to a server model's settings, so that the next start need not request them. */
function withDimensions(settings: EmbeddingModelSettings, model: EmbeddingModel): EmbeddingModelSettings {
  return settings.provider === 'openai' && settings.dimensions === undefined
    ? { ...settings, knownDimensions: model.dimensions }
    : settings
}
