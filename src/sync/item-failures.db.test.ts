import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProviderAdapter, ProviderItem } from '../providers/index.ts'
import { createModelRegistry } from '../models/index.ts'
import { createItems } from '../items/index.ts'
import { withoutMessage } from './index.ts'
import { createFakeProvider, type FakeProvider, providerItem } from '../../test/support/fake-provider.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { seededRandom } from '../../test/support/random.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'

const random = seededRandom('item failures')

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

describe('a run with items that fail', () => {
  it('records an item that cannot be stored and stores the others [SYNC-13]', async () => {
    for (let n = 0; n < 7; n++) provider.put(`doc-${n}`, 'Words.')
    const unstorable = Array.from({ length: 4000 }, () => random().toString(36)).join('')
    provider.put(unstorable, 'Its id is longer than an index takes.')
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    await bench.worker(provider.adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 7, items_failed: 1 })
    const failures = await bench.db.selectFrom('sync_run_failures').selectAll().execute()
    expect(failures.map(({ message }) => message)).toEqual([expect.stringMatching(/cannot be stored/)])
  })

  it('counts each item once, however often it fails in the run, and lists the first hundred [SYNC-13]', async () => {
    const failing = (ids: number[]) =>
      ids.map((id) => ({ externalId: `doc-${String(id).padStart(3, '0')}`, message: 'unreadable' }))
    const pages = [failing([1, 2, 2]), failing([2, 3]), failing(Array.from({ length: 150 }, (_, id) => id))]
    const adapter: ProviderAdapter = {
      ...provider.adapter,
      async *listChanges() {
        const page = { upserts: [], deletions: [], discovered: 0, cursor: null, snapshot: null }
        for (const [n, failures] of pages.entries())
          yield { ...page, failures, complete: n === pages.length - 1 }
      },
    }
    const runId = await bench.queue(await bench.connect())
    await bench.worker(adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_failed: 150 })
    const failures = await bench.db.selectFrom('sync_run_failures').select('external_id').execute()
    expect(failures).toHaveLength(100)
  })
})

/** Throws on every item that contains the word, while it is chunked or embedded. */
function failingOn(word: string, fault: unknown, at: 'cutting' | 'embedding') {
  const model = hashEmbeddingModel()
  const throwing: typeof model = {
    ...model,
    async embedDocuments(documents, signal) {
      if (at === 'embedding' && documents.some(({ text }) => text.includes(word))) throw fault
      return await model.embedDocuments(documents, signal)
    },
  }
  const models = createModelRegistry({ configured: throwing, builtin: async () => throwing })
  const items = createItems({ db: bench.db, models, clock: { now: () => new Date(bench.now) } })
  const write: typeof items.write = async (organizationId, given, within, signal) => {
    if (at === 'cutting' && given.some(({ body }) => body.includes(word))) throw fault
    return await items.write(organizationId, given, within, signal)
  }
  return { write }
}

const FAULTS = [
  new RangeError('poison is too long'),
  new TypeError('poison.trim is no function'),
  'poison',
  null,
]

describe('an item that the service itself fails on', () => {
  it.each(FAULTS.flatMap((fault) => (['cutting', 'embedding'] as const).map((at) => ({ fault, at }))))(
    'while $at it ($fault) is counted and listed, and the others are stored [SYNC-13]',
    async ({ fault, at }) => {
      for (let n = 0; n < 12; n++) provider.put(`doc-${n}`, n === 7 ? 'poison' : `The body of ${n}.`)
      const sourceId = await bench.connect()
      const runId = await bench.queue(sourceId)
      await bench.worker(provider.adapter, { items: failingOn('poison', fault, at) }).settle()
      expect(await bench.run(runId)).toMatchObject({
        status: 'succeeded',
        items_ingested: 11,
        items_failed: 1,
      })
      expect(Object.keys(await bench.stored(sourceId))).toHaveLength(11)
      const failures = await bench.db.selectFrom('sync_run_failures').selectAll().execute()
      expect(failures).toMatchObject([
        {
          external_id: 'doc-7',
          message: expect.stringMatching(/^It cannot be stored: processing failed/),
        },
      ])
      expect(failures[0]?.message).not.toContain('poison')
      expect(bench.faults).toEqual([fault])
      // Once the fault is fixed, a change of the item or a full resync stores it.
      await bench.queue(sourceId, true)
      await bench.worker(provider.adapter).settle()
      expect(Object.keys(await bench.stored(sourceId))).toHaveLength(12)
    },
  )

  it("is logged with the error's class and stack, and without its message", () => {
    const described = withoutMessage(new RangeError('the secret\n    at its second line'))
    expect(described).toMatchObject({
      name: 'RangeError',
      stack: expect.stringMatching(/^RangeError\n\s+at .*\.ts/),
    })
    expect(`${described.message} ${described.stack}`).not.toContain('secret')
    expect(withoutMessage('secret')).toMatchObject({ name: 'thrown string', stack: '' })
  })
})

