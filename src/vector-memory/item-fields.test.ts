import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../test/support/hostile-texts.ts'
import { ItemFields } from './item-fields.ts'
import type { ItemRow } from './search-filter.ts'
import { Readable } from '../kernel/viewer.ts'

function row(id: string, changed: Partial<ItemRow> = {}): ItemRow {
  return {
    id,
    provider: 'notion',
    source_kind: 'document',
    source_id: 's',
    author_name: null,
    policy_id: 1,
    updated_at: 0,
    metadata: { team: 'sales' },
    ...changed,
  }
}

const SALES = { providers: null, readable: Readable.everything, filter: { metadata: { team: 'sales' } } }

/** Three items with two rows each; the last item belongs to another team. */
function threeItems(): ItemFields {
  const fields = new ItemFields()
  for (const item of [row('a'), row('b'), row('c', { metadata: { team: 'support' } })])
    fields.addRows(fields.put(item), 2)
  return fields
}

describe('item scopes', () => {
  it('caches a selection while nothing changes', () => {
    const fields = threeItems()
    expect(fields.select(SALES).allowed).toEqual(Uint8Array.of(1, 1, 0))
    expect(fields.select({ ...SALES }).allowed).toBe(fields.select(SALES).allowed)
    expect(fields.select(SALES).rows).toBe(4)
    expect(fields.select({ providers: null, readable: Readable.everything }).rows).toBe(6)
  })

  it('leaves counting to the database when a filter cannot test the metadata of an item in scope', () => {
    const fields = threeItems()
    const byAuthor = { ...SALES, filter: { ...SALES.filter, authorName: 'Ada' } }
    fields.put(row('c', { metadata: null }))
    expect(fields.select(SALES)).toEqual({ allowed: Uint8Array.of(1, 1, 1), rows: null })
    expect(fields.select(byAuthor).rows).toBe(0)
    expect(fields.select({ ...SALES, filter: { metadata: {} } }).rows).toBe(6)
  })

  it.each<[string, (fields: ItemFields) => void, number[], number | null]>([
    [
      'an item changes',
      (fields) => fields.put(row('b', { metadata: null, provider: 'slack' })),
      [1, 1, 0],
      null,
    ],
    ['an item leaves it', (fields) => fields.put(row('b', { metadata: {} })), [1, 0, 0], 2],
    ['an item comes', (fields) => fields.addRows(fields.put(row('d')), 1), [1, 1, 0, 1], 5],
    ['rows come', (fields) => fields.addRows(0, 3), [1, 1, 0], 7],
    ['an item goes', (fields) => fields.remove(0), [0, 1, 0], 2],
    ['another takes its number', (fields) => (fields.remove(0), fields.put(row('e'))), [1, 1, 0], 2],
  ])('recomputes the selection when %s', (_what, change, allowed, rows) => {
    const fields = threeItems()
    fields.select(SALES)
    change(fields)
    expect([...(fields.select(SALES).allowed ?? [])]).toEqual(allowed)
    expect(fields.select(SALES).rows).toBe(rows)
  })

  it('keeps the selections of different scopes apart', () => {
    const fields = threeItems()
    const scopes = [
      SALES,
      { providers: null, readable: Readable.everything },
      { providers: ['notion' as const], readable: Readable.everything },
      { providers: ['slack' as const], readable: Readable.everything },
      { providers: null, readable: Readable.everything, filter: { authorName: 'sales' } },
      { providers: null, readable: Readable.everything, filter: { connectorId: 's' } },
      { providers: null, readable: Readable.everything, exceptSourceIds: ['s'] },
      { providers: null, readable: Readable.everything, itemIds: ['c'] },
      { providers: null, readable: Readable.everything, itemIds: ['a', 'b'] },
      ...Array.from({ length: 10 }, (_, n) => ({
        providers: null,
        readable: Readable.everything,
        filter: { updatedAfter: new Date(n).toISOString() },
      })),
    ]
    const counted = scopes.map((scope) => fields.select(scope).rows)
    expect(counted).toEqual([4, 6, 6, 0, 0, 6, 0, 2, 4, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(scopes.map((scope) => fields.select(scope).rows)).toEqual(counted)
  })
})

it('tests sixteen keys of long metadata in one pass over its pairs', () => {
  const fields = new ItemFields()
  const metadata = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`key${n}`, n]))
  for (let n = 0; n < 50_000; n += 1) fields.addRows(fields.put(row(String(n), { metadata })), 1)
  const select = (given: Record<string, number>) =>
    fields.select({ providers: null, readable: Readable.everything, filter: { metadata: given } })
  const asked = Object.fromEntries(Object.entries(metadata).slice(-16))
  expect(select(asked).rows).toBe(50_000)
  const leastMs = (given: Record<string, number>): number =>
    Math.min(...[-1, -2, -3, -4, -5].map((other) => cpuMs(() => select({ ...given, key63: other }))))
  expect(leastMs(asked)).toBeLessThan(leastMs({}) * 4)
})

it('keeps no texts of former versions of its items', () => {
  const fields = new ItemFields()
  const updates = 100_000
  const authorOf = (n: number) => String(n).padStart(500, 'x')
  const before = usedBytes()
  for (let n = 0; n < updates; n += 1) fields.put(row('a', { author_name: authorOf(n) }))
  const after = usedBytes()
  expect(fields.saved(0, 1)).toMatchObject([{ author_name: authorOf(updates - 1) }])
  expect(after - before).toBeLessThan(5_000_000)
})

/** After a garbage collection. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc()')
  return getHeapStatistics().used_heap_size
}
