import type { LanguageModel as SdkModel } from 'ai'
import { refuseRedirects } from '../../kernel/refuse-redirects.ts'
import type { LanguageModel } from '../language-model.ts'
import { OPENAI_BASE_URL, openAiServerFetch } from './openai-server.ts'
import { streamAnswer } from './stream-answer.ts'

export interface LanguageModelSettings {
  provider?: 'openai' | 'anthropic' | 'google' | undefined
  /** With the version path (`…/v1`); default: the provider's own. */
  baseUrl?: string | undefined
  apiKey?: string | undefined
  model?: string | undefined
}

export interface LanguageModelOptions {
  fetch?: typeof fetch
  /** Retries of a call that failed to start for a transient reason; default 1. */
  retriesMax?: number
}

const DEFAULT_MODELS = {
  openai: 'gpt-4.1-mini',
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-2.5-flash',
} as const

/** The language model of the settings; null: none. The first answer loads the SDK. */
export function createLanguageModel(
  settings: LanguageModelSettings,
  options: LanguageModelOptions = {},
): LanguageModel | null {
  const { provider } = settings
  if (provider === undefined) return null
  const name = settings.model ?? DEFAULT_MODELS[provider]
  let loaded: Promise<SdkModel> | undefined
  return {
    id: `${provider}:${name}`,
    async *stream(prompt, signal) {
      loaded ??= loadSdkModel(provider, name, settings, refuseRedirects(options.fetch ?? globalThis.fetch))
      const call = {
        model: await loaded,
        secret: settings.apiKey,
        retriesMax: options.retriesMax ?? 1,
        ...(provider === 'google' ? { providerOptions: { google: leastThinking(name) } } : {}),
      }
      yield* streamAnswer(call, prompt, signal)
    },
  }
}

/** Gemini's thoughts count as output tokens: by default they use up those of an answer before its first word. */
function leastThinking(name: string): Record<string, Record<string, string | number>> {
  if (name.startsWith('gemini-2.5-flash')) return { thinkingConfig: { thinkingBudget: 0 } }
  if (name.startsWith('gemini-2.5-pro')) return { thinkingConfig: { thinkingBudget: 128 } }
  return /^gemini-[3-9]/.test(name) ? { thinkingConfig: { thinkingLevel: 'low' } } : {}
}

async function loadSdkModel(
  provider: keyof typeof DEFAULT_MODELS,
  name: string,
  settings: LanguageModelSettings,
  fetchFunction: typeof fetch,
): Promise<SdkModel> {
  const fetchOption = { fetch: fetchFunction }
  const baseOption = settings.baseUrl === undefined ? {} : { baseURL: settings.baseUrl }
  // Without a key the SDKs look in the environment; only the settings may decide.
  const apiKey = settings.apiKey ?? 'none'
  switch (provider) {
    case 'openai': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const keyOption = settings.apiKey === undefined ? {} : { apiKey: settings.apiKey }
      const baseURL = settings.baseUrl ?? OPENAI_BASE_URL
      const server = {
        name: 'openai',
        baseURL,
        ...keyOption,
        fetch: openAiServerFetch(fetchFunction, baseURL),
      }
      return createOpenAICompatible(server).chatModel(name)
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey, ...baseOption, ...fetchOption })(name)
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle({ apiKey, ...baseOption, ...fetchOption })(name)
    }
  }
}
