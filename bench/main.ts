import { z } from 'zod'
import { type Beside, besideTable, measureBesideIngests } from './beside-ingests.ts'
import { benchDocument, benchQuery } from './corpus.ts'
import { environmentOf, inNewDatabase, inNewFolder, namedServer } from './fill.ts'
import { keepResults } from './keep-results.ts'
import { percentile } from './search.ts'
import { call, startServer } from './server.ts'

/*
 * npm run bench [embedded|postgres]: ingest, search, memory and start time of the service as shipped, over
 * HTTP. Client and server share the machine.
 *
 * npm run bench -- sync: connectors (bench/sync.ts)
 * npm run bench -- canvas: the memory canvas
 * npm run bench -- search: searches of a growing memory
 * npm run bench -- tenants: searches of many organizations
 * npm run bench -- neighbors: one organization beside another
 * npm run bench -- permissions: searches on behalf of users
 * npm run bench -- load: an hour of mixed requests (bench/load.ts)
 * npm run bench -- peers: the service beside other vector databases (bench/peers)
 */

const SIZES = [1_000, 10_000]
/** So small that a search is almost free: what remains is the fixed cost of a request. */
const SMALL_TENANT_CHUNKS = 100
const DOCUMENTS_A_REQUEST = 50
/** Pushed by eight clients after all other measurements. */
const REQUESTS_AT_ONCE = 24
const SEARCHES = 300
/** Warm-up: code is compiled, and a small organization is loaded into memory. */
const SEARCHES_BEFORE = 500
const CLIENTS = 8
const THROUGHPUT_SECONDS = 5

interface Result {
  database: string
  chunks: number
  documentsPerSecond: number
  chunksPerSecond: number
  chunksPerSecondAtOnce: number
  smallTenantP50Ms: number
  searchP50Ms: number
  searchP99Ms: number
  searchesPerSecond: number
  beside: Beside[]
  residentMb: number
  firstStartSeconds: number
  secondStartSeconds: number
}

const Sources = z.object({ sources: z.array(z.object({ id: z.string(), provider: z.string() })) })

async function measure(
  database: string,
  chunks: number,
  environment: Record<string, string>,
): Promise<Result> {
  const server = await startServer(environment)
  try {
    const { sources } = Sources.parse(await call(server.url, 'GET', '/v1/sources'))
    const source = sources.find((candidate) => candidate.provider === 'notion')
    if (!source) throw new Error('the local workspace has no source for notion')
    const perDocument = await chunksPerDocument()
    const documents = Math.round(chunks / perDocument)
    const small = Math.round(SMALL_TENANT_CHUNKS / perDocument)
    await ingest(server.url, source.id, { from: 0, to: small })
    const smallTenant = await searchOneByOne(server.url)
    const ingestSeconds = await ingest(server.url, source.id, { from: small, to: documents })
    const latencies = await searchOneByOne(server.url)
    const searchesPerSecond = await searchConcurrently(server.url)
    const residentMb = await server.residentMb()
    const atOnce = await ingestConcurrently(server.url, source.id, documents)
    const beside = await measureBesideIngests(server.url, source.id)
    await server.stop()
    const again = await startServer(environment)
    await again.stop()
    return {
      database,
      chunks,
      documentsPerSecond: (documents - small) / ingestSeconds,
      chunksPerSecond: ((documents - small) * perDocument) / ingestSeconds,
      chunksPerSecondAtOnce: atOnce * perDocument,
      smallTenantP50Ms: percentile(smallTenant, 0.5),
      searchP50Ms: percentile(latencies, 0.5),
      searchP99Ms: percentile(latencies, 0.99),
      searchesPerSecond,
      beside,
      residentMb,
      firstStartSeconds: server.startSeconds,
      secondStartSeconds: again.startSeconds,
    }
  } finally {
    await server.stop()
  }
}

async function chunksPerDocument(): Promise<number> {
  const { chunkText } = await import('../src/items/chunk-text.ts')
  const sample = 50
  let chunks = 0
  for (let number = 0; number < sample; number++) chunks += chunkText(benchDocument(number).body).length
  return chunks / sample
}

/**
 * Pushes documents one request after another.
 * @returns the seconds that it took
 */
async function ingest(
  url: string,
  connectorId: string,
  { from, to }: { from: number; to: number },
): Promise<number> {
  const started = performance.now()
  for (let first = from; first < to; first += DOCUMENTS_A_REQUEST) {
    await push(url, connectorId, { from: first, to: Math.min(to, first + DOCUMENTS_A_REQUEST) })
  }
  return (performance.now() - started) / 1000
}

async function push(
  url: string,
  connectorId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const documents = Array.from({ length: to - from }, (_, index) => ({
    connectorId,
    provider: 'notion',
    sourceKind: 'document',
    externalId: `bench-${from + index}`,
    ...benchDocument(from + index),
  }))
  await call(url, 'POST', '/v1/ingest', { documents })
}

