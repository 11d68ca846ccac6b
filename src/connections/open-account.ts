import type { Clock } from '../kernel/clock.ts'
import {
  DEFAULT_PROVIDER_LIMITS,
  type ProviderAdapter,
  type ProviderAdapters,
  type ProviderLimits,
  type ProviderSession,
} from '../providers/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import type { CredentialStore } from './credentials.ts'

/** What the opener of a session provides. */
export interface SessionOptions {
  signal: AbortSignal
  wait(ms: number): Promise<void>
  storedIds: ProviderSession['storedIds']
  limits?: Partial<ProviderLimits>
}

export type OpenProviderAccount = (
  source: SourceRef & { provider: ProviderId; externalAccountId: string; displayName: string },
  options: SessionOptions,
) => Promise<{ adapter: ProviderAdapter; session: ProviderSession }>

/** Opens accounts with their sources' credentials. @throws AppError `not_configured`, ProviderError `auth` */
export function createAccountOpener(deps: {
  adapters: ProviderAdapters
  credentials: CredentialStore
  clock: Clock
  random: () => number
}): OpenProviderAccount {
  return async (source, { limits, ...options }) => {
    const adapter = deps.adapters.get(source.provider)
    const { extra } = await deps.credentials.read(source)
    const session: ProviderSession = {
      ...options,
      accessToken: (refused) => deps.credentials.accessToken(source, adapter, options.signal, refused),
      account: { externalAccountId: source.externalAccountId, displayName: source.displayName },
      extra: extra ?? {},
      clock: deps.clock,
      random: deps.random,
      limits: { ...DEFAULT_PROVIDER_LIMITS, ...limits },
    }
    return { adapter, session }
  }
}
