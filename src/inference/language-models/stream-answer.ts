import { setTimeout as delay } from 'node:timers/promises'
import type { LanguageModel as SdkModel } from 'ai'
import { AppError } from '../../kernel/errors.ts'
import { retryAfterMs } from '../../kernel/retry-after.ts'
import type { LanguageModelPrompt } from '../language-model.ts'
import { answeredError, providerError } from '../provider-failure.ts'
import { createThinkingFilter } from './thinking.ts'

export interface SdkCall {
  model: SdkModel
  /** A secret that the provider may repeat, even as its error code. */
  secret: string | undefined
  retriesMax: number
  /** Parameters of one provider, by its name. */
  providerOptions?: Record<string, Record<string, Record<string, string | number>>>
}

const PROVIDER = 'The language model'
const CAUSES_MAX = 5
const RETRY_DELAY_MS = 2_000
/** A call fails if the provider requests a longer delay: the answer's time is short, and there is one without a model. */
const RETRY_DELAY_MAX_MS = 5_000

/** Streams the text of one model call through the AI SDK. @throws AppError `upstream_error`, the signal's reason */
export async function* streamAnswer(
  call: SdkCall,
  prompt: LanguageModelPrompt,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for (let retries = 0; ; retries++) {
    let hasText = false
    try {
      for await (const text of streamOnce(call, prompt, signal)) {
        hasText = true
        yield text
      }
      return
    } catch (error) {
      signal.throwIfAborted()
      const delayMs = hasText || retries >= call.retriesMax ? null : await retryDelayMs(error)
      if (delayMs === null) throw error instanceof AppError ? error : await translate(error, call)
      await delay(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

/** The delay before a retry; null: a retry would fail as well, or come too late. */
async function retryDelayMs(error: unknown): Promise<number | null> {
  const { APICallError } = await import('ai')
  if (!APICallError.isInstance(error) || !error.isRetryable) return null
  const headers = new Headers(error.responseHeaders)
  const inMilliseconds = headers.get('retry-after-ms')
  const requested =
    inMilliseconds === null ? retryAfterMs(headers.get('retry-after'), new Date()) : Number(inMilliseconds)
  const delayMs = requested ?? RETRY_DELAY_MS
  return delayMs <= RETRY_DELAY_MAX_MS ? delayMs : null
}

async function* streamOnce(
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
    maxRetries: 0,
    ...(call.providerOptions && { providerOptions: call.providerOptions }),
    abortSignal: signal,
    // The loop below throws errors; the SDK's default would print them with the prompt.
    onError: () => undefined,
  })
  const thinking = createThinkingFilter()
  for await (const part of result.stream) {
    if (part.type === 'text-delta') {
      const text = thinking.push(part.text)
      if (text !== '') yield text
    }
    if (part.type === 'error') throw part.error
    else if (part.type === 'abort') throw abortReason(signal)
    else if (part.type === 'finish') checkFinish(part, call)
    if (part.type === 'finish' && part.finishReason === 'length') prompt.onTokenLimit?.()
  }
  const rest = thinking.end()
  if (rest !== '') yield rest
}

function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? new DOMException('The answer was aborted', 'AbortError')
}

/** @throws AppError `upstream_error` if the answer is not whole: its connection closed, or its provider stopped it */
function checkFinish(
  { finishReason, rawFinishReason }: { finishReason: string; rawFinishReason: string | undefined },
  { secret }: SdkCall,
): void {
  // A connection that a proxy closes early looks like an end; only the provider's finish reason tells them apart.
  if (rawFinishReason === undefined || rawFinishReason === '') {
    const detail = 'the stream ended without a finish reason'
    throw providerError(PROVIDER, { kind: 'unavailable', status: null, detail })
  }
  // Gemini's word for a stop without a reason. Other unknown words, such as `eos`, end whole answers.
  const isStopped =
    finishReason === 'content-filter' || finishReason === 'error' || rawFinishReason === 'OTHER'
  if (!isStopped) return
  const detail = answeredError(JSON.stringify({ code: rawFinishReason }), new Headers(), secret)
  throw providerError(PROVIDER, { kind: 'rejected', status: null, detail })
}

/** The SDK's errors contain the request and quote the response; only what identifies the fault is copied. */
async function translate(error: unknown, { secret }: SdkCall): Promise<AppError> {
  const { APICallError, StreamProviderError } = await import('ai')
  if (APICallError.isInstance(error) && error.statusCode !== undefined) {
    const headers = new Headers(error.responseHeaders)
    const detail = answeredError(error.responseBody ?? '', headers, secret)
    return providerError(PROVIDER, { status: error.statusCode, detail })
  }
  if (StreamProviderError.isInstance(error)) {
    const body = JSON.stringify({ code: error.code, type: error.type })
    const detail = answeredError(body, new Headers(), secret)
    return providerError(PROVIDER, { status: error.statusCode ?? null, detail })
  }
  return providerError(PROVIDER, { status: null, detail: namesOf(error) })
}

/** The name of an error and the codes of its causes, such as ECONNREFUSED. */
function namesOf(error: unknown): string {
  const names: string[] = []
  for (let one = error; one instanceof Error && names.length < CAUSES_MAX; one = one.cause)
    names.push('code' in one && typeof one.code === 'string' ? `${one.name} ${one.code}` : one.name)
  return names.join(', ') || 'something other than an error was thrown'
}
