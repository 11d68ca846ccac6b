import type { Settings } from '../config.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import {
  createEmbeddingModel,
  type EmbeddingModelSettings,
} from '../inference/embedding-models/create-embedding-model.ts'
import { StartupError } from '../kernel/errors.ts'
import { type Choice, type ChoiceFile, createChoiceFile } from '../models/index.ts'
import { secretCipher } from './encryption-keys.ts'
import { embeddingSettings, modelsDir } from './model-settings.ts'
import type { Logger } from '../kernel/logger.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

export function choiceFileOf(settings: Settings): ChoiceFile {
  return createChoiceFile(settings.DATA_DIR, async () => {
    const cipher = await secretCipher(settings)
    if (cipher === null) throw new Error('there is no ENCRYPTION_KEY')
    return cipher
  })
}

/** The model chosen at run time; null: none, or the environment names one, which is logged. @throws StartupError */
export async function readChoice(settings: Settings, logger: Logger): Promise<Choice | null> {
  if (settings.DATABASE_URL !== undefined) return null
  const file = choiceFileOf(settings)
  const choice = await file.read()
  if (choice === null || !settings.namesEmbeddingModel) return choice
  const { provider, model } = choice.chosen
  if (provider !== settings.EMBEDDING_PROVIDER || model !== settings.EMBEDDING_MODEL)
    logger.warn(
      { chosen: { provider, model }, file: file.path },
      'EMBEDDING_PROVIDER is set and takes precedence: the embedding model chosen with "model use" is not used',
    )
  return null
}

/** The model to start with. @throws StartupError that says how to go back when a chosen model is unavailable */
export async function startingModel(settings: Settings, choice: Choice | null): Promise<EmbeddingModel> {
  const options = { modelsDir: modelsDir(settings) }
  if (choice === null) return await createEmbeddingModel(embeddingSettings(settings), options)
  try {
    return await createEmbeddingModel(choice.chosen, options)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new StartupError(
      `${reason}\nThis model was chosen with "model use" and is stored in ${choiceFileOf(settings).path}. Correct that file, or remove the file to start with the built-in model.`,
      { cause },
    )
  }
}

/** Why the model cannot be chosen while the service runs, and what to set instead; null when it can. */
export function modelFixedBecause(settings: Settings, asked: EmbeddingModelSettings): string | null {
  if (settings.DATABASE_URL !== undefined)
    return `With DATABASE_URL several processes may share the vectors, so the environment of each says the embedding model. Set ${variablesOf(asked)} for all of them, restart them, and move each workspace with POST /v1/maintenance/reembed`
  if (settings.namesEmbeddingModel)
    return `EMBEDDING_PROVIDER is set in the service's environment and takes precedence. Remove the EMBEDDING_… variables, restart and choose again, or set ${variablesOf(asked)} there`
  return null
}

function variablesOf({ provider, model, baseUrl, apiKey, dimensions }: EmbeddingModelSettings): string {
  const variables = {
    EMBEDDING_PROVIDER: provider,
    EMBEDDING_BASE_URL: baseUrl,
    EMBEDDING_MODEL: model,
    EMBEDDING_DIMENSIONS: dimensions,
    EMBEDDING_API_KEY: apiKey === undefined ? undefined : '…',
  }
  return Object.entries(variables)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join(' ')
}
