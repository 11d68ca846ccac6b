import { describe, expect, it } from 'vitest'
import { filtersOf, readItemsSearch } from './items-search.ts'

describe('the URL of a list of items', () => {
  it('keeps every known filter', () => {
    const search = {
      q: 'vacation',
      source: '0f86601d-7f8d-4d54-ab0f-60555d52b81c',
      provider: 'files',
      kind: 'message',
      access: 'limited',
      from: '2026-01-02',
      to: '2026-02-28',
      entity: '1f86601d-7f8d-4d54-ab0f-60555d52b81c',
    } as const
    expect(readItemsSearch(search)).toEqual(search)
  })

  it('ignores unknown values, and reads numbers as text', () => {
    expect(
      readItemsSearch({ q: 42, source: 'x', provider: 'github', from: '2026-13-40', to: 'today', access: 1 }),
    ).toEqual({ q: '42' })
  })

  it('has the filters apart from the order, the open item and parameters of other pages', () => {
    const item = '0f86601d-7f8d-4d54-ab0f-60555d52b81c'
    const search = { kind: 'message', order: 'oldest', item, connected: item, tab: 'history' } as const
    expect(filtersOf(search)).toEqual({ kind: 'message' })
  })
})
