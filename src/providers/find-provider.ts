import type { ProviderId } from '../kernel/provider-id.ts'
import { CATALOG } from './catalog.ts'
import type { Provider, SettingsShape } from './provider.ts'
import { PROVIDERS } from './named-providers.ts'

const CATALOGED: readonly Provider<ProviderId>[] = CATALOG
/** The named providers, in the order of the API. */
export const providers: readonly Provider<ProviderId>[] = CATALOGED.filter(({ id }) => PROVIDERS.includes(id))
const byId = new Map(providers.map((provider) => [provider.id, provider]))

export const providerSettings: SettingsShape = settingsOf(providers)
export const catalogSettings: SettingsShape = settingsOf(CATALOGED)

function settingsOf(some: readonly Provider[]): SettingsShape {
  return Object.assign({}, ...some.map(({ settings }) => settings))
}

export function findProvider(id: ProviderId): Provider<ProviderId> {
  const provider = byId.get(id)
  if (!provider) throw new Error(`there is no provider ${id}`)
  return provider
}

export type ProviderDescription = Pick<
  Provider<ProviderId>,
  'id' | 'name' | 'brings' | 'icon' | 'color' | 'hasChannels' | 'isForFiles' | 'pollMinutes'
>

/** The public description of each provider, in the order of the API. */
export const describeProviders = (): ProviderDescription[] => providers.map(describe)

function describe(provider: Provider<ProviderId>): ProviderDescription {
  const { id, name, brings, icon, color, hasChannels, isForFiles, pollMinutes } = provider
  return {
    id,
    name,
    brings,
    icon,
    color,
    hasChannels,
    isForFiles,
    ...(pollMinutes !== undefined && { pollMinutes }),
  }
}
