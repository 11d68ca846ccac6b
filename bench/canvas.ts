import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { openPostgres } from '../src/database/drivers/postgres.ts'
import { openDatabase, migrateDatabase } from '../src/database/open-database.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { createMemoryCanvas } from '../src/memory-canvas/index.ts'
import { besideRequests } from './canvas-beside-requests.ts'
import { fillCanvas, keepRevision } from './canvas-fill.ts'
import type { Place } from './fill.ts'
import { keepResults } from './keep-results.ts'

/*
 * npm run bench -- canvas [embedded|postgres] [queries|worker]: queries of the memory canvas at 100,000 items and 50,000 entities, and
 * what the worker that reads for it does to searches and ingests beside it.
 */

const RUNS = 21
/** Before the measured ones: what is compiled and planned on the way is not measured. */
const RUNS_BEFORE = 6

type Figures = Record<string, string>

/** Places that a part of the benchmark may fill, each once. */
type MakePlaces = (letter: string) => Place

/** Measures one or both databases, one or both halves, and keeps the figures. */
export async function benchCanvas(args: readonly string[]): Promise<void> {
  const server = process.env.TEST_DATABASE_URL
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
  return await inFolder((folder) =>
    measure(
      (letter) => ({ dataDir: join(folder, letter), databaseUrl: undefined }),
      async () => {
        await cp(join(folder, 'a'), join(folder, 'b'), { recursive: true })
      },
    ),
  )
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'memory-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
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
    return await inFolder((folder) =>
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

/** What the worker does to requests beside it. @param copy makes place `b` of what is stored in `a` */
async function measureWorker(placeOf: MakePlaces, copy: () => Promise<void>): Promise<Figures> {
  return await besideRequests(placeOf('a'), async () => {
    await copy()
    return placeOf('b')
  })
}

/** Median and least milliseconds of each kind of query, drawn anew each time, and of those that were asked before. */
async function measureQueries(placeOf: MakePlaces): Promise<Figures> {
  const { dataDir, databaseUrl } = placeOf('a')
  // Without the limits of time that requests have: filling the tables takes minutes.
  const database =
    databaseUrl === undefined
      ? await openDatabase({ dataDir, databaseUrl, logger: { error: () => {}, warn: () => {} } })
      : await openPostgres({ url: databaseUrl, isPatient: true })
  try {
    await migrateDatabase(database, databaseUrl)
    const organizationId = randomUUID()
    await fillCanvas(database.db, organizationId)
    const canvas = createMemoryCanvas({ db: database.db, clock: systemClock, findItems: async () => [] })
    const caller = {
      kind: 'console',
      organizationId,
      userId: randomUUID(),
      role: 'owner',
      allowedProviders: null,
    } as const
    const signal = new AbortController().signal
    const { nodes } = await canvas.draw(caller, { limit: 100 }, signal)
    const around = nodes.find(({ type }) => type === 'topic')?.id
    if (around === undefined) throw new Error('the canvas has no topic')
    const queries = {
      'top 100, p50 (least) ms': { limit: 100 },
      'top 500': { limit: 500 },
      'one provider': { limit: 100, provider: 'slack' },
      'one kind': { limit: 100, entityType: 'topic' },
      'by name': { limit: 100, q: 'name 12' },
      'around the heaviest': { limit: 100, around },
      'around the heaviest, 500': { limit: 500, around },
      'since, all items': { limit: 100, since: new Date(0) },
    } as const
    const figures: Figures = {}
    // Nobody has said what state of the canvas this is, so nothing is kept of what was drawn.
    for (const [name, query] of Object.entries(queries))
      figures[name] = await timesOf(() => canvas.draw(caller, query, signal))
    figures['one entity'] = await timesOf(() => canvas.describe(caller, around))
    await keepRevision(database.db, organizationId)
    figures['top 100, asked again'] = await timesOf(() => canvas.draw(caller, { limit: 100 }, signal))
    figures['top 500, asked again'] = await timesOf(() => canvas.draw(caller, { limit: 500 }, signal))
    figures['load meanwhile'] = (loadavg()[0] ?? Number.NaN).toFixed(1)
    return figures
  } finally {
    await database.close()
  }
}

async function timesOf(work: () => Promise<unknown>): Promise<string> {
  const taken: number[] = []
  for (let run = -RUNS_BEFORE; run < RUNS; run++) {
    const started = performance.now()
    await work()
    if (run >= 0) taken.push(performance.now() - started)
  }
  const [least = Number.NaN, ...others] = taken.toSorted((a, b) => a - b)
  return `${(others[Math.floor(RUNS / 2) - 1] ?? Number.NaN).toFixed(1)} (${least.toFixed(1)})`
}
