import type { EmbeddingModel } from '../../inference/embedding-model.ts'
import { tryModel } from '../../inference/embedding-models/create-embedding-model.ts'
import type { LanguageModel } from '../../inference/language-model.ts'
import { beforeAbort } from '../../kernel/before-abort.ts'
import { AppError } from '../../kernel/errors.ts'
import { type ModelKind, problemOf, tooSlow } from './problem-words.ts'
import type { ModelSetting, ModelTest } from './schemas.ts'

export interface ModelCheck {
  readonly settings: Record<ModelKind, ModelSetting>
  /** Calls the model once, with a deadline. @throws AppError `not_configured`, errors other than the model's */
  test(kind: ModelKind, signal: AbortSignal): Promise<ModelTest>
}

export interface ModelCheckOptions {
  settings: Record<ModelKind, ModelSetting>
  languageModel: LanguageModel | null
  embeddingModel: EmbeddingModel
  /** A signal that aborts when a test has taken too long; by default, a timeout. */
  deadline?: (ms: number) => AbortSignal
}

export const DEADLINE_MS = 15_000
/** Room for a model that reasons before it writes: an empty answer also shows that it works. */
const OUTPUT_TOKENS_MAX = 64

/** Shows which models are configured, and tests them. */
export function createModelCheck({
  settings,
  languageModel,
  embeddingModel,
  deadline = (ms) => AbortSignal.timeout(ms),
}: ModelCheckOptions): ModelCheck {
  const calls: Record<ModelKind, (signal: AbortSignal) => Promise<void>> = {
    async language(signal) {
      if (languageModel === null)
        throw new AppError(
          'not_configured',
          'There is no language model. Set LLM_PROVIDER and LLM_API_KEY, and restart the service.',
        )
      await writeOnce(languageModel, signal)
    },
    embedding: (signal) => tryModel(embeddingModel, signal),
  }
  return {
    settings,
    async test(kind, signal) {
      const late = deadline(DEADLINE_MS)
      const startedAt = performance.now()
      const ended = (problem: string | null, detail: string | null): ModelTest => ({
        ok: problem === null,
        milliseconds: Math.round(performance.now() - startedAt),
        problem,
        detail,
      })
      try {
        // A model may ignore the signal.
        await beforeAbort(calls[kind](AbortSignal.any([signal, late])), late)
        return ended(null, null)
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) return ended(tooSlow(kind, DEADLINE_MS), null)
        const problem = problemOf(kind, error)
        if (problem === null) throw error
        return ended(problem.words, problem.detail)
      }
    },
  }
}

async function writeOnce(model: LanguageModel, signal: AbortSignal): Promise<void> {
  const prompt = {
    instructions: 'You test a connection.',
    prompt: 'Answer with the word "ready".',
    maxOutputTokens: OUTPUT_TOKENS_MAX,
  }
  const words = model.stream(prompt, signal)[Symbol.asyncIterator]()
  while (!(await words.next()).done);
}
