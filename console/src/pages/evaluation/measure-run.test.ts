import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createApi } from '../../api/client.ts'
import { measureRun } from './measure-run.ts'
import type { Result } from './use-evaluation.ts'

const QUESTION: Result = {
  questionId: '1',
  question: 'How many vacation days do I get?',
  page: null,
  fact: '25',
  rank: null,
  hasFact: null,
  change: null,
  previousRank: null,
  previousHasFact: null,
  previousMeasuredAt: null,
  measuredAt: null,
}
const RUN = { id: 'run' }

/** The called paths, the route that the rate limit refuses, and the headers of the refusals to return next. */
let called: string[] = []
let refused = '/search'
let refusals: Record<string, string>[] = []

beforeEach(() => {
  vi.useFakeTimers()
  called = []
  refused = '/search'
  vi.stubGlobal('location', { origin: 'http://127.0.0.1' })
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname } = new URL(request.url)
    called.push(pathname)
    const headers = pathname.endsWith(refused) ? refusals.shift() : undefined
    if (headers !== undefined)
      return Response.json({ error: 'Too many requests', code: 'rate_limited' }, { status: 429, headers })
    if (pathname.endsWith('/search')) return Response.json({ hits: [] })
    if (pathname.endsWith('/ask')) return Response.json({ answer: '25 days', citations: [], context: [] })
    return Response.json({ run: RUN })
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function start() {
  const api = createApi({ token: async () => 'token', onRefused: () => undefined }, 'organization')
  const control = new AbortController()
  const paused: boolean[] = []
  const run = { runId: 'run', results: [QUESTION], signal: control.signal }
  const done = measureRun(api, run, {
    onMeasured: () => undefined,
    onPaused: (isPaused) => paused.push(isPaused),
  })
  return { control, paused, done }
}

it.each([
  ['when the service asks to', { 'retry-after': '3' }, 3_000],
  ['after ten seconds where it does not say when', {}, 10_000],
])('calls again %s', async (_when, headers, waitMs) => {
  refusals = [headers]
  const { done, paused } = start()
  await vi.advanceTimersByTimeAsync(waitMs - 1)
  expect([called.length, paused]).toEqual([1, [true]])
  await vi.advanceTimersByTimeAsync(1)
  await done
  expect(called).toHaveLength(4)
  expect(paused.at(-1)).toBe(false)
})

it('ends a pause when the run is stopped', async () => {
  refusals = [{ 'retry-after': '60' }]
  const { control, done } = start()
  await vi.advanceTimersByTimeAsync(1)
  control.abort()
  await expect(done).rejects.toThrow(/abort/)
  expect(called).toHaveLength(1)
})

it('asks again without another search, because the search has cost its credit', async () => {
  refused = '/ask'
  refusals = [{ 'retry-after': '3' }]
  const { done } = start()
  await vi.advanceTimersByTimeAsync(3_000)
  await done
  const paid = called.map((path) => path.split('/').at(-1))
  expect(paid).toEqual(['search', 'ask', 'ask', '1'])
})
