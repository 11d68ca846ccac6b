import process from 'node:process'
import { z } from 'zod'
import type { ProviderId } from '../kernel/provider-id.ts'
import { CATALOG, DEFAULT_PROVIDERS } from './catalog.ts'

const IDS: readonly ProviderId[] = CATALOG.map(({ id }) => id)

/** A comma-separated list of some of these providers. */
export const providerList = (ids: readonly ProviderId[]) =>
  z
    .string()
    .transform((list) =>
      list
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(z.enum(ids)))

/** The PROVIDERS setting. */
export const namedProvidersSetting = providerList(IDS)
  .refine((ids) => ids.length > 0, 'must name at least one provider')
  .default([...DEFAULT_PROVIDERS])

/**
 * The providers that the deployment names, in API order. Schemas are built from them on import, so the setting is
 * read first.
 */
export const PROVIDERS: readonly ProviderId[] = namedProviders(process.env.PROVIDERS)

function namedProviders(setting: string | undefined): ProviderId[] {
  const { data } = namedProvidersSetting.safeParse(setting === '' ? undefined : setting)
  const named = new Set<ProviderId>(data ?? DEFAULT_PROVIDERS)
  return IDS.filter((id) => named.has(id))
}
