import { describe, expect, it } from 'vitest'
import { filterOf, readAskSearch, searchRequestOf, withoutFilter } from './ask-search.ts'

const ID = '5f0c8e1a-4d2b-47b9-a6e3-1c9d7f2b8a60'

describe('the address of Ask', () => {
  it('keeps known parameters and drops all others', () => {
    expect(
      readAskSearch({
        q: ' vacation ',
        mode: 'search',
        providers: ['notion', 'myspace'],
        kinds: 'document',
        from: '2026-02-31x',
        to: '2026-03-01',
        source: ID,
        entity: 'javascript:alert(1)',
        at: -1,
        extra: 1,
      }),
    ).toEqual({ q: 'vacation', mode: 'search', providers: ['notion'], to: '2026-03-01', source: ID })
  })

  it('keeps a question that is a number as text', () => {
    expect(readAskSearch({ q: 42 })).toEqual({ q: '42' })
    expect(readAskSearch({ q: '   ' })).toEqual({})
  })

  it('has no filter if nothing is filtered', () => {
    expect(filterOf({ q: 'a', mode: 'search', item: ID })).toBeUndefined()
    expect(searchRequestOf({ q: 'a' })).toEqual({ query: 'a', limit: 8, rank: 'hybrid' })
  })

  it('includes both days of a range', () => {
    const filter = filterOf({ from: '2026-03-01', to: '2026-03-01' })
    const length = Date.parse(filter?.updatedBefore ?? '') - Date.parse(filter?.updatedAfter ?? '')
    expect(length).toBe(24 * 60 * 60 * 1_000)
  })

  it('clears every condition at once, and keeps the question', () => {
    const search = readAskSearch({ q: 'a', mode: 'search', kinds: ['file'], author: 'Ada', entity: ID })
    expect(filterOf(search)).toEqual({ sourceKinds: ['file'], authorName: 'Ada', entityId: ID })
    expect(withoutFilter(search)).toEqual({ q: 'a', mode: 'search' })
  })
})
