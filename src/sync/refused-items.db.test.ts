import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createModelRegistry } from '../models/index.ts'
import { providerError } from '../inference/provider-failure.ts'
import { createItems } from '../items/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { startSyncBench, SYNC_INTERVAL_MS, type SyncBench } from '../../test/support/sync.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

/** Stores with a model that answers `status` to texts with the given word. */
function refusing(word: string, status = 400) {
  const model = hashEmbeddingModel()
  const picky: typeof model = {
    ...model,
    async embedDocuments(documents, signal) {
      if (documents.some(({ text }) => text.includes(word))) {
        throw providerError('The embedding model', { status, detail: 'input cannot be read' })
      }
      return await model.embedDocuments(documents, signal)
    },
  }
  const models = createModelRegistry({ configured: picky, builtin: async () => picky })
  return createItems({ db: bench.db, models, clock: { now: () => new Date(bench.now) } })
}

const failures = () => bench.db.selectFrom('sync_run_failures').select(['external_id', 'message']).execute()

describe('an item that the embedding model refuses', () => {
  it('is recorded and skipped, and the others are stored', async () => {
    for (let n = 0; n < 12; n++) provider.put(`doc-${n}`, n === 7 ? 'poison' : `The body of ${n}.`)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    await bench.worker(provider.adapter, { items: refusing('poison', 413) }).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 11, items_failed: 1 })
    expect(Object.keys(await bench.stored(sourceId))).toHaveLength(11)
    expect(await failures()).toEqual([
      { external_id: 'doc-7', message: 'It cannot be stored: the embedding model refuses it (HTTP 413)' },
    ])
  })

  it('is also skipped if it is the only item, and the failed attempt leaves nothing behind', async () => {
    provider.put('doc', 'poison')
    const runId = await bench.queue(await bench.connect())
    await bench.worker(provider.adapter, { items: refusing('poison', 422) }).settle()
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_failed: 1 })
    expect(await bench.db.selectFrom('source_items').select('id').execute()).toEqual([])
  })
})

describe('a run whose embedding model', () => {
  it.each([
    ['refuses everything', '', 400],
    ['refuses the credentials', 'poison', 401],
    ['is down', 'poison', 503],
  ])('%s fails and skips nothing', async (_, word, status) => {
    for (let n = 0; n < 3; n++) provider.put(`doc-${n}`, n === 1 ? 'poison' : `The body of ${n}.`)
    const sourceId = await bench.connect()
    await bench.queue(sourceId)
    await bench.worker(provider.adapter, { items: refusing(word, status) }).settle()
    expect(await bench.newestRun(sourceId)).toMatchObject({ status: 'failed', items_failed: 0 })
    bench.now += SYNC_INTERVAL_MS * 1.1
    await bench.worker(provider.adapter).settle()
    expect(Object.keys(await bench.stored(sourceId))).toHaveLength(3)
  })
})
