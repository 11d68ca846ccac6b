import type { ProviderId } from '../../src/kernel/provider-id.ts'
import {
  type ChangePage,
  ProviderError,
  type OAuthAdapter,
  type ProviderItem,
  type ProviderSession,
  type PushState,
} from '../../src/providers/index.ts'

/** An in-memory provider that implements the port: a full crawl first, then a feed of changes. */
export interface FakeProvider {
  adapter: OAuthAdapter
  put(id: string, body: string): void
  remove(id: string): void
  /** Called before each page with its number within the run: to fail, wait or hang. */
  beforePage: (page: number, session: ProviderSession) => void | Promise<void>
  /** Each request for changes, with its cursor and push. */
  asked: { cursor: unknown; push: PushState | undefined }[]
  /** Refuses all cursors issued so far. */
  expireCursors(): void
}

interface Cursor {
  generation: number
  feed: number
  crawl: { name: string; after: string } | null
}

/** An empty provider that yields `pageSize` items per page. */
export function createFakeProvider(
  provider: ProviderId = 'notion',
  { pageSize = 5 }: { pageSize?: number } = {},
): FakeProvider {
  const items = new Map<string, string>()
  const feed: string[] = []
  let generation = 1
  let crawls = 0

  async function* listChanges(
    session: ProviderSession,
    input: Parameters<OAuthAdapter['listChanges']>[1],
  ): AsyncGenerator<ChangePage> {
    fake.asked.push({ cursor: input.cursor, push: input.push })
    const state = input.cursor === null ? startCrawl() : (structuredClone(input.cursor) as unknown as Cursor)
    if (state.generation !== generation) throw new ProviderError('cursor_expired', 'the cursor is too old')
    const snapshot = state.crawl?.name ?? null
    const ids = (
      state.crawl ? [...items.keys()].filter((id) => id > (state.crawl?.after ?? '')) : changed(state)
    ).toSorted()
    for (let page = 0; ; page += 1) {
      await fake.beforePage(page, session)
      const part = ids.slice(page * pageSize, (page + 1) * pageSize)
      const complete = (page + 1) * pageSize >= ids.length
      if (state.crawl) state.crawl.after = part.at(-1) ?? state.crawl.after
      if (complete && !state.crawl) state.feed = feed.length
      if (complete) state.crawl = null
      yield {
        upserts: part.filter((id) => items.has(id)).map((id) => itemOf(id, items.get(id) ?? '')),
        deletions: part.filter((id) => !items.has(id)),
        failures: [],
        discovered: part.length,
        cursor: structuredClone({ ...state }),
        complete,
        snapshot,
      }
      if (complete) return
    }
  }

  const startCrawl = (): Cursor => ({
    generation,
    feed: feed.length,
    crawl: { name: `crawl-${++crawls}`, after: '' },
  })
  const changed = (state: Cursor): string[] => [...new Set(feed.slice(state.feed))]
  const fake: FakeProvider = {
    adapter: {
      provider,
      authorizeUrl: ({ state }) => `https://provider.example/authorize?state=${state}`,
      exchangeCode: async ({ code }) => ({
        externalAccountId: 'account',
        displayName: 'Account',
        credentials: { accessToken: code, refreshToken: null, expiresAt: null, scopes: [] },
      }),
      refresh: async (credentials) => credentials,
      revoke: async () => {},
      listChanges,
    },
    put(id, body) {
      items.set(id, body)
      feed.push(id)
    },
    remove(id) {
      items.delete(id)
      feed.push(id)
    },
    beforePage: () => {},
    asked: [],
    expireCursors() {
      generation += 1
    },
  }
  return fake
}

/** An item as a provider reports it. */
export function providerItem(
  externalId: string,
  body: string,
  values: Partial<ProviderItem> = {},
): ProviderItem {
  return {
    externalId,
    sourceKind: 'document',
    title: externalId,
    body,
    url: null,
    authorName: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: null,
    metadata: {},
    ...values,
  }
}

function itemOf(externalId: string, body: string): ProviderItem {
  return providerItem(externalId, body, { title: `Title of ${externalId.slice(0, 50)}` })
}
