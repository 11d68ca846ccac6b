import type { LanguageModel as SdkModel } from 'ai'
import { AppError } from '../../kernel/errors.ts'
import type { LanguageModelPrompt } from '../language-model.ts'
import { providerError } from '../provider-failure.ts'

export interface SdkCall {
  model: SdkModel
  /** Blotted out wherever the provider repeats it. */
  secret: string | undefined
  retriesMax: number
}

const PROVIDER = 'The language model'

/**
 * The text of one model call, piece by piece, through the AI SDK.
 * Throws AppError `upstream_error` when the provider fails or its stream ends early, the reason of `signal` on abort.
 */
export async function* streamAnswer(
  call: SdkCall,
  prompt: LanguageModelPrompt,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted()
  const { streamText } = await import('ai')
  const result = streamText({
    model: call.model,
    instructions: prompt.instructions,
    prompt: prompt.prompt,
    maxOutputTokens: prompt.maxOutputTokens,
    maxRetries: call.retriesMax,
    abortSignal: signal,
    // Errors are thrown out of the loop below; the SDK's default would print them, prompt and all.
    onError: () => undefined,
  })
  try {
    for await (const part of result.stream) {
      if (part.type === 'text-delta') yield part.text
      else if (part.type === 'error') throw part.error
      else if (part.type === 'abort') throw abortReason(signal)
      // A connection that a proxy closes in mid-answer looks like an end; only the provider's reason tells them apart.
      else if (part.type === 'finish' && part.rawFinishReason === undefined) throw endedEarly(call)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof AppError ? error : await translate(error, call)
  }
}

function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? new DOMException('The answer was aborted', 'AbortError')
}

function endedEarly(call: SdkCall): AppError {
  const words = 'the stream ended without a finish reason'
  return providerError(PROVIDER, { kind: 'unavailable', status: null, words }, [call.secret])
}

/** The SDK's errors carry the whole request; only status and message are taken over. */
async function translate(error: unknown, call: SdkCall): Promise<AppError> {
  const { APICallError, RetryError, StreamProviderError } = await import('ai')
  const last = RetryError.isInstance(error) ? error.lastError : error
  const words = last instanceof Error ? last.message : JSON.stringify(last)
  const known = APICallError.isInstance(last) || StreamProviderError.isInstance(last)
  const status = known ? (last.statusCode ?? null) : null
  return providerError(PROVIDER, { status, words }, [call.secret])
}
