import { type ApproximateIndexes, createApproximateIndexes } from '../approximate-index/index.ts'
import type { Settings } from '../config.ts'
import type { OpenDatabase } from '../database/database.ts'
import { createModelRegistry, type ModelRegistry } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { tracedEmbeddingModel } from '../tracing/index.ts'
import {
  createEmbeddingModel,
  findBuiltinModel,
} from '../inference/embedding-models/create-embedding-model.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Choice, createModelChoice, type ModelChoice, type ModelChoiceOptions } from '../models/index.ts'
import { createModelMove, type ModelMove } from '../models/index.ts'
import { choiceFileOf, modelFixedBecause } from './chosen-model.ts'
import { embeddingSettings, keepFormerModels, modelsDir } from './former-models.ts'
import type { Logger } from '../kernel/logger.ts'

/** The embedding models, the moves between them, the choice of another one, and the indexes on their vectors. */
export interface EmbeddingEngine {
  models: ModelRegistry
  modelMove: ModelMove
  modelChoice: ModelChoice
  approximateIndexes: ApproximateIndexes
}

export interface EmbeddingEngineDeps {
  settings: Settings
  database: OpenDatabase
  clock: Clock
  logger: Logger
  /** The configured model, and where it was chosen while the service ran, its settings. */
  embeddingModel: EmbeddingModel
  choice?: Choice | null
  fetch: typeof fetch
  tracer?: Tracer | undefined
  /** How often moves are looked at, and how long they may fail; of tests. */
  choiceTimes?: Pick<ModelChoiceOptions, 'pollMs' | 'patienceMs'> | undefined
}

/** So long after a process of this version has started on a server, none of the version before is left: they are replaced in turn. */
const REPLACED_WITHIN_MS = 60 * 60_000

/** Puts the embedding models together; the settings of the configured one are kept before it answers. */
export async function createEmbeddingEngine(deps: EmbeddingEngineDeps): Promise<EmbeddingEngine> {
  const { settings, database, clock, logger, embeddingModel: configured, choice } = deps
  const { db } = database
  const present = choice?.chosen ?? embeddingSettings(settings)
  const kept = await keepFormerModels({ db, settings, logger, configured, present })
  const untraced = createModelRegistry({ configured, builtin: findBuiltinModel, former: kept })
  const models = deps.tracer ? tracedModels(untraced, deps.tracer) : untraced
  const works = settings.ROLE !== 'api'
  const replaceAfterMs = database.driver === 'embedded' ? 0 : REPLACED_WITHIN_MS
  const modelMove = createModelMove({ db, clock, models, logger, works, replaceAfterMs })
  const modelChoice = createModelChoice({
    file: choiceFileOf(settings),
    present,
    former: choice?.former ?? null,
    fixedBecause: (asked) => modelFixedBecause(settings, asked),
    modelsDir: modelsDir(settings),
    load: (asked) => createEmbeddingModel(asked, { modelsDir: modelsDir(settings) }),
    keep: kept.keep,
    configure(model, ofModel) {
      kept.configure(model, ofModel)
      models.configure(model)
    },
    modelMove,
    fetch: deps.fetch,
    logger,
    ...deps.choiceTimes,
  })
  const approximateIndexes = createApproximateIndexes({ database, clock, logger, works })
  return { models, modelMove, modelChoice, approximateIndexes }
}

/** The same models, and what each embeds as spans. */
function tracedModels(models: ModelRegistry, tracer: Tracer): ModelRegistry {
  const known = new WeakMap<EmbeddingModel, EmbeddingModel>()
  const wrap = (model: EmbeddingModel): EmbeddingModel => {
    const wrapped = known.get(model) ?? tracedEmbeddingModel(model, tracer)
    known.set(model, wrapped)
    return wrapped
  }
  return {
    get configured() {
      return wrap(models.configured)
    },
    configure: (model) => models.configure(model),
    async find(name) {
      const model = await models.find(name)
      return model && wrap(model)
    },
    get: async (name) => wrap(await models.get(name)),
    moved: () => models.moved(),
  }
}
