import { measure } from '../../../../cli/evaluation/measure.ts'
import { HITS_MAX } from '../../../../src/kernel/limits.ts'
import { type Api, type Schemas, unwrap } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { Result, Run } from './use-evaluation.ts'

/** The pause after a rate limit without a `Retry-After` header. */
const PAUSE_MS = 10_000

export interface Progress {
  /** Called for each question that is measured and stored. */
  onMeasured: (run: Run, result: Result) => void
  /** Called when a rate limit starts and ends. */
  onPaused: (isPaused: boolean) => void
}

/**
 * Measures the questions one by one and stores each result. A question costs two credits.
 * @throws ApiError for any failure except a rate limit, and the reason of `signal`
 */
export async function measureRun(
  api: Api,
  { runId, results, signal }: { runId: string; results: readonly Result[]; signal: AbortSignal },
  { onMeasured, onPaused }: Progress,
): Promise<void> {
  for (const result of results) {
    // Each call by itself: a refused one must not repeat those before it, which have cost their credits.
    const patient = <T>(call: () => Promise<T>): Promise<T> => patiently(call, signal, onPaused)
    const measured = await measureQuestion(api, result, signal, patient)
    const path = { id: runId, questionId: result.questionId }
    const store = () =>
      unwrap(
        api.PUT('/v1/console/evaluation/runs/{id}/results/{questionId}', {
          params: { path },
          body: measured,
          signal,
        }),
      )
    const { run } = await patient(store)
    const { rank, hasFact, change } = measured
    onMeasured(run, { ...result, rank, hasFact, change, measuredAt: new Date().toISOString() })
  }
}

async function measureQuestion(
  api: Api,
  result: Result,
  signal: AbortSignal,
  patient: <T>(call: () => Promise<T>) => Promise<T>,
): Promise<Schemas['EvaluationMeasurement']> {
  const query = result.question
  const body = { query, limit: HITS_MAX, rank: 'hybrid' as const }
  const { hits } = await patient(() => unwrap(api.POST('/v1/console/search', { body, signal })))
  const answered = await patient(() => unwrap(api.POST('/v1/console/ask', { body: { query }, signal })))
  // The service streams only to clients that accept a stream.
  if (typeof answered === 'string') throw new Error('the answer is a stream')
  const { answer, citations, context } = answered
  const last = { rank: result.previousRank, hasFact: result.previousHasFact }
  return {
    ...measure(result, { hits, answer }, result.previousMeasuredAt === null ? undefined : last),
    answer,
    citations: citations.map(({ index, title, sourceItemId }) => ({ index, title, sourceItemId })),
    contextItemIds: [...new Set(context.map(({ sourceItemId }) => sourceItemId))],
  }
}

/** Retries while the rate limit refuses the call. */
async function patiently<T>(
  call: () => Promise<T>,
  signal: AbortSignal,
  onPaused: (isPaused: boolean) => void,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const answer = await call()
      onPaused(false)
      return answer
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'rate_limited') throw error
      onPaused(true)
      await pause(error.retryAfterMs ?? PAUSE_MS, signal)
    }
  }
}

/** Ends early if `signal` aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
