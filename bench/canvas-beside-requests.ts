import { z } from 'zod'
import type { NewItem } from '../src/items/index.ts'
import { benchDocument, benchQuery } from './corpus.ts'
import { environmentOf, fill, type Place } from './fill.ts'
import { type BenchServer, call, startServer, untilInMemory } from './server.ts'

const BACKLOG = 20_000
const WORDS = 140
const SEARCHES = 400
const REQUESTS = 10
const DOCUMENTS_A_REQUEST = 50
/** How long items are counted while idle. */
const IDLE_SECONDS = 20

const Sources = z.object({ sources: z.array(z.object({ id: z.string(), provider: z.string() })) })
const Waiting = z.object({ itemsWaiting: z.int() })

interface Measured {
  url: string
  notion: string
  searches: number[]
  /** Milliseconds of a request of fifty documents. */
  ingests: number[]
}

/**
 * Compares searches and ingests in a process that does not read for the canvas with one that reads a backlog
 * of 20,000 items, both running and measured in alternation. Also counts items read meanwhile and while idle.
 * @param copy copies the first place to a second one
 */
export async function besideRequests(
  place: Place,
  copy: () => Promise<Place>,
): Promise<Record<string, string>> {
  // Creates the workspace.
  await (await startServer({ ...environmentOf(place), ROLE: 'api' })).stop()
  await fill(place, 0, BACKLOG, itemOf)
  const second = await copy()
  const plain = await startServer({ ...environmentOf(place), ROLE: 'api' })
  try {
    const reading = await startServer({ ...environmentOf(second), ROLE: 'all' })
    try {
      return await compare(plain, reading)
    } finally {
      await reading.stop()
    }
  } finally {
    await plain.stop()
  }
}

async function compare(plain: BenchServer, reading: BenchServer): Promise<Record<string, string>> {
  const both = [await begin(plain), await begin(reading)] as const
  const [without, during] = both
  const before = await read(reading.url)
  const started = performance.now()
  for (let number = 0; number < SEARCHES; number++) {
    for (const one of both) one.searches.push(await search(one.url, number))
  }
  for (let request = 0; request < REQUESTS; request++) {
    for (const one of both) one.ingests.push(await ingest(one, request))
  }
  const beside = ((await read(reading.url)) - before) / ((performance.now() - started) / 1000)
  const idle = await readIdle(reading)
  if ((await waiting(reading.url)) === 0) throw new Error('the backlog was read before all was measured')
  return {
    'search, not reading, p50 / p95 ms': percentiles(without.searches),
    'search, with a backlog being read': percentiles(during.searches),
    '50 documents in, not reading': percentiles(without.ingests),
    '50 documents in, with a backlog being read': percentiles(during.ingests),
    'items/s read beside these': beside.toFixed(0),
    'items/s read, nothing else to do': idle.toFixed(0),
    'resident MB, not reading': (await plain.residentMb()).toFixed(0),
    'resident MB, reading': (await reading.residentMb()).toFixed(0),
  }
}

async function begin({ url }: BenchServer): Promise<Measured> {
  const { sources } = Sources.parse(await call(url, 'GET', '/v1/sources'))
  const notion = sources.find(({ provider }) => provider === 'notion')?.id
  if (notion === undefined) throw new Error('the local workspace has no source for notion')
  await untilInMemory(url, () => search(url, 0))
  // Warm-up, so that compilation is not measured.
  for (let number = 0; number < 50; number++) await search(url, number)
  return { url, notion, searches: [], ingests: [] }
}

/** Items per second while idle. */
async function readIdle({ url }: BenchServer): Promise<number> {
  const before = await read(url)
  await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000))
  return ((await read(url)) - before) / IDLE_SECONDS
}

/** Items that the process has read for the canvas. */
async function read(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^memory_canvas_items_total (\d+)/m.exec(metrics)?.[1] ?? 0)
}

async function waiting(url: string): Promise<number> {
  return Waiting.parse(await call(url, 'GET', '/v1/memory-canvas?limit=1')).itemsWaiting
}

/** Milliseconds of a search. */
async function search(url: string, number: number): Promise<number> {
  const started = performance.now()
  await call(url, 'POST', '/v1/search', { query: benchQuery(number) })
  return performance.now() - started
}

/** Milliseconds of a request. */
async function ingest({ url, notion }: Measured, request: number): Promise<number> {
  const documents = Array.from({ length: DOCUMENTS_A_REQUEST }, (_, n) => ({
    connectorId: notion,
    provider: 'notion',
    sourceKind: 'document',
    externalId: `pushed-${request}-${n}`,
    ...contentOf(BACKLOG + request * DOCUMENTS_A_REQUEST + n),
  }))
  const started = performance.now()
  await call(url, 'POST', '/v1/ingest', { documents })
  return performance.now() - started
}

function itemOf(number: number, sourceOf: (provider: string) => string): NewItem {
  return {
    sourceId: sourceOf('notion'),
    provider: 'notion',
    sourceKind: 'document',
    externalId: `backlog-${number}`,
    url: null,
    sourceCreatedAt: null,
    sourceUpdatedAt: null,
    ...contentOf(number),
  }
}

function contentOf(number: number): Pick<NewItem, 'title' | 'body' | 'authorName' | 'metadata'> {
  const { title, body } = benchDocument(number, WORDS)
  const named = `Ada Lovelace met Grace Hopper about Orion${number % 97} and Zephyr${number % 13} at Acme Ltd.`
  const metadata = { senderEmail: `person${number % 50}@corp.com`, folder: `Folder ${number % 20}` }
  return { title, body: `${named}\n\n${body}`, authorName: `Person ${number % 50}`, metadata }
}

function percentiles(taken: readonly number[]): string {
  const sorted = taken.toSorted((a, b) => a - b)
  return [0.5, 0.95]
    .map((share) => (sorted[Math.floor(share * sorted.length)] ?? Number.NaN).toFixed(1))
    .join(' / ')
}
