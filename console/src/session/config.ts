import type { ConsoleSignIn } from '../../../src/console/page-config.ts'
import type { ProviderFacts } from '../api/provider-list.ts'
import { ApiError, errorOf, unreachable } from '../api/errors.ts'

export interface Config {
  /** The service's configured base URL, without a trailing slash. */
  publicUrl: string
  /** The version of the service. */
  version: string
  signIn: ConsoleSignIn
  /** Whether a language model is configured. Thorough answers need one. */
  hasLanguageModel: boolean
  providers: readonly ProviderFacts[]
}

/** Loads the public configuration, before sign-in. @throws ApiError */
export async function loadConfig(): Promise<Config> {
  const response = await fetch('/console/config.json').catch((error: unknown) => {
    throw unreachable(error)
  })
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw errorOf(response, body)
  if (!isConfig(body))
    throw new ApiError({
      code: 'unreadable',
      message: 'This page and the service have different versions. Reload the page.',
      status: response.status,
      requestId: response.headers.get('x-request-id'),
    })
  return body
}

function isConfig(body: unknown): body is Config {
  return (
    typeof body === 'object' &&
    body !== null &&
    'publicUrl' in body &&
    'signIn' in body &&
    'hasLanguageModel' in body &&
    'providers' in body
  )
}
