import { onTestFinished } from 'vitest'
import {
  type ConfluenceEmulator,
  type ConfluenceEmulatorOptions,
  startConfluenceEmulator,
} from '../../emulators/confluence/index.ts'
import type { ConfluenceSpace } from '../../emulators/confluence/state.ts'
import type { TextExtractor } from '../../src/file-text/index.ts'
import { createConfluenceAdapter } from '../../src/providers/confluence/adapter.ts'
import type { FormAdapter, ProviderItem, ProviderLimits } from '../../src/providers/provider.ts'
import { createProviderHarness, type HarnessOptions, type ProviderHarness } from './provider-harness.ts'

export const SITE = 'https://acme.atlassian.net'

export interface ConfluenceAccount {
  wiki: ConfluenceEmulator
  /** A space of everybody. */
  hr: ConfluenceSpace
  adapter: FormAdapter
  sync: ProviderHarness
  /** Another source of the same account, which has never synced. */
  fresh(): ProviderHarness
  /** The stored item of a page. */
  item(page: { id: string }): ProviderItem | undefined
}

export interface ConfluenceAccountOptions extends ConfluenceEmulatorOptions {
  extractor: TextExtractor
  itemsPerPage?: number
  /** What is entered as spaces. */
  spaces?: string
  limits?: Partial<ProviderLimits>
  signal?: AbortSignal
  prepare?(wiki: ConfluenceEmulator): void
  /** Happens after each page of a run. */
  meanwhile?(): void
}

/** An emulated site with the space HR, connected by the form. Both use one clock. */
export async function connectConfluence(options: ConfluenceAccountOptions): Promise<ConfluenceAccount> {
  const {
    extractor,
    itemsPerPage = 50,
    spaces = '',
    limits = {},
    signal,
    prepare,
    meanwhile,
    ...rest
  } = options
  let harness: ProviderHarness | undefined
  const now = (): number => harness?.now ?? Date.UTC(2026, 0, 1)
  const wiki = await startConfluenceEmulator({ now, ...rest })
  const hr = wiki.state.createSpace('HR')
  prepare?.(wiki)
  const clock = { now: () => new Date(now()) }
  const adapter = createConfluenceAdapter({ apiUrl: wiki.url, clock, extractor, itemsPerPage })
  const fields = { site: SITE, email: wiki.email, token: wiki.token(), spaces }
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
  const open = (more: Pick<HarnessOptions, 'adapter' | 'limits' | 'signal' | 'now'>) =>
    createProviderHarness({
      account,
      accessToken: () => credentials.accessToken,
      extra: credentials.extra ?? {},
      ...more,
    })
  const sync = open({ adapter: disturbed, limits, ...(signal && { signal }) })
  harness = sync
  return {
    wiki,
    hr,
    adapter,
    sync,
    fresh: () => open({ adapter, now: sync.now }),
    item: ({ id }) => sync.items.get(`acme.atlassian.net/${id}`),
  }
}

/** Connects accounts that end with their test. */
export function createConnect(
  extractor: TextExtractor,
): (options?: Partial<ConfluenceAccountOptions>) => Promise<ConfluenceAccount> {
  return async (options = {}) => {
    const account = await connectConfluence({ extractor, ...options })
    onTestFinished(() => account.wiki.close())
    return account
  }
}
