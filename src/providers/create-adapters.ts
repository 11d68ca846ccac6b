import { AppError } from '../kernel/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { createTextExtractor, type Recognition } from '../file-text/index.ts'
import { enablingSettings, isEnabled, type ProviderEnvironment } from './provider.ts'
import type { ProviderAdapter } from './adapter.ts'
import { findProvider, providers } from './find-provider.ts'

export interface ProviderAdapters {
  readonly offered: readonly ProviderId[]
  /** @throws AppError `not_configured`; the message names the settings */
  get(provider: ProviderId): ProviderAdapter
  /** Ends the extraction threads. */
  close(): Promise<void>
}

/** Creates an adapter for each configured provider, and loads only its code. */
export async function createProviderAdapters(
  environment: ProviderEnvironment,
  clock: Clock,
  recognition: Recognition | null,
): Promise<ProviderAdapters> {
  const extractor = createTextExtractor({ recognition })
  const adapters = new Map<ProviderId, ProviderAdapter>()
  for (const provider of providers) {
    if (!isEnabled(provider, environment)) continue
    adapters.set(provider.id, await provider.createAdapter(environment, { clock, extractor }))
  }
  return {
    offered: [...adapters.keys()],
    get(provider) {
      const adapter = adapters.get(provider)
      if (adapter) return adapter
      const settings = enablingSettings(findProvider(provider)).join(' and ')
      throw new AppError('not_configured', `This deployment does not offer ${provider}: set ${settings}`)
    },
    close: () => extractor.close(),
  }
}
