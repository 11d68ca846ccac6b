import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { benchQuery } from './corpus.ts'
import { call } from './server.ts'

// A thread that keeps sending requests until told to stop, then reports the milliseconds of each.
const { url, asked } = z.object({ url: z.string(), asked: z.enum(['sources', 'search']) }).parse(workerData)
async function ask(number: number): Promise<void> {
  if (asked === 'sources') await call(url, 'GET', '/v1/sources')
  else await call(url, 'POST', '/v1/search', { query: benchQuery(number) })
}

// The first search loads the vectors.
await ask(0)
parentPort?.postMessage('ready', [])
const latencies: number[] = []
const told = new AbortController()
parentPort?.once('message', () => told.abort())
for (let number = 0; !told.signal.aborted; number++) {
  const started = performance.now()
  await ask(number)
  latencies.push(performance.now() - started)
}
parentPort?.postMessage(latencies, [])
