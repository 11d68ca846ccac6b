import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { unwrap } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useRefetch } from '../../data/use-refetch.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { measureRun } from './measure-run.ts'
import { EVALUATION, type MeasuredRun } from './use-evaluation.ts'

/** The run that this tab measures. */
export interface Measuring {
  /** Null while no run is measured. */
  runId: string | null
  isPaused: boolean
  error: ApiError | null
  /** Starts a run and returns its ID once it exists; null if it fails or another one is being started. */
  start: () => Promise<string | null>
  /** Measures the remaining questions of a run. */
  continueRun: (runId: string) => Promise<void>
  stop: () => void
}

const IDLE = { runId: null, isPaused: false, error: null }

/** Measures runs while the page is open. An interrupted run can be continued later. */
export function useMeasuring(): Measuring {
  const { api, organization } = useWorkspace()
  const queries = useQueryClient()
  const refetch = useRefetch()
  const [state, setState] = useState<Pick<Measuring, 'runId' | 'isPaused' | 'error'>>(IDLE)
  const running = useRef<AbortController | null>(null)
  /** A second click starts no second run. */
  const isStarting = useRef(false)
  useEffect(() => () => running.current?.abort(), [])

  const continueRun = useCallback(
    async (runId: string): Promise<void> => {
      const control = new AbortController()
      const { signal } = control
      running.current?.abort()
      running.current = control
      setState({ ...IDLE, runId })
      const queryKey = [organization.id, EVALUATION, 'run', runId]
      let error: ApiError | null = null
      try {
        const params = { path: { id: runId } }
        const known = await unwrap(api.GET('/v1/console/evaluation/runs/{id}', { params, signal }))
        queries.setQueryData<MeasuredRun>(queryKey, known)
        const results = known.results.filter(({ measuredAt }) => measuredAt === null)
        await measureRun(
          api,
          { runId, results, signal },
          {
            onPaused: (isPaused) =>
              setState((before) => (before.isPaused === isPaused ? before : { ...before, isPaused })),
            onMeasured: (run, result) =>
              queries.setQueryData<MeasuredRun>(queryKey, (before) =>
                before === undefined
                  ? undefined
                  : {
                      run,
                      results: before.results.map((one) =>
                        one.questionId === result.questionId ? result : one,
                      ),
                    },
              ),
          },
        )
      } catch (caught) {
        if (!signal.aborted) error = asApiError(caught)
      }
      if (running.current !== control) return
      setState({ ...IDLE, error })
      await refetch(EVALUATION)
    },
    [api, organization.id, queries, refetch],
  )

  const start = useCallback(async (): Promise<string | null> => {
    if (isStarting.current) return null
    isStarting.current = true
    try {
      const { run } = await unwrap(api.POST('/v1/console/evaluation/runs'))
      await refetch(EVALUATION)
      void continueRun(run.id)
      return run.id
    } catch (caught) {
      setState({ ...IDLE, error: asApiError(caught) })
      return null
    } finally {
      isStarting.current = false
    }
  }, [api, continueRun, refetch])

  return { ...state, start, continueRun, stop: () => running.current?.abort() }
}

/** @throws any error that is not an ApiError */
function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  throw error
}
