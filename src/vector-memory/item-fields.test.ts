import { setImmediate } from 'node:timers/promises'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
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
  it('caches a selection while nothing changes', async () => {
    const fields = threeItems()
    const [first, second] = [fields.select(SALES), fields.select({ ...SALES })]
    expect(await first).toEqual({ allowed: Uint8Array.of(1, 1, 0), rows: 4 })
    expect(await second).toBe(await first)
    expect(await fields.select(SALES)).toBe(await first)
    expect((await fields.select({ providers: null, readable: Readable.everything })).rows).toBe(6)
  })

  it('leaves counting to the database when a filter cannot test the metadata of an item in scope', async () => {
    const fields = threeItems()
    const byAuthor = { ...SALES, filter: { ...SALES.filter, authorName: 'Ada' } }
    fields.put(row('c', { metadata: null }))
    expect(await fields.select(SALES)).toEqual({ allowed: Uint8Array.of(1, 1, 1), rows: null })
    expect((await fields.select(byAuthor)).rows).toBe(0)
    expect((await fields.select({ ...SALES, filter: { metadata: {} } })).rows).toBe(6)
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
  ])('recomputes the selection when %s', async (_what, change, allowed, rows) => {
    const fields = threeItems()
    await fields.select(SALES)
    change(fields)
    const after = await fields.select(SALES)
    expect([...(after.allowed ?? [])]).toEqual(allowed)
    expect(after.rows).toBe(rows)
  })

  it('keeps the selections of different scopes apart', async () => {
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
    const count = async () =>
      (await Promise.all(scopes.map((scope) => fields.select(scope)))).map(({ rows }) => rows)
    const counted = await count()
    expect(counted).toEqual([4, 6, 6, 0, 0, 6, 0, 2, 4, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(await count()).toEqual(counted)
  })
})

describe('a large selection', () => {
  const metadata = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`key${n}`, n]))
  const fields = new ItemFields()
  beforeAll(() => {
    for (let n = 0; n < 50_000; n += 1) fields.addRows(fields.put(row(String(n), { metadata })), 1)
  })
  const select = (given: Record<string, number>) =>
    fields.select({ providers: null, readable: Readable.everything, filter: { metadata: given } })

  it('tests sixteen keys of long metadata in one pass over its pairs', async () => {
    const asked = Object.fromEntries(Object.entries(metadata).slice(-16))
    expect((await select(asked)).rows).toBe(50_000)
    const least = async (given: Record<string, number>): Promise<number> => {
      const times: number[] = []
      for (const other of [-1, -2, -3, -4, -5]) {
        const before = process.threadCpuUsage()
        await select({ ...given, key63: other })
        times.push(process.threadCpuUsage(before).user)
      }
      return Math.min(...times)
    }
    expect(await least(asked)).toBeLessThan((await least({})) * 4)
  })

  it('lets other work run, and is not cached if items change meanwhile', async () => {
    const scope = { key63: 63 }
    let time = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => ++time)
    onTestFinished(() => clock.mockRestore())
    let isDone = false
    const selected = select(scope).finally(() => (isDone = true))
    await setImmediate()
    expect(isDone).toBe(false)
    fields.put(row('new', { metadata }))
    await selected
    expect((await select(scope)).allowed).toHaveLength(50_001)
  })
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
