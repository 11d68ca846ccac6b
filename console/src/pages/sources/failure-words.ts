import { providerFacts } from '../../api/provider-list.ts'
import type { Source } from './source-words.ts'

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

/** Refusals that a provider's own words identify. The first match counts. */
const KNOWN: readonly { pattern: RegExp; reconnect: boolean; words: Words }[] = [
  {
    pattern:
      /insufficient (?:authentication scopes|permission$)|missing_scope|not accessible by (?:personal|integration)/i,
    reconnect: true,
    words: (name) => ({
      happened: `The connection lacks a permission that ${name} requires.`,
      fix: `Reconnect ${name} and grant every permission it lists. The sync continues where it stopped.`,
    }),
  },
  {
    pattern: /admin_policy_enforced|org_internal/,
    reconnect: true,
    words: (name) => ({
      happened: `An administrator of ${name} does not allow this app.`,
      fix: `Ask the administrator to allow it, then reconnect ${name}.`,
    }),
  },
  {
    pattern: /domain administrators? ha(?:s|ve) disabled/i,
    reconnect: false,
    words: (name) => ({
      happened: `An administrator of ${name} does not allow this app.`,
      fix: 'Ask the administrator to allow it. The next sync then works.',
    }),
  },
  {
    pattern: /has not been used in project|API is disabled|accessNotConfigured|SERVICE_DISABLED/i,
    reconnect: false,
    words: (name) => ({
      happened: `The ${name} API is turned off for this service.`,
      fix: "Ask the operator of this service to turn it on in the service's Google Cloud project. The next sync then works.",
    }),
  },
]

/** Refusals without further reason. */
const FORBIDDEN = /\b403\b|forbidden|permission|restricted_resource|not have access|access[_ ]denied/i

/** Explains the failure of a source's last run. `message`: the provider's. */
export function explainFailure(
  { provider, errorMessage: message }: Pick<Source, 'provider' | 'errorMessage'>,
  needsReconnection: boolean,
): Failure {
  const { name } = providerFacts(provider)
  const known = KNOWN.find(({ pattern }) => pattern.test(message ?? ''))
  if (known !== undefined)
    return {
      ...known.words(name),
      isCuredByReconnecting: known.reconnect || needsReconnection,
      isGeneral: false,
    }
  if (needsReconnection)
    return {
      happened: `The account no longer has access to ${name}.`,
      fix: `Reconnect ${name}. The sync continues where it stopped.`,
      isCuredByReconnecting: true,
      isGeneral: true,
    }
  const isForbidden = FORBIDDEN.test(message ?? '')
  return {
    happened: isForbidden ? `${name} refused access.` : `${name} could not be read.`,
    fix: isForbidden
      ? `Check at ${name} that the account may open what is synced. The next sync tries again.`
      : `The next sync tries again. If it keeps failing, check that the account is active at ${name}.`,
    isCuredByReconnecting: false,
    isGeneral: true,
  }
}
