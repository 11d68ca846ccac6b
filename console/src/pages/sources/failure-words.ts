import { providerFacts } from '../../api/provider-list.ts'
import type { Source } from './source-words.ts'

export type FailureCode = NonNullable<Source['errorCode']>

/** Why a source could not be read. */
export interface Failure {
  /** What happened, in one sentence. */
  happened: string
  /** What to do about it. */
  fix: string
  /** Whether connecting the account again helps. */
  isCuredByReconnecting: boolean
  /** Whether `happened` says less than the provider's message. */
  isGeneral: boolean
}

type Words = (name: string) => Pick<Failure, 'happened' | 'fix'>

const WORDS: Record<FailureCode, Words> = {
  access_ended: (name) => ({
    happened: `The account no longer has access to ${name}.`,
    fix: `Reconnect ${name}. The sync continues where it stopped.`,
  }),
  missing_permission: (name) => ({
    happened: `The connection lacks a permission that ${name} requires.`,
    fix: `Reconnect ${name} and grant every permission it lists. The sync continues where it stopped.`,
  }),
  app_blocked: (name) => ({
    happened: `An administrator of ${name} does not allow this app.`,
    fix: 'Ask the administrator to allow it, then sync again.',
  }),
  api_disabled: (name) => ({
    happened: `The ${name} API is turned off for this service.`,
    fix: "Ask the operator of this service to turn it on in the service's Google Cloud project. The next sync then works.",
  }),
  access_refused: (name) => ({
    happened: `${name} refused access.`,
    fix: `Check in ${name} that the account can open the synced content. The next sync tries again.`,
  }),
  not_configured: (name) => ({
    happened: `${name} is not set up in this service.`,
    fix: `Ask the operator of this service for the settings of ${name}. The next sync then works.`,
  }),
}

const UNKNOWN: Words = (name) => ({
  happened: `${name} could not be read.`,
  fix: `The next sync tries again. If it keeps failing, check that the account is active at ${name}.`,
})

/** Explains the failure of a source's last run. `code`: why it failed, if the service knows. */
export function explainFailure(
  provider: Source['provider'],
  code: FailureCode | null | undefined = null,
): Failure {
  const { name } = providerFacts(provider)
  return {
    ...(code === null ? UNKNOWN : WORDS[code])(name),
    isCuredByReconnecting: code === 'access_ended' || code === 'missing_permission',
    isGeneral: code === null || code === 'access_ended' || code === 'access_refused',
  }
}

/** Whether a source fails until its account is connected again. */
export function needsReconnecting({ status, provider, errorCode }: Source): boolean {
  return status === 'error' && explainFailure(provider, errorCode).isCuredByReconnecting
}
