import { HITS_MAX, measure } from '../../../../cli/evaluation/measure.ts'
import { type Api, type Schemas, unwrap } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import type { Result, Run } from './use-evaluation.ts'

/** Between attempts at a rate limit where the service does not say when to call again. */
const PAUSE_MS = 10_000

export interface Progress {
  /** A question was measured and stored. */
  onMeasured: (run: Run, result: Result) => void
  /** A rate limit is reached, or left behind. */
  onPaused: (isPaused: boolean) => void
}

/**
 * Measures the questions one after another and stores what each gave: two credits each.
 * @throws ApiError for what a pause does not help, and the reason of `signal`
 */
export async function measureRun(
  api: Api,
  { runId, results, signal }: { runId: string; results: readonly Result[]; signal: AbortSignal },
  { onMeasured, onPaused }: Progress,
): Promise<void> {
  for (const result of results) {
    const measured = await patiently(() => measureQuestion(api, result, signal), signal, onPaused)
    const path = { id: runId, questionId: result.questionId }
    const store = () =>
      unwrap(
        api.PUT('/v1/console/evaluation/runs/{id}/results/{questionId}', {
          params: { path },
          body: measured,
          signal,
        }),
      )
    const { run } = await patiently(store, signal, onPaused)
    const { rank, hasFact, change } = measured
    onMeasured(run, { ...result, rank, hasFact, change, measuredAt: new Date().toISOString() })
  }
}

async function measureQuestion(
  api: Api,
  result: Result,
  signal: AbortSignal,
): Promise<Schemas['EvaluationMeasurement']> {
  const query = result.question
  const body = { query, limit: HITS_MAX, rank: 'hybrid' as const }
  const { hits } = await unwrap(api.POST('/v1/console/search', { body, signal }))
  const answered = await unwrap(api.POST('/v1/console/ask', { body: { query }, signal }))
  // Only who accepts a stream gets one.
  if (typeof answered === 'string') throw new Error('the answer is a stream')
  const { answer, citations } = answered
  const last = { rank: result.previousRank, hasFact: result.previousHasFact }
  return {
    ...measure(result, { hits, answer }, result.previousMeasuredAt === null ? undefined : last),
    answer,
    citations: citations.map(({ index, title, sourceItemId }) => ({ index, title, sourceItemId })),
  }
}

/** Calls again when the service asks to, while the rate limit refuses. */
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

/** Ends early when `signal` aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
