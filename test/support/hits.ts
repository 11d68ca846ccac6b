import type { Hit } from '../../src/retrieval/index.ts'

/** A hit of a search, a Notion page by default. */
export function aHit(values: Partial<Hit> = {}): Hit {
  return {
    sourceItemId: '00000000-0000-4000-8000-000000000000',
    title: 'Page',
    content: '',
    url: '',
    provider: 'notion',
    score: 0.5,
    metadata: {},
    syncedAt: '2026-01-01T00:00:00Z',
    ...values,
  }
}
