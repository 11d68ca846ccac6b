import { followPages } from '../../pages.ts'
import { createProviderCaller, type ProviderCaller } from '../../retried-calls.ts'
import type { ProviderSession } from '../../adapter.ts'
import { GoogleError, toGoogleError } from './error.ts'

/** Options for an SDK method: the SDK itself neither retries nor holds a token. */
export interface CallOptions {
  headers: Record<string, string>
  signal: AbortSignal
  timeout: number
  retry: false
}

/** Runs an SDK request by the rules of {@link ProviderCaller} and returns its data. @throws GoogleError */
export type GoogleCalls = <Result>(
  request: (options: CallOptions) => Promise<{ data: Result }>,
) => Promise<Result>

/** The pages of a list; `from` is the position of the next one. */
export const pagesOf = <Page extends { nextPageToken?: string | null }>(
  read: (from: { pageToken?: string }) => Promise<Page>,
): AsyncGenerator<Page> =>
  followPages(
    (pageToken) => read(pageToken === null ? {} : { pageToken }),
    (page) => page.nextPageToken,
  )

/** The caller shared by all runs of one adapter: it knows which accounts must wait. */
export function createGoogleCaller(): ProviderCaller {
  return createProviderCaller({
    toProviderError: (error) => {
      const failure = toGoogleError(error)
      return failure instanceof GoogleError ? failure : null
    },
    curedByNewToken: (failure) => failure instanceof GoogleError && failure.status === 401,
  })
}

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
      // A proxy's page with status 200 would read as an empty list, and the run would delete everything stored.
      if (typeof data !== 'object' || data === null)
        throw new GoogleError('unavailable', 'Google did not answer with JSON')
      return data
    })
}
