import { join } from 'node:path'
import type { Settings } from '../config.ts'
import { createTokenCipher, keptEncryptionKey } from '../connections/index.ts'
import type { Db } from '../database/database.ts'
import { createKeptSettings, type FormerModels, type SecretCipher } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import {
  createEmbeddingModel,
  type EmbeddingModelSettings,
} from '../inference/embedding-models/create-embedding-model.ts'
import { AppError } from '../kernel/errors.ts'
import type { Logger } from '../kernel/logger.ts'

export function modelsDir({ DATA_DIR }: Settings): string {
  return join(DATA_DIR, 'models')
}

export function embeddingSettings(settings: Settings): EmbeddingModelSettings {
  return {
    provider: settings.EMBEDDING_PROVIDER,
    baseUrl: settings.EMBEDDING_BASE_URL,
    apiKey: settings.EMBEDDING_API_KEY,
    model: settings.EMBEDDING_MODEL,
    dimensions: settings.EMBEDDING_DIMENSIONS,
  }
}

/** Stores the configured model's settings, reads those of models in use, and re-encrypts values of older keys. */
export async function keepFormerModels(deps: {
  db: Db
  settings: Settings
  logger: Logger
  configured: EmbeddingModel
  present: EmbeddingModelSettings
}): Promise<KeptModels> {
  const { db, settings, logger } = deps
  let { configured, present } = deps
  const kept = createKeptSettings({ db, present: () => present, cipher: () => secretCipher(settings) })
  await kept.keep(configured, present)
  await kept.dropUnused(configured.id)
  await kept
    .reencrypt()
    .catch((err: unknown) => logger.error({ err }, 'the API key of a former embedding model cannot be read'))
  return {
    keep: kept.keep,
    configure(model, ofModel) {
      ;[configured, present] = [model, ofModel]
    },
    async load(name) {
      const former = await kept.find(name)
      if (former === null) return null
      try {
        return await createEmbeddingModel(former, { modelsDir: modelsDir(settings) })
      } catch (error) {
        throw cannotBeLoaded(name, configured.id, error)
      }
    },
    dropUnused: () => kept.dropUnused(configured.id),
  }
}

export interface KeptModels extends FormerModels {
  /** Stores the settings of a model that is about to become the configured one. */
  keep(model: EmbeddingModel, settings: EmbeddingModelSettings): Promise<void>
  configure(model: EmbeddingModel, settings: EmbeddingModelSettings): void
}

/** Encrypts models' API keys. Null on PostgreSQL without ENCRYPTION_KEY: each process would create a different key. */
export async function secretCipher(settings: Settings): Promise<SecretCipher | null> {
  if (settings.ENCRYPTION_KEY !== undefined) return createTokenCipher(settings.ENCRYPTION_KEY)
  return settings.DATABASE_URL === undefined
    ? createTokenCipher([await keptEncryptionKey(settings.DATA_DIR)])
    : null
}

function cannotBeLoaded(name: string, configuredName: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new AppError(
    'embedding_model_mismatch',
    `The stored vectors are of the embedding model "${name}", which cannot be loaded any more (${reason}); restore what it ` +
      `needs, or move to "${configuredName}" with POST /v1/maintenance/reembed`,
    { details: { storedModel: name, configuredModel: configuredName }, cause },
  )
}
