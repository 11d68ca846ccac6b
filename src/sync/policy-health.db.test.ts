import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProviderError } from '../providers/index.ts'
import { createFakeProvider, type FakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'

let bench: SyncBench
let drive: FakeProvider
let sourceId: string

/** A Drive of six files without policies, read once. */
beforeEach(async () => {
  bench = await startSyncBench()
  drive = createFakeProvider('google_drive')
  for (let n = 0; n < 6; n++) drive.put(`file-${n}`, 'Words.')
  sourceId = await bench.connect('google_drive')
  await run()
})
afterEach(() => bench.close())

async function run(fullResync = false): Promise<void> {
  await bench.queue(sourceId, fullResync)
  await bench.worker(drive.adapter).settle()
}
const files = async () => (await bench.source(sourceId)).policy_health?.['files']
const forget = () => bench.db.updateTable('sources').set({ policy_health: '{"files":"as before"}' }).execute()

describe('the policy health of a Drive source', () => {
  it('is not recounted after a run without changes', async () => {
    expect(await files()).toBe(6)
    await forget()
    await run()
    expect(await files()).toBe('as before')
  })

  it('is recounted after a run that stored or removed something, and after every full crawl', async () => {
    await forget()
    drive.put('file-6', 'Words.')
    await run()
    expect(await files()).toBe(7)
    await forget()
    drive.remove('file-0')
    await run()
    expect(await files()).toBe(6)
    await forget()
    await run(true)
    expect(await files()).toBe(6)
  })

  it('is recounted after a failed or paused run that stored something', async () => {
    for (let n = 10; n < 30; n++) drive.put(`file-${n}`, 'Words.')
    drive.beforePage = (page) => {
      if (page === 1) throw new ProviderError('unavailable', '503')
    }
    await run()
    expect(await bench.source(sourceId)).toMatchObject({ status: 'error', policy_health: { files: 11 } })
    drive.beforePage = async (page) => {
      if (page !== 2) return
      await bench.db.updateTable('sources').set({ status: 'disabled' }).where('id', '=', sourceId).execute()
    }
    await run()
    expect(await bench.source(sourceId)).toMatchObject({ status: 'disabled', policy_health: { files: 16 } })
  })
})
