import { z } from 'zod'
import type { Caller } from '../kernel/principal.ts'
import type { ProviderId } from '../kernel/providers.ts'
import { PROVIDERS } from './providers.ts'

/** The providers that the caller may see: what belongs into the WHERE of whatever it asks for. */
export function providersOf({ allowedProviders }: Caller): ProviderId[] {
  return [...(allowedProviders ?? PROVIDERS)]
}

/** One of the providers. */
export const providerOf = (description: string) =>
  z.enum(PROVIDERS).meta({ description, example: 'notion' satisfies ProviderId })
