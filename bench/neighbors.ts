import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'
import { openDatabase } from '../src/database/open-database.ts'
import { benchQuery } from './corpus.ts'
import { CHUNKS_A_DOCUMENT, environmentOf, fill, onEachDatabase, type Place } from './fill.ts'
import { keepResults } from './keep-results.ts'
import { percentile } from './search.ts'
import { ADMIN_KEY, call, startServer, untilInMemory } from './server.ts'
import { copyOf } from './tenants.ts'

/*
 * npm run bench -- neighbors [embedded|postgres] [chunks]: search latency of one workspace while another one
 * uses twelve connections. Both have the same documents; ratios are to the quiet searches of the same run.
 */

const CONNECTIONS = 12
const SECONDS = 6
const CHUNKS = 10_000
const SEARCHES_BEFORE = 300

const Organization = z.tuple([z.object({ id: z.string(), embedding_model_id: z.number() })])
const Latencies = z.array(z.number())

/** The other workspace's requests. */
const LOADS: Record<string, (url: string, number: number) => Promise<unknown>> = {
  nothing: async () => {},
  'hybrid searches': (url, number) =>
    call(url, 'POST', '/v1/search', { query: benchQuery(number), rank: 'hybrid', limit: 25 }),
  answers: (url, number) => call(url, 'POST', '/v1/ask', { query: benchQuery(number), limit: 25 }),
  lists: (url, number) => call(url, 'GET', LISTS[number % LISTS.length] ?? ''),
}
const LISTS = [
  '/v1/source-items?limit=200',
  '/v1/audit-events?limit=500',
  '/v1/sync-runs',
  '/v1/memory-canvas?limit=500',
]

interface Result {
  database: string
  chunks: number
  load: string
  p50Ms: number
  p99Ms: number
  /** To the quiet p50. */
  ratio: number
  requestsPerSecond: number
}

/** Measures and saves the figures. */
export async function benchNeighbors([wanted, chunks = String(CHUNKS)]: readonly string[]): Promise<void> {
  const results = await onEachDatabase(wanted, (database, place) => measure(database, place, Number(chunks)))
  process.stdout.write(`${table(results)}\n`)
  await keepResults('neighbors', results, table(results))
}

async function measure(database: string, place: Place, chunks: number): Promise<Result[]> {
  await (await startServer(environmentOf(place))).stop()
  await fill(place, 0, Math.ceil(chunks / CHUNKS_A_DOCUMENT))
  const neighborKey = await makeNeighbor(place)
  const server = await startServer(environmentOf(place))
  try {
    const search = (number: number, key: string): Promise<unknown> =>
      call(server.url, 'POST', '/v1/search', { query: benchQuery(number) }, key)
    await untilInMemory(server.url, () => search(0, ADMIN_KEY))
    for (let number = 0; number < SEARCHES_BEFORE; number++) await search(number, neighborKey)
    const results: Result[] = []
    for (const load of Object.keys(LOADS)) {
      const { sorted, requestsPerSecond } = await beside(server.url, load, neighborKey)
      const p50Ms = percentile(sorted, 0.5)
      const ratio = p50Ms / (results[0]?.p50Ms ?? p50Ms)
      results.push({
        database,
        chunks,
        load,
        p50Ms,
        p99Ms: percentile(sorted, 0.99),
        ratio,
        requestsPerSecond,
      })
    }
    return results
  } finally {
    await server.stop()
  }
}

/**
 * Creates another workspace with the same documents.
 * @returns its key
 */
async function makeNeighbor(place: Place): Promise<string> {
  const { db, close } = await openDatabase({ ...place, logger: { error: () => {}, warn: () => {} } })
  try {
    const found = await db.selectFrom('organizations').select(['id', 'embedding_model_id']).execute()
    const [template] = Organization.parse(found)
    return await copyOf(db, template)
  } finally {
    await close()
  }
}

/** The neighbor searches from its own thread, so that the load's client does not delay it. */
async function beside(
  url: string,
  load: string,
  key: string,
): Promise<{ sorted: number[]; requestsPerSecond: number }> {
  const asking = new Worker(new URL('./ask-neighbor.ts', import.meta.url), { workerData: { url, key } })
  await once(asking, 'message')
  const answered = once(asking, 'message')
  const started = performance.now()
  let next = 0
  const connection = async (): Promise<void> => {
    while (performance.now() - started < SECONDS * 1000) {
      if (load === 'nothing') await new Promise((resolve) => setTimeout(resolve, 100))
      else await LOADS[load]?.(url, next++)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  const seconds = (performance.now() - started) / 1000
  asking.postMessage('stop', [])
  const sorted = Latencies.parse((await answered)[0]).toSorted((a, b) => a - b)
  return { sorted, requestsPerSecond: next / seconds }
}

function table(results: readonly Result[]): string {
  const rows = results.map((one) =>
    [
      one.database,
      one.chunks,
      one.load,
      one.p50Ms.toFixed(1),
      one.ratio.toFixed(1),
      one.p99Ms.toFixed(1),
      one.requestsPerSecond.toFixed(0),
    ].join(' | '),
  )
  return [
    '| database | chunks of each | 12 connections of the other workspace | search p50 ms | times the quiet p50 | p99 ms | their requests/s |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