describe('an item that keeps its stored content', () => {
  const readable = (users: string[], body = 'Words.'): ProviderItem =>
    providerItem('doc', body, { metadata: { accessPolicy: { visibility: 'restricted', users } } })
  const page = { deletions: [], discovered: 1, cursor: null, snapshot: null, complete: true }

  it.each([
    {
      why: 'the provider does not return the new one',
      next: {
        upserts: [],
        failures: [
          {
            externalId: 'doc',
            message: 'unreadable',
            accessPolicy: { visibility: 'private' as const, users: ['ada@acme.example'] },
          },
        ],
      },
    },
    {
      why: 'the new one cannot be stored',
      next: {
        upserts: [
          {
            ...readable([], 'poison'),
            metadata: { accessPolicy: { visibility: 'private' as const, users: ['ada@acme.example'] } },
          },
        ],
        failures: [],
      },
    },
  ])('because $why loses its former readers', async ({ next }) => {
    const pages = [{ upserts: [readable(['ada@acme.example', 'bob@acme.example'])], failures: [] }, next]
    const adapter: ProviderAdapter = {
      ...provider.adapter,
      async *listChanges() {
        yield { ...page, ...(pages.shift() ?? next) }
      },
    }
    const sourceId = await bench.connect()
    const worker = bench.worker(adapter, { items: failingOn('poison', new RangeError('poison'), 'cutting') })
    await bench.queue(sourceId)
    await worker.settle()
    const runId = await bench.queue(sourceId)
    await worker.settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_failed: 1 })
    const [stored] = await bench.db.selectFrom('source_items').selectAll().execute()
    expect(stored).toMatchObject({
      body: 'Words.',
      metadata: { accessPolicy: { visibility: 'private', users: ['ada@acme.example'] } },
    })
  })
})

describe('an item of a provider', () => {
  it('that a page reports twice is stored once, as last reported', async () => {
    const adapter: ProviderAdapter = {
      ...provider.adapter,
      async *listChanges() {
        const upserts = ['older', 'newer'].map((body) => providerItem('doc', body))
        const page = { deletions: [], failures: [], discovered: 2, cursor: null, snapshot: null }
        yield { ...page, upserts, complete: true }
      },
    }
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    await bench.worker(adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_failed: 0 })
    expect(await bench.stored(sourceId)).toEqual({ doc: 'newer' })
  })

  it("loses a link that runs or opens something on the reader's machine, and an overlong title", async () => {
    const adapter: ProviderAdapter = {
      ...provider.adapter,
      async *listChanges() {
        const urls = [
          'javascript:alert(1)',
          'file:///etc/passwd',
          'blob:https://x.example/1',
          'https://x.example/1',
        ]
        const upserts = urls.map((url, n) => ({
          externalId: `doc-${n}`,
          sourceKind: 'document' as const,
          title: 'T'.repeat(5_000),
          body: 'Words.',
          url,
          authorName: 'A'.repeat(5_000),
          sourceCreatedAt: null,
          sourceUpdatedAt: null,
          metadata: {},
        }))
        yield {
          upserts,
          deletions: [],
          failures: [],
          discovered: 4,
          cursor: null,
          snapshot: null,
          complete: true,
        }
      },
    }
    const runId = await bench.queue(await bench.connect())
    await bench.worker(adapter).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 4 })
    const rows = await bench.db.selectFrom('source_items').selectAll().orderBy('external_id').execute()
    expect(rows.map(({ url }) => url)).toEqual([null, null, null, 'https://x.example/1'])
    expect(rows.map(({ title, author_name }) => [title.length, author_name?.length])).toEqual(
      rows.map(() => [1_000, 500]),
    )
  })
})
