import { ProviderFailure, type ProviderFailureKind } from '../../inference/provider-failure.ts'
import { AppError } from '../../kernel/errors.ts'

export type ModelKind = 'language' | 'embedding'

const SUBJECTS: Record<ModelKind, string> = { language: 'language model', embedding: 'embedding model' }
const PREFIXES: Record<ModelKind, string> = { language: 'LLM', embedding: 'EMBEDDING' }

const ADVICE: Record<ProviderFailureKind, (subject: string, prefix: string) => string> = {
  auth: (subject, prefix) =>
    `The ${subject} server rejected the API key. Set ${prefix}_API_KEY to a valid key and restart the service.`,
  rate_limited: (subject) =>
    `The ${subject} server is limiting requests. Test again in a minute. If it still limits them, raise the limit at the provider.`,
  unavailable: (subject, prefix) =>
    `The ${subject} server cannot be reached, or fails. Check that it runs and that ${prefix}_BASE_URL is right.`,
  rejected: (subject, prefix) =>
    `The ${subject} server rejected the request. Check that it offers the model that ${prefix}_MODEL names.`,
}

/** Why a model does not work and what to do, never in the server's words. null: not a failure of the model. */
export function problemOf(kind: ModelKind, error: unknown): { words: string; detail: string | null } | null {
  if (!(error instanceof AppError) || error.code !== 'upstream_error') return null
  const { cause } = error
  if (!(cause instanceof ProviderFailure)) return { words: error.message, detail: null }
  return { words: ADVICE[cause.kind](SUBJECTS[kind], PREFIXES[kind]), detail: cause.message }
}

export function tooSlow(kind: ModelKind, deadlineMs: number): string {
  return `The ${SUBJECTS[kind]} did not answer within ${deadlineMs / 1000} seconds. Check that its server runs and has capacity.`
}
