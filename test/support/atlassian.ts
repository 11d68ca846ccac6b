import type { Clock } from '../../src/kernel/clock.ts'
import type { FormAdapter, FormFields, ProviderItem, ProviderLimits } from '../../src/providers/adapter.ts'
import { createProviderHarness, type HarnessOptions, type ProviderHarness } from './provider-harness.ts'

export const SITE = 'https://acme.atlassian.net'

export interface SiteAccount {
  adapter: FormAdapter
  sync: ProviderHarness
  /** Another source of the same account, which has never synced. */
  fresh(): ProviderHarness
  /** The stored item of a page or an issue. */
  item(thing: { id: string }): ProviderItem | undefined
}

export interface SiteAccountOptions {
  limits?: Partial<ProviderLimits>
  signal?: AbortSignal
  /** Happens after each page of a run. */
  meanwhile?(): void
}

/** An emulated site that `open` starts, connected by the form. Both use one clock. */
export async function connectSite<More>(
  { limits = {}, signal, meanwhile }: SiteAccountOptions,
  open: (clock: Clock) => Promise<{ adapter: FormAdapter; fields: FormFields; more: More }>,
): Promise<SiteAccount & More> {
  let harness: ProviderHarness | undefined
  const clock = { now: () => new Date(harness?.now ?? Date.UTC(2026, 0, 1)) }
  const { adapter, fields, more } = await open(clock)
  const { credentials, ...account } = await adapter.connect(fields, new AbortController().signal)
  const disturbed: FormAdapter = {
    ...adapter,
    async *listChanges(session, input) {
      for await (const page of adapter.listChanges(session, input)) {
        yield page
        meanwhile?.()
      }
    },
  }
  const start = (options: Pick<HarnessOptions, 'adapter' | 'limits' | 'signal' | 'now'>) =>
    createProviderHarness({
      account,
      accessToken: () => credentials.accessToken,
      extra: credentials.extra ?? {},
      ...options,
    })
  const sync = start({ adapter: disturbed, limits, ...(signal && { signal }) })
  harness = sync
  return {
    ...more,
    adapter,
    sync,
    fresh: () => start({ adapter, now: sync.now }),
    item: ({ id }) => sync.items.get(`acme.atlassian.net/${id}`),
  }
}
