import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { providerItem } from '../../test/support/fake-provider.ts'
import { createProviderHarness, DEFAULT_SETTINGS } from '../../test/support/provider-harness.ts'
import { ProviderError } from './adapter.ts'
import { readingFeed } from './feed.ts'

/** A provider whose list has ten items a page, and whose changes are those of `changed`. */
function connect(ids: readonly string[]) {
  const broken = new Map<string, ProviderError>()
  const changed: string[] = []
  let isDown = false
  const answer = <Value>(value: Value): Value => {
    if (isDown) throw new ProviderError('unavailable', 'The provider is down')
    return value
  }
  const adapter = {
    provider: 'web',
    connect: () => Promise.reject(new Error('not used')),
    ...readingFeed<null>(async () => ({
      start: async () => answer(0),
      async list(after) {
        const from = Number(after ?? 0)
        const listed = ids.slice(from, from + 10).map((externalId) => ({ externalId, entry: null }))
        return answer({ listed, next: from + 10, isLast: from + 10 >= ids.length })
      },
      async changes(since) {
        const from = Number(since)
        const listed = changed.slice(from).map((externalId) => ({ externalId, entry: null }))
        return answer({ listed, next: changed.length, isLast: true, gone: [] })
      },
      async read(externalId) {
        const error = broken.get(externalId)
        if (error !== undefined) throw error
        return answer(providerItem(externalId, `Version ${changed.filter((id) => id === externalId).length}`))
      },
    })),
  }
  const account = { externalAccountId: 'account', displayName: 'Account' }
  const sync = createProviderHarness({ adapter, account, accessToken: () => '' })
  return {
    sync,
    broken,
    changed,
    stop: (down: boolean) => {
      isDown = down
    },
  }
}

const refused = new ProviderError('rejected', 'The file is broken')
const unavailable = new ProviderError('unavailable', 'The provider fails on it')
const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `item-${at}`)

it('a crawl ends although the provider refuses more items than are retried', async () => {
  const ids = numbered(500)
  const { sync, broken } = connect(ids)
  for (const id of ids.slice(0, 300)) broken.set(id, refused)
  const report = await sync.run()
  expect(report).toMatchObject({ complete: true })
  expect(report.failures).toHaveLength(300)
  expect(sync.items.size).toBe(200)
  expect(await sync.run()).toMatchObject({ complete: true })
})

it('a crawl fails when so many items are unavailable that some would be lost', async () => {
  const ids = numbered(500)
  const { sync, broken } = connect(ids)
  // Never three in a row.
  for (const [at, id] of ids.entries()) if (at % 2 === 0) broken.set(id, unavailable)
  await expect(sync.run()).rejects.toThrow('More than 200 items cannot be read')
})

it('items that stay unavailable do not keep others from being read, and are retried', async () => {
  const { sync, broken, changed } = connect(numbered(20))
  const five = ['item-2', 'item-5', 'item-8', 'item-11', 'item-14']
  for (const id of five) broken.set(id, unavailable)
  expect((await sync.run()).failures).toHaveLength(5)
  changed.push('item-1')
  expect(await sync.run()).toMatchObject({ complete: true, ingested: ['item-1'] })
  broken.clear()
  await sync.run()
  expect(sync.items.size).toBe(20)
})

it('an outage between runs uses up no attempt to read an item again', async () => {
  const { sync, broken, stop } = connect(numbered(20))
  for (const id of ['item-2', 'item-5', 'item-8']) broken.set(id, unavailable)
  await sync.run()
  stop(true)
  for (let run = 0; run < 10; run += 1)
    await expect(sync.run()).rejects.toMatchObject({ kind: 'unavailable' })
  stop(false)
  broken.clear()
  await sync.run()
  expect(sync.items.size).toBe(20)
})

it('no further item is read once one has ended the run', async () => {
  let reads = 0
  const { listChanges } = readingFeed<null>(async () => ({
    start: async () => 0,
    list: async () => ({
      listed: numbered(40).map((externalId) => ({ externalId, entry: null })),
      next: null,
      isLast: true,
    }),
    changes: async () => ({ listed: [], next: 0, isLast: true, gone: [] }),
    async read() {
      reads += 1
      throw new ProviderError('auth', 'The grant has ended')
    },
  }))
  const { session } = connect([]).sync
  const pages = listChanges(session, { cursor: null, settings: DEFAULT_SETTINGS })[Symbol.asyncIterator]()
  await expect(pages.next()).rejects.toThrow('The grant has ended')
  await setImmediate()
  expect(reads).toBeLessThanOrEqual(4)
})
