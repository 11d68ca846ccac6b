import type { Settings } from '../config.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import {
  createModelCheck as createCheck,
  type ModelCheck,
  type ModelKind,
  type ModelSetting,
} from '../models/index.ts'
import type { EmbeddingEngine } from './embedding-engine.ts'

const VARIABLES = {
  language: ['LLM_PROVIDER', 'LLM_MODEL', 'LLM_BASE_URL', 'LLM_API_KEY'],
  embedding: [
    'EMBEDDING_PROVIDER',
    'EMBEDDING_MODEL',
    'EMBEDDING_DIMENSIONS',
    'EMBEDDING_BASE_URL',
    'EMBEDDING_API_KEY',
  ],
} as const satisfies Record<ModelKind, readonly (keyof Settings)[]>

/** Their values are shown. Addresses may contain a password, and reveal a network that workspaces do not own. */
const SHOWN: ReadonlySet<string> = new Set<keyof Settings>([
  'LLM_PROVIDER',
  'LLM_MODEL',
  'EMBEDDING_PROVIDER',
  'EMBEDDING_MODEL',
  'EMBEDDING_DIMENSIONS',
])

export function createModelCheck(
  { settings, languageModel }: { settings: Settings; languageModel: LanguageModel | null },
  { models: { configured } }: EmbeddingEngine,
): ModelCheck {
  const isNamed = settings.namesEmbeddingModel
  return createCheck({
    languageModel,
    embeddingModel: configured,
    settings: {
      language: {
        model: languageModel?.id ?? null,
        setBy: settings.LLM_PROVIDER === undefined ? 'default' : 'environment',
        variables: variablesOf(settings, 'language'),
      },
      embedding: {
        model: configured.id,
        setBy: isNamed ? 'environment' : 'default',
        variables: isNamed ? variablesOf(settings, 'embedding') : [],
      },
    },
  })
}

/** EMBEDDING_PROVIDER has a default, so the caller says whether the environment names the model. */
function variablesOf(settings: Settings, kind: ModelKind): ModelSetting['variables'] {
  return VARIABLES[kind].flatMap((name) => {
    const value = settings[name]
    return value === undefined ? [] : [{ name, value: SHOWN.has(name) ? String(value) : null }]
  })
}
