import { describe, expect, it } from 'vitest'
import { sourceForTests } from './source-for-tests.ts'
import { filterSources, readSourcesSearch } from './source-filter.ts'

const sources = [
  sourceForTests({ displayName: 'Support inbox', provider: 'gmail' }),
  sourceForTests({ displayName: 'Sales inbox', provider: 'gmail', status: 'error' }),
  sourceForTests({ displayName: 'Handbook', provider: 'notion', status: 'error' }),
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
    const files = sourceForTests({ displayName: 'Google Drive (push)', provider: 'google_drive' })
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
