import { describe, expect, it } from 'vitest'
import type { Source } from './source-words.ts'
import { filterSources, readSourcesSearch } from './source-filter.ts'

function sourceOf(displayName: string, provider: Source['provider'], status: Source['status']): Source {
  return {
    id: displayName,
    provider,
    status,
    displayName,
    externalAccountId: 'push:1',
    lastSyncedAt: null,
    errorMessage: null,
    channelAllowlist: null,
    sourceItemCount: 0,
    policyHealth: null,
    createdAt: '2026-03-02T09:30:00.000Z',
    updatedAt: '2026-03-02T09:30:00.000Z',
  }
}

const sources = [
  sourceOf('Support inbox', 'gmail', 'active'),
  sourceOf('Sales inbox', 'gmail', 'error'),
  sourceOf('Handbook', 'notion', 'error'),
]
const found = (search: Parameters<typeof filterSources>[1]) =>
  filterSources(sources, search).map(({ displayName }) => displayName)

describe('the search of sources', () => {
  it('finds sources with all words in any order and case, and with all other conditions', () => {
    expect(found({})).toEqual(['Support inbox', 'Sales inbox', 'Handbook'])
    expect(found({ q: ' INBOX  sup' })).toEqual(['Support inbox'])
    expect(found({ state: 'error' })).toEqual(['Sales inbox', 'Handbook'])
    expect(found({ state: 'error', from: 'gmail', q: 'inbox' })).toEqual(['Sales inbox'])
    expect(found({ q: 'inbox', from: 'notion' })).toEqual([])
  })

  it('finds the source of imported files by the name that the console shows', () => {
    const files = sourceOf('Google Drive (push)', 'google_drive', 'active')
    expect(filterSources([...sources, files], { q: 'files' })).toEqual([files])
    expect(filterSources([...sources, files], { q: 'push' })).toEqual([])
  })

  it('is read from the URL, without unknown values', () => {
    expect(readSourcesSearch({ q: 2026, from: 'gmail', state: 'error', page: 3 })).toEqual({
      q: '2026',
      from: 'gmail',
      state: 'error',
    })
    expect(readSourcesSearch({ q: '  ', from: 'dropbox', state: ['error'], provider: 'slack' })).toEqual({})
    expect(readSourcesSearch({ q: 'x'.repeat(500) }).q).toHaveLength(100)
  })
})
