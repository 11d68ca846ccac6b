import { isDeepStrictEqual } from 'node:util'
import { writeFile } from 'node:fs/promises'
import { workerUrls } from '../test/support/database-setup.ts'
import { benchQuery } from './corpus.ts'
import {
  CHUNKS_A_DOCUMENT,
  environmentOf,
  fill,
  inNewDatabase,
  inNewFolder,
  namedServer,
  type Place,
} from './fill.ts'
import { drawGrowth, type GrowthPoint } from './growth-chart.ts'
import { keepResults } from './keep-results.ts'
import { type BenchServer, call, send, startServer, untilInMemory } from './server.ts'

/*
 * npm run bench -- search [embedded|postgres] [chunks …]: searches of one organization as it grows, with and
 * without its vectors in memory, and whether both give the same answers. Omits the embedded database above
 * 1,000,000 chunks.
 */

const SIZES = [1_000, 10_000, 100_000]
/** More take too long: the database alone compares a million in ten seconds. */
const EMBEDDED_MOST = 1_000_000
const SEARCHES = 200
const WARMING = 500
/** Warm-up searches for each kind of search. */
const UNMEASURED = 50
/** For the database alone, which is slow. */
const SEARCHES_COMPARED = 20
const CLIENTS = 8
const THROUGHPUT_SECONDS = 5

/** The request besides the query. */
const KINDS = {
  plain: {},
  provider: { filter: { providers: ['slack'] } },
  metadata: { filter: { metadata: { group: 7 } } },
  hybrid: { rank: 'hybrid' },
} as const

interface Result {
  database: string
  chunks: number
  /** In a process that starts on existing rows, whose vectors are read from the database. */
  firstSearchMs: number
  inMemoryAfterSeconds: number
  /** In the next process after a stop: time to readiness, and the first search. */
  startSeconds: number
  firstSearchAfterStopMs: number
  p50Ms: Record<keyof typeof KINDS | 'ask', number>
  p99Ms: number
  searchesPerSecond: number
  hybridPerSecond: number
  failedSearches: number
  residentMb: number
  residentAfterHybridMb: number
  databaseAloneP50Ms: number
  sameAnswers: string
}

/** Measures one or both databases and saves the figures. */
export async function benchSearch([wanted, ...sizes]: readonly string[]): Promise<void> {
  const chunks = sizes.length > 0 ? sizes.map(Number) : SIZES
  const results: Result[] = []
  const server = namedServer(wanted)
  const fewer = chunks.filter((size) => size <= EMBEDDED_MOST)
  if (wanted !== 'postgres') results.push(...(await inNewFolder((place) => grow('embedded', fewer, place))))
  if (wanted !== 'embedded' && server) results.push(...(await onPostgres(server, chunks)))
  const text = table(results)
  process.stdout.write(`${text}\n`)
  await keepResults('search', results, text)
  await writeFile(
    'docs/pictures/benchmark-search.svg',
    drawGrowth(results.flatMap(pointsOf), 'p50 of a search over HTTP for eight hits, ms, one client'),
  )
}

function pointsOf({ database, chunks, p50Ms, databaseAloneP50Ms }: Result): GrowthPoint[] {
  return [
    { engine: `${database}, vectors in memory`, rows: chunks, p50Ms: p50Ms.plain },
    { engine: `${database}, the database alone`, rows: chunks, p50Ms: databaseAloneP50Ms },
  ]
}

async function onPostgres(serverUrl: string, sizes: readonly number[]): Promise<Result[]> {
  const database = workerUrls().length > 0 ? 'citus' : 'postgres'
  return await inNewDatabase(serverUrl, (place) => grow(database, sizes, place))
}

async function grow(database: string, sizes: readonly number[], place: Place): Promise<Result[]> {
  const environment = environmentOf(place)
  // Creates the workspace.
  await (await startServer(environment)).stop()
  const results: Result[] = []
  let items = 0
  for (const chunks of sizes) {
    const more = Math.ceil(chunks / CHUNKS_A_DOCUMENT)
    const stored = await fill(place, items, more)
    items = more
    const result = await measure(environment)
    results.push({ database, chunks: stored, ...result })
    process.stderr.write(`${JSON.stringify(results.at(-1))}\n`)
  }
  return results
}