/**
 * Pushes new documents from eight clients at once.
 * @returns documents per second
 */
async function ingestConcurrently(url: string, connectorId: string, first: number): Promise<number> {
  const started = performance.now()
  let next = 0
  const client = async (): Promise<void> => {
    while (next < REQUESTS_AT_ONCE) {
      const from = first + DOCUMENTS_A_REQUEST * next++
      await push(url, connectorId, { from, to: from + DOCUMENTS_A_REQUEST })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return (REQUESTS_AT_ONCE * DOCUMENTS_A_REQUEST) / ((performance.now() - started) / 1000)
}

async function search(url: string, number: number): Promise<void> {
  await call(url, 'POST', '/v1/search', { query: benchQuery(number) })
}

async function searchOneByOne(url: string): Promise<number[]> {
  for (let number = 0; number < SEARCHES_BEFORE; number++) await search(url, number)
  const latencies: number[] = []
  for (let number = 0; number < SEARCHES; number++) {
    const started = performance.now()
    await search(url, number)
    latencies.push(performance.now() - started)
  }
  return latencies.toSorted((a, b) => a - b)
}

async function searchConcurrently(url: string): Promise<number> {
  const started = performance.now()
  let done = 0
  const client = async (first: number): Promise<void> => {
    for (let number = first; performance.now() - started < THROUGHPUT_SECONDS * 1000; number += CLIENTS) {
      await search(url, number)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index)))
  return done / ((performance.now() - started) / 1000)
}

async function onPostgres(serverUrl: string, chunks: number): Promise<Result> {
  return await inNewDatabase(serverUrl, (place) => measure('postgres', chunks, environmentOf(place)))
}

function table(results: readonly Result[]): string {
  const rows = results.map((result) =>
    [
      result.database,
      result.chunks,
      result.documentsPerSecond.toFixed(0),
      result.chunksPerSecond.toFixed(0),
      result.chunksPerSecondAtOnce.toFixed(0),
      result.smallTenantP50Ms.toFixed(1),
      result.searchP50Ms.toFixed(1),
      result.searchP99Ms.toFixed(1),
      result.searchesPerSecond.toFixed(0),
      result.residentMb.toFixed(0),
      result.firstStartSeconds.toFixed(1),
      result.secondStartSeconds.toFixed(1),
    ].join(' | '),
  )
  return [
    '| database | chunks | documents/s in | chunks/s in | the same, 8 clients | p50 ms at 100 chunks | search p50 ms | p99 ms | searches/s, 8 clients | resident MB | first start s | second start s |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    '',
    'What others wait for beside ingests, in the same run:',
    '',
    besideTable(results),
  ].join('\n')
}

/** Other measurements, each with arguments of its own. */
const OTHERS: Record<string, () => Promise<(args: string[]) => Promise<unknown>>> = {
  sync: async () => (await import('./sync.ts')).benchSync,
  tenants: async () => (await import('./tenants.ts')).benchTenants,
  neighbors: async () => (await import('./neighbors.ts')).benchNeighbors,
  permissions: async () => (await import('./permissions.ts')).benchPermissions,
  search: async () => (await import('./search.ts')).benchSearch,
  load: async () => (await import('./load.ts')).benchLoad,
  peers: async () => (await import('./peers/main.ts')).benchPeers,
  canvas: async () => (await import('./canvas.ts')).benchCanvas,
}

const [wanted, ...others] = process.argv.slice(2)
const other = wanted !== undefined && Object.hasOwn(OTHERS, wanted) ? OTHERS[wanted] : undefined
if (other !== undefined) {
  const measureOther = await other()
  await measureOther(others)
  process.exit()
}
// A run takes minutes and replaces the stored results, so a mistyped argument must not start one.
if (wanted !== undefined && wanted !== 'embedded' && wanted !== 'postgres') {
  const isHelp = wanted === '--help' || wanted === '-h'
  const usage = `Usage: npm run bench [-- embedded|postgres|${Object.keys(OTHERS).join('|')}]`
  process.stderr.write(`${isHelp ? '' : `unknown measurement "${wanted}"\n`}${usage}\n`)
  process.exit(isHelp ? 0 : 2)
}
const postgresUrl = namedServer(wanted)
const results: Result[] = []
for (const chunks of SIZES) {
  if (wanted !== 'postgres')
    results.push(await inNewFolder((place) => measure('embedded', chunks, environmentOf(place))))
  if (wanted !== 'embedded' && postgresUrl) results.push(await onPostgres(postgresUrl, chunks))
}
const text = table(results)
process.stdout.write(`${text}\n`)
await keepResults('latest', results, text)
