import type { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import { quantizeQuery } from './quantized-query.ts'
import { createScanThreads } from './scan-threads.ts'
import { createSharedMemory } from './shared-memory.ts'

const started: Worker[] = []
const note = (worker: Worker): void => void started.push(worker)
beforeAll(() => void process.on('worker', note))
afterAll(() => void process.off('worker', note))

const idsOfThreads = (): number[] => started.map(({ threadId }) => threadId)

describe('a scanning thread that fails', () => {
  it('is replaced by one successor, which serves all later scans and ends on close', async () => {
    const shared = createSharedMemory({ bytes: 64 * 2 ** 20, threads: 2 })
    const threads = createScanThreads(shared, { count: 1, inlineRowsMax: -1 })
    const query = quantizeQuery(new Float32Array(48).fill(1))
    if (query === null) throw new Error('a query without length')
    const none = new Uint32Array(0)
    const job = { query, segments: 1, units: none, rowItems: none, allowed: null, limit: 8 }
    const nowhere = { ...job, units: Uint32Array.of(2 ** 32 - 1) }
    // The second scan starts before the failed thread has exited.
    await expect(threads.scan(nowhere, false).catch(() => threads.scan(job, false))).resolves.toMatchObject({
      rows: [],
    })
    await until('the failed thread has exited', idsOfThreads, ([failed]) => failed === -1)
    await threads.scan(job, false)
    expect(started).toHaveLength(2)
    await threads.close()
    expect(idsOfThreads()).toEqual([-1, -1])
  })
})