async function measure(environment: Record<string, string>): Promise<Omit<Result, 'database' | 'chunks'>> {
  const server = await startServer(environment)
  try {
    const ready = performance.now()
    await search(server.url, 0, KINDS.plain)
    const firstSearchMs = performance.now() - ready
    await untilInMemory(server.url, () => search(server.url, 0, KINDS.plain))
    const inMemoryAfterSeconds = (performance.now() - ready) / 1000
    // The first thousand searches include compilation.
    await times(server.url, KINDS.plain, WARMING)
    const plain = await times(server.url, KINDS.plain)
    const provider = percentile(await times(server.url, KINDS.provider), 0.5)
    const metadata = percentile(await times(server.url, KINDS.metadata), 0.5)
    const { perSecond: searchesPerSecond, failed: failedSearches } = await searchConcurrently(
      server.url,
      KINDS.plain,
    )
    const residentMb = await server.residentMb()
    // Last, because it loads the words of chunks into memory in the background.
    await times(server.url, KINDS.hybrid, WARMING)
    const hybrid = percentile(await times(server.url, KINDS.hybrid), 0.5)
    const { perSecond: hybridPerSecond, failed } = await searchConcurrently(server.url, KINDS.hybrid)
    const residentAfterHybridMb = await server.residentMb()
    await times(server.url, {}, WARMING, '/v1/ask')
    const ask = percentile(await times(server.url, {}, SEARCHES, '/v1/ask'), 0.5)
    const p50Ms = { plain: percentile(plain, 0.5), provider, metadata, hybrid, ask }
    const answers = await answersOf(server.url)
    await server.stop()
    const start = await measureStart(environment)
    const alone = await startServer({ ...environment, SEARCH_MEMORY_MB: '0' })
    try {
      const compared = await compare(alone, answers)
      const ownTimes = { firstSearchMs, inMemoryAfterSeconds, p50Ms, p99Ms: percentile(plain, 0.99) }
      const throughput = { searchesPerSecond, hybridPerSecond, failedSearches: failedSearches + failed }
      return { ...ownTimes, ...start, ...throughput, residentMb, residentAfterHybridMb, ...compared }
    } finally {
      await alone.stop()
    }
  } finally {
    await server.stop()
  }
}

async function measureStart(
  environment: Record<string, string>,
): Promise<Pick<Result, 'startSeconds' | 'firstSearchAfterStopMs'>> {
  const server = await startServer(environment)
  try {
    const ready = performance.now()
    await search(server.url, 0, KINDS.plain)
    return { startSeconds: server.startSeconds, firstSearchAfterStopMs: performance.now() - ready }
  } finally {
    await server.stop()
  }
}

async function search(url: string, number: number, kind: object, path = '/v1/search'): Promise<unknown> {
  return await call(url, 'POST', path, { query: benchQuery(number), ...kind })
}

/** Counts questions, so that each is asked once. */
let asked = 0

/** Milliseconds of consecutive searches for different questions, ascending, after a warm-up. */
async function times(url: string, kind: object, count = SEARCHES, path = '/v1/search'): Promise<number[]> {
  for (let number = 0; number < UNMEASURED; number++) await search(url, asked++, kind, path)
  const taken: number[] = []
  for (let number = 0; number < count; number++) {
    const started = performance.now()
    await search(url, asked++, kind, path)
    taken.push(performance.now() - started)
  }
  return taken.toSorted((left, right) => left - right)
}

async function searchConcurrently(url: string, kind: object): Promise<{ perSecond: number; failed: number }> {
  const started = performance.now()
  let done = 0
  let failed = 0
  const client = async (): Promise<void> => {
    while (performance.now() - started < THROUGHPUT_SECONDS * 1000) {
      const body = { query: benchQuery(asked++), ...kind }
      const answer = await send(`${url}/v1/search`, { method: 'POST', body }).catch(() => null)
      if (answer?.status === 200) done += 1
      else failed += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return { perSecond: done / ((performance.now() - started) / 1000), failed }
}

async function answersOf(url: string): Promise<unknown[]> {
  const answers: unknown[] = []
  for (let number = 0; number < SEARCHES_COMPARED; number++)
    for (const kind of Object.values(KINDS)) answers.push(await search(url, number, { ...kind, limit: 25 }))
  return answers
}

/** Asks the database alone the same questions. */
async function compare(
  server: BenchServer,
  answers: readonly unknown[],
): Promise<Pick<Result, 'databaseAloneP50Ms' | 'sameAnswers'>> {
  const expected = await answersOf(server.url)
  const same = answers.filter((answer, index) => isDeepStrictEqual(answer, expected[index])).length
  const alone = await times(server.url, KINDS.plain, SEARCHES_COMPARED)
  return { databaseAloneP50Ms: percentile(alone, 0.5), sameAnswers: `${same} of ${answers.length}` }
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function table(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { plain, provider, metadata, hybrid, ask } = result.p50Ms
    return [
      result.database,
      result.chunks,
      ...[plain, result.p99Ms, provider, metadata, hybrid, ask, result.databaseAloneP50Ms].map((ms) =>
        ms.toFixed(1),
      ),
      result.searchesPerSecond.toFixed(0),
      result.hybridPerSecond.toFixed(0),
      result.failedSearches,
      result.sameAnswers,
      result.firstSearchMs.toFixed(0),
      result.inMemoryAfterSeconds.toFixed(1),
      result.startSeconds.toFixed(1),
      result.firstSearchAfterStopMs.toFixed(0),
      result.residentMb.toFixed(0),
      result.residentAfterHybridMb.toFixed(0),
    ].join(' | ')
  })
  return [
    '| database | chunks | p50 ms | p99 | a provider of 1 %, p50 | metadata of 1 %, p50 | hybrid, p50 | ask, p50 | the database alone, p50 | searches/s, 8 clients | hybrid/s, 8 clients | failed | same answers | first search ms | in memory after s | next start s | its first search ms | resident MB | after hybrid |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
