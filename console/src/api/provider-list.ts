import type { Schemas } from './client.ts'
import { PROVIDERS } from './providers.ts'

export type ProviderId = Schemas['Source']['provider']

/** Every provider, in the order of the API. */
export const PROVIDER_IDS = Object.keys(PROVIDERS).filter((id): id is ProviderId => id in PROVIDERS)
/** The providers to choose from, as a select takes them. */
export const PROVIDER_CHOICES = PROVIDER_IDS.map((value) => ({ value, label: PROVIDERS[value].name }))
/** All of them in a sentence: "Slack, Notion, or Gmail". */
export const ANY_PROVIDER = new Intl.ListFormat('en', { type: 'disjunction' }).format(
  PROVIDER_IDS.map((id) => PROVIDERS[id].name),
)

/** A provider's name as people know it; undefined for what is none. */
export function providerName(id: string | null): string | undefined {
  return Object.entries(PROVIDERS).find(([known]) => known === id)?.[1].name
}

/** Whether sources of a provider can be limited to some of its channels. */
export function hasChannels(id: ProviderId): boolean {
  return PROVIDERS[id].hasChannels
}
