import { z } from 'zod'
import type { Caller } from '../kernel/caller.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { PROVIDERS } from './named-providers.ts'

/** The providers that the caller may see. Every query of the caller needs them in its WHERE clause. */
export function providersOf({ allowedProviders }: Caller): ProviderId[] {
  return [...(allowedProviders ?? PROVIDERS)]
}

export const providerOf = (description: string) =>
  z.enum(PROVIDERS).meta({ description, example: 'notion' satisfies ProviderId })
