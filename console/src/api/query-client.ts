import { notifyManager, QueryClient } from '@tanstack/react-query'
import { mayBeRetried } from './client.ts'
import type { ApiError } from './errors.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
  }
}

const RETRIES = 2
const FIRST_RETRY_MS = 1_000
const FRESH_MS = 15_000

/** The query cache. Retries only errors that can pass without a change; other errors are shown immediately. */
export function createQueryClient(): QueryClient {
  // By default a timer: the second click of a double click would come before its button is disabled.
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && mayBeRetried(error),
        retryDelay: (failures, { retryAfterMs }) => retryAfterMs ?? FIRST_RETRY_MS * 2 ** failures,
      },
    },
  })
}
