import { createProviderCaller, type ProviderCaller } from '../../provider-calls.ts'
import type { ProviderSession } from '../../provider.ts'
import { GoogleError, toGoogleError } from './google-error.ts'

/** Options for a method of the SDK: the SDK itself neither retries nor keeps a token. */
export interface CallOptions {
  headers: Record<string, string>
  signal: AbortSignal
  timeout: number
  retry: false
}

/**
 * Runs a request of the SDK and gives its answer's data. A rate limit is waited out (for all calls of the account), an outage
 * tried again, a refused token replaced once. Throws GoogleError, or the signal's reason when the run has to stop.
 */
export type GoogleCalls = <Result>(
  request: (options: CallOptions) => Promise<{ data: Result }>,
) => Promise<Result>

/** What all runs of one adapter make their calls with: it knows which accounts have to wait. */
export function createGoogleCaller(): ProviderCaller {
  return createProviderCaller({
    toProviderError: (error) => {
      const failure = toGoogleError(error)
      return failure instanceof GoogleError ? failure : null
    },
    curedByNewToken: (failure) => failure instanceof GoogleError && failure.status === 401,
  })
}

/** The calls of one run. */
export function createGoogleCalls(session: ProviderSession, caller: ProviderCaller): GoogleCalls {
  const { signal } = session
  const timeout = session.limits.requestTimeoutMs
  return (request) =>
    caller(session, async (token) => {
      const { data } = await request({
        headers: { authorization: `Bearer ${token}` },
        signal,
        timeout,
        retry: false,
      })
      return data
    })
}
