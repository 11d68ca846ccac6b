/**
 * Puts the service on another embedding model while it runs.
 *
 * A known model's files are brought, the model is loaded and tried; until then nothing has changed. Then one step sets it:
 * its settings are kept, written into the choice's file, and every organization begins to move, while the former model
 * goes on answering. When all have arrived, the former model is forgotten. A move that fails for a while ends in going
 * back. A newer choice ends one that is under way.
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
import { AppError } from '../../kernel/errors.ts'
import type { ModelMove } from '../move/model-move.ts'
import type { Choice, ChoiceFile } from './choice-file.ts'
import { reasonOf, refusalOf } from './failure-words.ts'
import type { Logger } from '../../kernel/logger.ts'

/** What is asked for. */
export interface ChoiceRequest {
  settings: EmbeddingModelSettings
  /** Stands for the model hub. */
  mirrorUrl?: string | undefined
}

/** The change that was asked for last. */
export interface Change {
  status: 'idle' | 'running' | 'succeeded' | 'failed'
  /** What it is at; null unless it runs. */
  step: 'downloading' | 'trying' | 'moving' | null
  /** The model as it was asked for, by the name in its settings. */
  model: string | null
  /** Bytes of the download; 0 where there is none. */
  bytesDone: number
  bytesTotal: number
  /** Why it failed; what answers has not changed by it. */
  errorMessage: string | null
}

export interface ModelChoice {
  /**
   * Begins to change and returns at once; a change under way is given up for it.
   * @throws AppError `embedding_model_fixed` where the environment says which model it is
   */
  choose(request: ChoiceRequest): void
  /** The settings of the model that is configured now. */
  present(): EmbeddingModelSettings
  change(): Change
  /** Goes on with the move that a stopped process has left behind. To be called at start. */
  resume(): void
  /** Ends what is under way; the next process goes on with it once it had been set. */
  stop(): Promise<void>
}

export interface ModelChoiceOptions {
  file: ChoiceFile
  /** What the service was started with. */
  present: EmbeddingModelSettings
  /** The settings before those, where the chunks had not all moved when the service was stopped. */
  former: EmbeddingModelSettings | null
  /** Why the model cannot be chosen here and what to do instead, for the settings asked for; null: it can. */
  fixedBecause: (settings: EmbeddingModelSettings) => string | null
  modelsDir: string
  /** Keeps the settings of a model that is about to become the configured one. */
  keep: (model: EmbeddingModel, settings: EmbeddingModelSettings) => Promise<void>
  /** Makes it the configured one, from the next request on. */
  configure: (model: EmbeddingModel, settings: EmbeddingModelSettings) => void
  load: (settings: EmbeddingModelSettings) => Promise<EmbeddingModel>
  modelMove: Pick<ModelMove, 'startAll' | 'overall'>
  fetch: typeof fetch
  logger: Pick<Logger, 'info' | 'error'>
  /** Milliseconds; how often the moves are looked at, and how long they may fail before it goes back. */
  pollMs?: number
  patienceMs?: number
}

const POLL_MS = 1_000
/** A server that restarts, or a laptop that sleeps, is no reason to throw hours of work away. */
const PATIENCE_MS = 5 * 60_000

const IDLE: Change = {
  status: 'idle',
  step: null,
  model: null,
  bytesDone: 0,
  bytesTotal: 0,
  errorMessage: null,
}

/** What the steps of a change share. */
interface Stand {
  readonly options: ModelChoiceOptions
  present: EmbeddingModelSettings
  former: EmbeddingModelSettings | null
  change: Change
  /** Of the change that was asked for last. */
  underWay: AbortController
  /** Setting a model is not interrupted, and one after the other. */
  readonly inTurn: ReturnType<typeof pLimit>
}

/** Chooses embedding models. Nothing runs before `choose` or `resume`. */
export function createModelChoice(options: ModelChoiceOptions): ModelChoice {
  const { present, former } = options
  const stand: Stand = {
    options,
    present,
    former,
    change: IDLE,
    underWay: new AbortController(),
    inTurn: pLimit(1),
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
      await stand.inTurn(() => {})
    },
  }
}

/** Gives up what is under way, and does this instead in the background. */
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

/** Notes how a change has ended, unless another one was asked for meanwhile. */
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
  // While chunks still move, what all of them have is the model before.
  await take(stand, model, signal, () => ({
    chosen: withDimensions(settings, model),
    former: stand.former ?? stand.present,
  }))
  await moveAll(stand, signal)
}

/** A model that can be used. @throws AppError or StartupError that says why it cannot, and what to do */
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

/** Makes a model the configured one, for this process and the next. Nothing has changed unless all of it has. */
async function take(
  stand: Stand,
  model: EmbeddingModel,
  signal: AbortSignal,
  choose: () => Choice,
): Promise<void> {
  const { keep, configure, file } = stand.options
  await stand.inTurn(async () => {
    signal.throwIfAborted()
    const choice = choose()
    await keep(model, choice.chosen)
    await file.write(choice).catch((cause: unknown) => {
      throw new AppError('internal', `The choice cannot be written to ${file.path}: ${reasonOf(cause)}`, {
        cause,
      })
    })
    configure(model, choice.chosen)
    stand.present = choice.chosen
    stand.former = choice.former
  })
}

/** Moves all organizations to the configured model; goes back when that fails for too long. */
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
  await stand.inTurn(async () => {
    signal.throwIfAborted()
    await file.write({ chosen: stand.present, former: null })
    stand.former = null
  })
}

/** Begins the moves that have not begun; the database may be away, as a model's server may be. */
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

/** @throws AppError that says why, always */
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
    `${failed} ${model.id} is the embedding model again, and answered all the while`,
  )
}

/** A model as it was asked for. */
function nameOf({ model, provider }: EmbeddingModelSettings): string {
  return model ?? provider
}

/** The settings of a server's model with its dimensions, so that the next start need not ask for them. */
function withDimensions(settings: EmbeddingModelSettings, model: EmbeddingModel): EmbeddingModelSettings {
  return settings.provider === 'openai' && settings.dimensions === undefined
    ? { ...settings, knownDimensions: model.dimensions }
    : settings
}
