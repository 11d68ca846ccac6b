import { DEFAULT_PROVIDERS } from './providers.ts'

/** Typed by the default providers; a deployment can configure others. */
export type ProviderId = (typeof DEFAULT_PROVIDERS)[number]['id']

export interface ProviderFacts {
  id: ProviderId
  name: string
  brings: string
  /** An SVG path of lines in a square of 24 units. */
  icon: string
  color: string
  hasChannels: boolean
  isForFiles: boolean
  /** The shortest time between scheduled syncs, if the provider's terms limit it. */
  pollMinutes?: number
}

/** The icon of a provider that this deployment no longer has: a page. */
const UNKNOWN = { icon: 'M6 3h8l4 4v14H6zM9 12h6M9 16h6', color: 'currentColor' }

let known = listOf(DEFAULT_PROVIDERS)

/** Sets the providers of this deployment. Called before the first render. */
export function takeProviders(providers: readonly ProviderFacts[]): void {
  known = listOf(providers)
}

function listOf(providers: readonly ProviderFacts[]) {
  const names = providers.map(({ name }) => name)
  return {
    byId: new Map<string, ProviderFacts>(providers.map((provider) => [provider.id, provider])),
    ids: providers.map(({ id }) => id),
    choices: providers.map(({ id: value, name: label }) => ({ value, label })),
    any: new Intl.ListFormat('en', { type: 'disjunction' }).format(names),
    // Every deployment has at least one provider.
    forFiles: (providers.find(({ isForFiles }) => isForFiles) ?? providers[0])?.id ?? 'google_drive',
  }
}

/** Every provider, in the API's order. */
export const providerIds = (): readonly ProviderId[] => known.ids
export const providerChoices = (): { value: ProviderId; label: string }[] => known.choices
/** All provider names in a sentence: "Slack, Notion, or Gmail". */
export const anyProvider = (): string => known.any
/** The default provider of files. */
export const filesProvider = (): ProviderId => known.forFiles

export function providerFacts(id: ProviderId): ProviderFacts {
  return (
    known.byId.get(id) ?? {
      id,
      name: id,
      brings: '',
      ...UNKNOWN,
      hasChannels: false,
      isForFiles: false,
    }
  )
}

/** A provider's icon and color. */
export function drawingOf(id: string): Pick<ProviderFacts, 'icon' | 'color'> {
  return known.byId.get(id) ?? UNKNOWN
}

/** A provider's display name; undefined for an unknown one. */
export function providerName(id: string | null): string | undefined {
  return known.byId.get(id ?? '')?.name
}

/** Whether a provider's sources can be limited to some of its channels. */
export function hasChannels(id: string | null): boolean {
  return known.byId.get(id ?? '')?.hasChannels ?? false
}
