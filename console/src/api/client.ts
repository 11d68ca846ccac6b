import createClient, { type Client } from 'openapi-fetch'
import { ApiError, errorOf, unreachable } from './errors.ts'
import type { components, paths } from './schema.d.ts'

export type Api = Client<paths>
export type Schemas = components['schemas']

/** The caller. `token` renews an expired token, and returns null without a signed-in user. @throws ApiError in an outage */
export interface Credentials {
  token(): Promise<string | null>
  /** Called when the service rejects the token. */
  onRefused(): void
}

/** A typed client of the service's routes for one user in one workspace; null before a workspace is chosen. */
export function createApi(credentials: Credentials, organizationId: string | null): Api {
  const api = createClient<paths>({
    baseUrl: globalThis.location.origin,
    // Looked up on each call, so that tests can replace it.
    fetch: (request) => globalThis.fetch(request),
  })
  api.use({
    async onRequest({ request }) {
      for (const [name, value] of await headersOf(credentials, organizationId))
        request.headers.set(name, value)
    },
    onResponse({ response }) {
      if (response.status === 401) credentials.onRefused()
    },
    onError: ({ error }) => (isAbort(error) ? undefined : unreachable(error)),
  })
  return api
}

/** A client that calls with an API key. A refused key does not sign the user out. */
export function createKeyApi(secret: string): Api {
  return createApi({ token: async () => secret, onRefused: () => undefined }, null)
}

/** The headers of every request of a user in a workspace. */
export async function headersOf(
  credentials: Credentials,
  organizationId: string | null,
): Promise<[name: string, value: string][]> {
  const token = await credentials.token()
  return [
    ...(token === null ? [] : [['Authorization', `Bearer ${token}`] satisfies [string, string]]),
    ...(organizationId === null ? [] : [['X-Organization-Id', organizationId] satisfies [string, string]]),
  ]
}

/** Returns the data of a response. @throws ApiError for any response that is not a success */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call
  if (response.ok && data !== undefined && data !== null) return data
  throw errorOf(response, error)
}

/** The longest wait for a rate limit before its error is shown, in milliseconds. */
const RATE_WAIT_MAX_MS = 10_000

/** Whether an automatic retry can help: the service was unreachable or busy, or the rate limit ends soon. */
export function mayBeRetried(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  if (error.status === 429) return error.retryAfterMs !== null && error.retryAfterMs <= RATE_WAIT_MAX_MS
  return error.status === 0 || error.status >= 502
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
