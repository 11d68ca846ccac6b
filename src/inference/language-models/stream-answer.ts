import type { LanguageModel as SdkModel } from 'ai'
import { AppError } from '../../kernel/errors.ts'
import type { LanguageModelPrompt } from '../language-model.ts'
import { answeredError, providerError } from '../provider-failure.ts'
import { createThinkingFilter } from './thinking.ts'

export interface SdkCall {
  model: SdkModel
  /** A secret that the provider may repeat, even as its error code. */
  secret: string | undefined
  retriesMax: number
}

const PROVIDER = 'The language model'
const CAUSES_MAX = 5

/** Streams the text of one model call through the AI SDK. @throws AppError `upstream_error`, the signal's reason */
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
    // The loop below throws errors; the SDK's default would print them with the prompt.
    onError: () => undefined,
  })
  const thinking = createThinkingFilter()
  try {
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
  } catch (error) {
    signal.throwIfAborted()
    throw error instanceof AppError ? error : await translate(error, call)
  }
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
  if (finishReason !== 'content-filter' && finishReason !== 'error') return
  const detail = answeredError(JSON.stringify({ code: rawFinishReason }), new Headers(), secret)
  throw providerError(PROVIDER, { kind: 'rejected', status: null, detail })
}

/** The SDK's errors contain the request and quote the response; only what identifies the fault is copied. */
async function translate(error: unknown, { secret }: SdkCall): Promise<AppError> {
  const { APICallError, RetryError, StreamProviderError } = await import('ai')
  const last = RetryError.isInstance(error) ? error.lastError : error
  if (APICallError.isInstance(last) && last.statusCode !== undefined) {
    const headers = new Headers(last.responseHeaders)
    const detail = answeredError(last.responseBody ?? '', headers, secret)
    return providerError(PROVIDER, { status: last.statusCode, detail })
  }
  if (StreamProviderError.isInstance(last)) {
    const body = JSON.stringify({ code: last.code, type: last.type })
    const detail = answeredError(body, new Headers(), secret)
    return providerError(PROVIDER, { status: last.statusCode ?? null, detail })
  }
  return providerError(PROVIDER, { status: null, detail: namesOf(last) })
}

/** The name of an error and the codes of its causes, such as ECONNREFUSED. */
function namesOf(error: unknown): string {
  const names: string[] = []
  for (let one = error; one instanceof Error && names.length < CAUSES_MAX; one = one.cause)
    names.push('code' in one && typeof one.code === 'string' ? `${one.name} ${one.code}` : one.name)
  return names.join(', ') || 'something other than an error was thrown'
}
