import type { ProviderId } from '../kernel/providers.ts'
import { CATALOG } from './catalog.ts'
import type { Provider, SettingsShape } from './descriptor.ts'

const known: readonly Provider<ProviderId>[] = CATALOG
const byId = new Map(known.map((provider) => [provider.id, provider]))

/** Every provider's id, in the order of the API. */
export const PROVIDERS: readonly ProviderId[] = known.map(({ id }) => id)

export const providers: readonly Provider<ProviderId>[] = known

export const providerSettings: SettingsShape = Object.assign({}, ...known.map(({ settings }) => settings))

export function findProvider(id: ProviderId): Provider<ProviderId> {
  const provider = byId.get(id)
  if (!provider) throw new Error(`there is no provider ${id}`)
  return provider
}

/** The public description of each provider, in the order of the API. */
export function describeProviders(): Pick<
  Provider<ProviderId>,
  'id' | 'name' | 'brings' | 'icon' | 'hasChannels' | 'isForFiles'
>[] {
  return known.map(({ id, name, brings, icon, hasChannels, isForFiles }) => ({
    id,
    name,
    brings,
    icon,
    hasChannels,
    isForFiles,
  }))
}
