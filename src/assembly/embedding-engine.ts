import { type ApproximateIndexes, createApproximateIndexes } from '../approximate-index/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import type { Tracer } from '../kernel/tracer.ts'
import { tracedEmbeddingModel } from '../tracing/index.ts'
import {
  createEmbeddingModel,
  type EmbeddingModelSettings,
  findBuiltinModel,
} from '../inference/embedding-models/create-embedding-model.ts'
import { HOUR_MS } from '../kernel/clock.ts'
import type { SecretCipher } from '../kernel/secret-cipher.ts'
import {
  createModelMove,
  createModelRegistry,
  type ModelMove,
  type ModelRegistry,
  openStoredModelSettings,
} from '../models/index.ts'
import { secretCipher } from './encryption-keys.ts'
import type { Foundation } from './foundation.ts'
import { embeddingSettings, modelsDir } from './model-settings.ts'

export interface EmbeddingEngine {
  models: ModelRegistry
  modelMove: ModelMove
  approximateIndexes: ApproximateIndexes
}

export interface EmbeddingEngineDeps extends Foundation {
  embeddingModel: EmbeddingModel
  tracer?: Tracer | undefined
}

/** This long after a process of this version has started on a server, a rolling update has replaced every older one. */
const REPLACED_WITHIN_MS = HOUR_MS

/** Creates the embedding models. The configured model's settings are stored before it embeds. */
export async function createEmbeddingEngine(deps: EmbeddingEngineDeps): Promise<EmbeddingEngine> {
  const { settings, database, clock, logger, embeddingModel: configured } = deps
  const { db } = database
  const present = embeddingSettings(settings)
  const create = (given: EmbeddingModelSettings): Promise<EmbeddingModel> =>
    createEmbeddingModel(given, { modelsDir: modelsDir(settings) })
  const cipher = (): Promise<SecretCipher | null> => secretCipher(settings)
  const stored = await openStoredModelSettings({ db, configured, present, cipher, create, logger })
  const untraced = createModelRegistry({ configured, builtin: findBuiltinModel, stored })
  const models = deps.tracer ? tracedModels(untraced, deps.tracer) : untraced
  const works = settings.ROLE !== 'api'
  const replaceAfterMs = database.driver === 'embedded' ? 0 : REPLACED_WITHIN_MS
  const modelMove = createModelMove({ db, clock, models, logger, works, replaceAfterMs })
  const approximateIndexes = createApproximateIndexes({ database, clock, logger, works })
  return { models, modelMove, approximateIndexes }
}

function tracedModels(models: ModelRegistry, tracer: Tracer): ModelRegistry {
  const known = new WeakMap<EmbeddingModel, EmbeddingModel>()
  const wrap = (model: EmbeddingModel): EmbeddingModel => {
    const wrapped = known.get(model) ?? tracedEmbeddingModel(model, tracer)
    known.set(model, wrapped)
    return wrapped
  }
  return {
    configured: wrap(models.configured),
    async find(name) {
      const model = await models.find(name)
      return model && wrap(model)
    },
    get: async (name) => wrap(await models.get(name)),
    moved: () => models.moved(),
  }
}
