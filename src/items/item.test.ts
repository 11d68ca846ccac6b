import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentHash, type NewItem } from './item.ts'

const item: NewItem = {
  sourceId: 'source',
  provider: 'notion',
  sourceKind: 'document',
  externalId: 'page',
  title: 'Title',
  body: 'Body',
  url: null,
  authorName: null,
  sourceCreatedAt: null,
  sourceUpdatedAt: null,
  metadata: {},
}

/** The same JSON with the keys of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

describe('contentHash', () => {
  it('does not depend on the order of keys in metadata', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (metadata) => {
        const other = Object.fromEntries(
          Object.entries(metadata)
            .toReversed()
            .map(([key, inner]) => [key, reversed(inner)]),
        )
        expect(contentHash({ ...item, metadata: other })).toBe(contentHash({ ...item, metadata }))
      }),
    )
  })

  it('differs when metadata differ in anything else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same =
          contentHash({ ...item, metadata: { a } }) === contentHash({ ...item, metadata: { a: b } })
        expect(same).toBe(canonical(a) === canonical(b))
      }),
    )
  })

  it('does not depend on who stored the item', () => {
    const moved: NewItem = { ...item, sourceId: 'other' }
    expect(contentHash(moved)).toBe(contentHash(item))
  })

  it('keeps its value for stored items', () => {
    expect(contentHash(item)).toBe('45a120c219f2db6341e33ee41f05b8a18974d2d90d4575789918d912cc3a9ca4')
    const full: NewItem = {
      ...item,
      url: 'https://example.com/a',
      authorName: 'Ada',
      sourceCreatedAt: new Date(1),
      sourceUpdatedAt: new Date(2),
      metadata: { b: [1, { d: null, c: 'e' }], a: true },
    }
    expect(contentHash(full)).toBe('0c40fe50e85b98605114df092b2f802ecb60e99bbb8970b4753161fdff9cdd13')
  })

  it('differs when text moves from one field to the next', () => {
    const hashes = [
      contentHash({ ...item, title: 'ab', body: 'c' }),
      contentHash({ ...item, title: 'a', body: 'bc' }),
      contentHash({ ...item, url: 'x', authorName: null }),
      contentHash({ ...item, url: null, authorName: 'x' }),
      contentHash({ ...item, sourceCreatedAt: new Date(1) }),
      contentHash({ ...item, sourceUpdatedAt: new Date(1) }),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})

/** Independent implementation: JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? { object: Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)) }
      : inner,
  )
}
