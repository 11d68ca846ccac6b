import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { benchQuery } from './corpus.ts'
import { call } from './server.ts'

// A thread that searches every 50 ms until told to stop, then reports the milliseconds of each search.
const PERIOD_MS = 50
const { url, key } = z.object({ url: z.string(), key: z.string() }).parse(workerData)
const search = (number: number): Promise<unknown> =>
  call(url, 'POST', '/v1/search', { query: benchQuery(number) }, key)

await search(0)
parentPort?.postMessage('ready', [])
const latencies: number[] = []
const told = new AbortController()
parentPort?.once('message', () => told.abort())
for (let number = 1; !told.signal.aborted; number++) {
  const started = performance.now()
  await search(number)
  const taken = performance.now() - started
  latencies.push(taken)
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, PERIOD_MS - taken)))
}
parentPort?.postMessage(latencies, [])
