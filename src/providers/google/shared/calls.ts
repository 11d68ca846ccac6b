import { createProviderCaller, type ProviderCaller } from '../../calls.ts'
import type { ProviderSession } from '../../provider.ts'
import { GoogleError, toGoogleError } from './error.ts'
import { createRateWaits, type RateWaits } from './rate-waits.ts'

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
  const waits = createRateWaits()
  const caller = createProviderCaller({
    toProviderError: (error) => {
      const failure = toGoogleError(error)
      return failure instanceof GoogleError ? failure : null
    },
    curedByNewToken: (failure) => failure instanceof GoogleError && failure.status === 401,
  })
  return (session, attempt) => caller(session, (token) => timed(session, waits, () => attempt(token)))
}

/** Runs an attempt; a refusal that does not say when to come back is given the time to wait. */
async function timed<Result>(
  { account, clock }: ProviderSession,
  waits: RateWaits,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const startedAt = clock.now().getTime()
  try {
    const result = await attempt()
    waits.passed(account.externalAccountId, startedAt, clock.now().getTime())
    return result
  } catch (error) {
    const failure = toGoogleError(error)
    if (!(failure instanceof GoogleError) || failure.kind !== 'rate_limited' || failure.saysWhen) throw error
    const retryAfterMs = waits.refused(account.externalAccountId, startedAt, clock.now().getTime())
    throw failure.after(retryAfterMs)
  }
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
      // A proxy's page with status 200: read as an answer it would be an empty list, and all that is stored would be gone.
      if (typeof data !== 'object' || data === null)
        throw new GoogleError('unavailable', 'Google did not answer: what came is not JSON')
      return data
    })
}
