import { cp } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { z } from 'zod'
import type { Db } from '../src/database/database.ts'
import { openPostgres } from '../src/database/drivers/postgres.ts'
import { openDatabase } from '../src/database/open-database.ts'
import { besideRequests } from './canvas-beside-requests.ts'
import { fillCanvas, keepRevision } from './canvas-fill.ts'
import { environmentOf, inNewFolder, namedServer, type Place } from './fill.ts'
import { keepResults } from './keep-results.ts'
import { type BenchServer, call, send, startServer } from './server.ts'

/**
 * npm run bench -- canvas [embedded|postgres] [queries|worker]: queries of the memory canvas over HTTP at 100,000
 * items and 50,000 entities, and how its worker slows concurrent searches and ingests.
 */

const RUNS = 61
/** Unmeasured runs for compilation and planning. */
const RUNS_BEFORE = 40

type Figures = Record<string, string>

/** The places that one part of the benchmark fills, each once. */
type MakePlaces = (letter: string) => Place

/** Measures one or both databases, one or both halves, and saves the figures. */
export async function benchCanvas(args: readonly string[]): Promise<void> {
  const server = namedServer(args.find((arg) => arg === 'postgres'))
  for (const [part, measure] of [
    ['queries', measureQueries],
    ['worker', measureWorker],
  ] as const) {
    if (args.includes(part === 'queries' ? 'worker' : 'queries')) continue
    const results: Figures[] = []
    if (!args.includes('postgres')) results.push({ database: 'embedded', ...(await onEmbedded(measure)) })
    if (!args.includes('embedded') && server)
      results.push({ database: 'postgres', ...(await onPostgres(server, measure)) })
    const names = Object.keys(results[0] ?? {})
    const text = [
      `| | ${results.map(({ database }) => database).join(' | ')} |`,
      `|---|${results.map(() => '---|').join('')}`,
      ...names.slice(1).map((name) => `| ${name} | ${results.map((one) => one[name]).join(' | ')} |`),
    ].join('\n')
    process.stdout.write(`${text}\n`)
    await keepResults(`canvas-${part}`, results, text)
  }
}

async function onEmbedded(measure: typeof measureWorker): Promise<Figures> {
  return await inNewFolder(({ dataDir: folder }) =>
    measure(
      (letter) => ({ dataDir: join(folder, letter), databaseUrl: undefined }),
      async () => {
        await cp(join(folder, 'a'), join(folder, 'b'), { recursive: true })
      },
    ),
  )
}

async function onPostgres(serverUrl: string, measure: typeof measureWorker): Promise<Figures> {
  const admin = new Client({ connectionString: serverUrl })
  await admin.connect()
  const nameOf = (letter: string): string => `bench_canvas_${process.pid}_${letter}`
  const urlOf = (letter: string): string => {
    const url = new URL(serverUrl)
    url.pathname = nameOf(letter)
    return url.href
  }
  try {
    await admin.query(`create database ${nameOf('a')}`)
    return await inNewFolder(({ dataDir: folder }) =>
      measure(
        (letter) => ({ dataDir: join(folder, letter), databaseUrl: urlOf(letter) }),
        async () => {
          await admin.query(`create database ${nameOf('b')} template ${nameOf('a')}`)
        },
      ),
    )
  } finally {
    for (const letter of ['a', 'b'])
      await admin.query(`drop database if exists ${nameOf(letter)} with (force)`)
    await admin.end()
  }
}

/**
 * The worker's effect on concurrent requests.
 * @param copy copies place `a` to `b`
 */
async function measureWorker(placeOf: MakePlaces, copy: () => Promise<void>): Promise<Figures> {
  return await besideRequests(placeOf('a'), async () => {
    await copy()
    return placeOf('b')
  })
}

/** Median and minimum milliseconds of each kind of query over HTTP, uncached and cached. */
async function measureQueries(placeOf: MakePlaces): Promise<Figures> {
  const place = placeOf('a')
  // Creates the workspace.
  await onServer(place, async () => {})
  await inDatabase(place, fillCanvas)
  // The canvas has no revision yet, so nothing is cached.
  const anew = await onServer(place, measureAnew)
  await inDatabase(place, keepRevision)
  const again = await onServer(place, async ({ url }) => ({
    'top 100, asked again': await timesOf(url, canvasPath({ limit: 100 })),
    'top 500, asked again': await timesOf(url, canvasPath({ limit: 500 })),
  }))
  return { ...anew, ...again, 'load meanwhile': (loadavg()[0] ?? Number.NaN).toFixed(1) }
}

const Nodes = z.object({ nodes: z.array(z.object({ id: z.string(), type: z.string() })) })

async function measureAnew({ url }: BenchServer): Promise<Figures> {
  const { nodes } = Nodes.parse(await call(url, 'GET', canvasPath({ limit: 100 })))
  const around = nodes.find(({ type }) => type === 'topic')?.id
  if (around === undefined) throw new Error('the canvas has no topic')
  const since = new Date(0).toISOString()
  const queries = {
    'top 100, p50 (least) ms': { limit: 100 },
    'top 500': { limit: 500 },
    'one provider': { limit: 100, provider: 'slack' },
    'one provider, 500': { limit: 500, provider: 'slack' },
    'one kind': { limit: 100, entityType: 'topic' },
    'one kind, 500': { limit: 500, entityType: 'topic' },
    'by name': { limit: 100, q: 'name 12' },
    'by name, 500': { limit: 500, q: 'name 12' },
    'around the heaviest': { limit: 100, around },
    'around the heaviest, 500': { limit: 500, around },
    'since, all items': { limit: 100, since },
    'since, all items, 500': { limit: 500, since },
  }
  const figures: Figures = {}
  // Warms up all queries first, so that the order of measurement does not matter.
  for (const query of Object.values(queries)) await timesOf(url, canvasPath(query))
  for (const [name, query] of Object.entries(queries)) figures[name] = await timesOf(url, canvasPath(query))
  figures['one entity'] = await timesOf(url, `/v1/memory-canvas/entities/${around}`)
  return figures
}

function canvasPath(query: Record<string, string | number>): string {
  return `/v1/memory-canvas?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')}`
}

/** Runs with a service that does not read for the canvas. */
async function onServer<Result>(
  place: Place,
  work: (server: BenchServer) => Promise<Result>,
): Promise<Result> {
  const server = await startServer({ ...environmentOf(place), ROLE: 'api' })
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** Runs on the database without a service and without the time limits of requests: filling takes minutes. */
async function inDatabase({ dataDir, databaseUrl }: Place, work: (db: Db) => Promise<void>): Promise<void> {
  const database =
    databaseUrl === undefined
      ? await openDatabase({ dataDir, databaseUrl, logger: { error: () => {}, warn: () => {} } })
      : await openPostgres({ url: databaseUrl, isPatient: true })
  try {
    await work(database.db)
  } finally {
    await database.close()
  }
}

async function timesOf(url: string, path: string): Promise<string> {
  const taken: number[] = []
  for (let run = -RUNS_BEFORE; run < RUNS; run++) {
    const started = performance.now()
    const { status } = await send(url + path, { method: 'GET' })
    if (status !== 200) throw new Error(`GET ${path} answered ${status}`)
    if (run >= 0) taken.push(performance.now() - started)
  }
  const [least = Number.NaN, ...others] = taken.toSorted((a, b) => a - b)
  return `${(others[Math.floor(RUNS / 2) - 1] ?? Number.NaN).toFixed(1)} (${least.toFixed(1)})`
}
