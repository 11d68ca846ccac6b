import { join } from 'node:path'
import type { Settings } from '../config.ts'
import type { EmbeddingModelSettings } from '../inference/embedding-models/create-embedding-model.ts'
import type { LanguageModelSettings } from '../inference/language-models/create-language-model.ts'

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

export function languageSettings(settings: Settings): LanguageModelSettings {
  return {
    provider: settings.LLM_PROVIDER,
    baseUrl: settings.LLM_BASE_URL,
    apiKey: settings.LLM_API_KEY,
    model: settings.LLM_MODEL,
  }
}
