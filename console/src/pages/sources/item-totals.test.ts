import { describe, expect, it } from 'vitest'
import { totalOf } from './item-totals.ts'

describe('the line about how many items match', () => {
  const none = { total: null, rows: [], hasNextPage: false }

  it('has no number before the first page, nor if it fails', () => {
    expect(totalOf({ ...none, data: undefined })).toBe('Latest change first.')
  })

  it('counts what a search found', () => {
    expect(totalOf({ ...none, data: { pages: [], pageParams: [] } })).toBe('0 found')
  })
})
