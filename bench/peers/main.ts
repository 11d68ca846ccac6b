import { writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { inNewDatabase } from '../fill.ts'
import { drawGrowth } from '../growth-chart.ts'
import { keepResults } from '../keep-results.ts'
import { isInstalled } from './child.ts'
import { fillChroma } from './chroma.ts'
import { type DataSet, prepareDataSet } from './data-set.ts'
import { measureLanceDb } from './lancedb.ts'
import { type Engine, type Figures, findTruth, measureEngine, type Truth } from './measure.ts'
import { fillPgvector } from './pgvector.ts'
import { fillService } from './service.ts'
import { table } from './table.ts'

const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000]
const MOST = 100_000
const QUESTIONS = 100

/** How one engine is measured at one size. */
interface Peer {
  /** Its name on the command line. */
  name: string
  measure(data: DataSet, truth: Truth): Promise<Figures>
}

/**
 * `npm run bench -- peers [rows] [names…]`: compares the service with other vector databases, up to a number
 * of rows (default 100,000), all of them or the named ones. Writes all figures to bench/results, and the chart to
 * the page of benchmarks.
 */
export async function benchPeers(args: readonly string[]): Promise<void> {
  const most = Number(args.find((arg) => /^\d+$/.test(arg)) ?? MOST)
  const names = args.filter((arg) => !/^\d+$/.test(arg))
  const { peers, leftOut } = findPeers()
  const unknown = names.filter((name) => !peers.some((peer) => peer.name === name))
  if (unknown.length > 0)
    throw new Error(
      `not known or not there: ${unknown.join(', ')}; there are ${peers.map(({ name }) => name).join(', ')}`,
    )
  const chosen = peers.filter(({ name }) => names.length === 0 || names.includes(name))
  const began = { at: new Date(), load: loadavg()[0] ?? 0 }
  const results: Figures[] = []
  for (const reason of leftOut) process.stderr.write(`LEFT OUT: ${reason}\n`)
  for (const size of SIZES.filter((one) => one <= most)) {
    const data = await prepareDataSet(size, QUESTIONS)
    const truth = await findTruth(data)
    for (const peer of chosen) {
      try {
        const figures = await peer.measure(data, truth)
        results.push(figures)
        process.stdout.write(`${JSON.stringify(figures)}\n`)
      } catch (error) {
        const reason = `${peer.name} at ${size} rows: ${error instanceof Error ? error.message : String(error)}`
        leftOut.push(reason)
        process.stderr.write(`LEFT OUT: ${reason}\n`)
      }
    }
    // A run over all sizes takes long, so each result is saved at once.
    await publish(results, { began, leftOut })
  }
  process.stdout.write(`${table(results)}\n`)
}

/** Writes the table with its conditions, and the chart. */
async function publish(
  results: readonly Figures[],
  { began, leftOut }: { began: { at: Date; load: number }; leftOut: readonly string[] },
): Promise<void> {
  if (results.length === 0) throw new Error(`nothing was measured: ${leftOut.join('; ')}`)
  const left = leftOut.map((reason) => `\nLeft out: ${reason}`)
  const text = [describeRun(began), '', table(results), ...left].join('\n')
  await keepResults('peers', results, text)
  const points = results.map(({ engine, rows, p50Ms }) => ({
    engine: labelOf(engine, results),
    rows,
    p50Ms: p50Ms.all,
  }))
  await writeFile(
    'docs/pictures/benchmark-peers.svg',
    drawGrowth(points, 'p50 of a search for ten hits, ms, one client'),
  )
}

/** An engine's name with its recall at the largest size, unless that is 1. */
function labelOf(engine: string, results: readonly Figures[]): string {
  const recall = results.findLast((one) => one.engine === engine)?.recall.all ?? 1
  return recall >= 0.995 ? engine : `${engine}, recall ${recall.toFixed(2)}`
}

function findPeers(): { peers: Peer[]; leftOut: string[] } {
  const server = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL
  const leftOut: string[] = []
  const peers: Peer[] = [{ name: 'embedded', measure: measuring((data) => fillService(data)) }]
  if (server) {
    const onServer = (name: string, fill: (data: DataSet, url: string) => Promise<Engine>): Peer => ({
      name,
      measure: (data, truth) =>
        inNewDatabase(server, ({ databaseUrl }) => measuring((one) => fill(one, databaseUrl))(data, truth)),
    })
    peers.push(
      onServer('postgres', fillService),
      onServer('pgvector-exact', (data, url) => fillPgvector(data, url, 'exact')),
      onServer('pgvector-hnsw', (data, url) => fillPgvector(data, url, 'hnsw')),
    )
  } else leftOut.push('PostgreSQL and pgvector: neither TEST_DATABASE_URL nor DATABASE_URL is set')
  if (isInstalled('@lancedb/lancedb')) {
    for (const index of ['flat', 'hnsw'] as const)
      peers.push({ name: `lancedb-${index}`, measure: (data, truth) => measureLanceDb(data, truth, index) })
  } else leftOut.push('LanceDB: its package is not installed (npm ci in bench/peers)')
  if (isInstalled('chromadb')) peers.push({ name: 'chroma', measure: measuring(fillChroma) })
  else leftOut.push('Chroma: its package is not installed (npm ci in bench/peers)')
  return { peers, leftOut }
}

/** Fills an engine, measures it, and always closes it. */
function measuring(fill: (data: DataSet) => Promise<Engine>): Peer['measure'] {
  return async (data, truth) => {
    const engine = await fill(data)
    try {
      return await measureEngine(engine, data, truth)
    } finally {
      await engine.close()
    }
  }
}

function describeRun({ at, load }: { at: Date; load: number }): string {
  const { length, 0: first } = cpus()
  return `Begun ${at.toISOString().slice(0, 16)}Z on ${length} processors (${first?.model ?? 'unknown'}), Node ${process.version}; load ${load.toFixed(1)} at the beginning, ${(loadavg()[0] ?? 0).toFixed(1)} at the end.`
}
