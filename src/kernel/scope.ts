import { AppError } from './errors.ts'
import type { Caller } from './caller.ts'
import type { ProviderId } from './provider-id.ts'

/** The providers that a caller is limited to; null: every provider, future ones included. */
export type ProviderScope = readonly ProviderId[] | null

/** Whether `outer` allows everything that `inner` allows. */
export function isWithin(inner: ProviderScope, outer: ProviderScope): boolean {
  if (outer === null) return true
  return inner !== null && inner.every((provider) => outer.includes(provider))
}

/** Refuses a caller limited to fewer providers than an act reaches. @throws AppError `provider_not_allowed` */
export function requireReach(caller: Caller, reach: ProviderScope, act: string): void {
  if (!isWithin(reach, caller.allowedProviders)) throw beyondReach(caller, reach, act)
}

/** The `provider_not_allowed` error for a caller limited to fewer providers than an act reaches. */
export function beyondReach({ allowedProviders }: Caller, reach: ProviderScope, act: string): AppError {
  const reached = reach === null ? 'every provider' : reach.join(', ')
  const allowed = [...(allowedProviders ?? [])]
  return new AppError(
    'provider_not_allowed',
    `${act} covers ${reached}, but this API key is limited to ${allowed.join(', ')}; use a key without that limit`,
    { details: { allowedProviders: allowed } },
  )
}
