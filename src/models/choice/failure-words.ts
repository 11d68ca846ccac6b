import type { EmbeddingModelSettings } from '../../inference/embedding-models/create-embedding-model.ts'
import { ProviderFailure, type ProviderFailureKind } from '../../inference/provider-failure.ts'
import { AppError } from '../../kernel/errors.ts'
import { codeOf, messageOf } from '../../kernel/thrown-errors.ts'

/** What the operator can do if the test of a server's model fails. */
const ADVICE: Record<ProviderFailureKind, string> = {
  auth: "give the server's key (with the command in EMBEDDING_API_KEY) and run the same command again",
  rate_limited: 'run the same command again when the server accepts requests',
  unavailable: 'check that it runs and can be reached from here, and run the same command again',
  rejected: 'check that the server has an embedding model of this name, and omit the number of dimensions',
}

/** What went wrong, for the operator. Includes the model server's message, which contains no secrets. */
export function reasonOf(error: unknown): string {
  if (error instanceof AppError && error.cause instanceof ProviderFailure)
    return `${error.message} It said: ${error.cause.message}`
  if (codeOf(error) === 'ENOSPC') return 'the disk is full'
  return messageOf(error)
}

/** Why a server's model was refused and what to do; returns any other error unchanged. */
export function refusalOf(error: unknown, settings: EmbeddingModelSettings): unknown {
  if (!(error instanceof AppError && error.cause instanceof ProviderFailure)) return error
  const server = shownUrl(settings)
  const place = server === null ? '' : ` at ${server}`
  const advice = ADVICE[error.cause.kind]
  return new AppError(
    error.code,
    `${settings.model ?? settings.provider}${place}: ${reasonOf(error)}. What to do: ${advice}`,
    { cause: error },
  )
}

/** Scheme, host and path only: a URL may contain a password or a key. */
export function shownUrl({ baseUrl }: EmbeddingModelSettings): string | null {
  if (baseUrl === undefined) return null
  const { origin, pathname } = new URL(baseUrl)
  return origin + pathname
}
