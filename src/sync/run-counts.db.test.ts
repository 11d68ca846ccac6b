import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import type { ChangePage, ProviderAdapter } from '../providers/index.ts'

let bench: SyncBench
let provider: FakeProvider

beforeEach(async () => {
  bench = await startSyncBench()
  provider = createFakeProvider()
})
afterEach(() => bench.close())

/** Syncs what the fake provider has, with this besides in every page. @returns the run's counts */
async function sync(sourceId: string, more: Partial<ChangePage> = {}, fullResync = false) {
  const adapter: ProviderAdapter = {
    ...provider.adapter,
    async *listChanges(session, input) {
      for await (const page of provider.adapter.listChanges(session, input))
        yield { ...page, ...more, deletions: [...page.deletions, ...(more.deletions ?? [])] }
    },
  }
  const runId = await bench.queue(sourceId, fullResync)
  await bench.worker(adapter).settle()
  bench.now += 60_000
  const run = await bench.run(runId)
  return {
    stored: run.items_ingested,
    unchanged: run.items_unchanged,
    deleted: run.items_deleted,
    skipped: run.items_skipped,
    failed: run.items_failed,
  }
}

const NONE = { stored: 0, unchanged: 0, deleted: 0, skipped: 0, failed: 0 }

describe('the counts of a run', () => {
  it('count each item that was found once: stored, unchanged, deleted or skipped', async () => {
    const sourceId = await bench.connect()
    for (const id of ['a', 'b', 'c']) provider.put(id, `Words of ${id}.`)
    const photo = { externalId: 'photo', message: 'photo.gif: files of type image/gif are not read' }
    const refused = { externalId: 'refused', message: 'No access' }
    expect(await sync(sourceId, { failures: [refused], skipped: [photo] })).toEqual({
      ...NONE,
      stored: 3,
      skipped: 2,
      failed: 1,
    })
    provider.put('a', 'Words of a.')
    provider.put('b', 'Other words of b.')
    provider.remove('c')
    // Two more are listed, and need no reading.
    expect(await sync(sourceId, { unchanged: 2 })).toEqual({ ...NONE, stored: 1, unchanged: 3, deleted: 1 })
  })

  it('count an item that cannot be read in part as stored, not as skipped', async () => {
    const sourceId = await bench.connect()
    provider.put('mail', 'Words of the mail.')
    const attachment = { externalId: 'mail', message: 'report.pdf: The file is encrypted' }
    const counts = await sync(sourceId, { failures: [attachment], skipped: [attachment] })
    expect(counts).toEqual({ ...NONE, stored: 1, failed: 1 })
  })

  it('count a stored item that no longer has anything to read as deleted, not as skipped', async () => {
    const sourceId = await bench.connect()
    provider.put('file', 'Words of the file.')
    await sync(sourceId)
    const empty = { externalId: 'file', message: 'file.txt: it has no text' }
    const never = { externalId: 'never', message: 'never.txt: it has no text' }
    const counts = await sync(sourceId, { deletions: ['file', 'never'], skipped: [empty, never] })
    expect(counts).toEqual({ ...NONE, deleted: 1, skipped: 1 })
  })

  it('count what a full sync no longer finds as deleted', async () => {
    const sourceId = await bench.connect()
    provider.put('kept', 'Words.')
    provider.put('gone', 'Words.')
    await sync(sourceId)
    provider.remove('gone')
    expect(await sync(sourceId, {}, true)).toEqual({ ...NONE, stored: 1, deleted: 1 })
  })
})
