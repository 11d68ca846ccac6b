import { setImmediate } from 'node:timers/promises'
import { type DataSet, providerOf, RARE_PROVIDER, vectorOf } from './data-set.ts'

/** Hits of a search. */
export const LIMIT = 10
/** Rows of the small tenant: copies of the data set's first ones. */
export const SMALL_TENANT_ROWS = 100
const CLIENTS = 8
const THROUGHPUT_SECONDS = 4
/** Unmeasured searches, for loading and compilation; fewer for a slow engine. */
const WARM_UP = 500
const WARM_UP_SECONDS = 5
/** Time limit: a slow engine answers fewer questions, and its recall is over those. */
const SEARCH_SECONDS = 12
/**
 * Similarities this close are equal: the half-precision numbers of the service and of pgvector have 11 bits.
 */
const TOLERANCE = 1e-4

/** What a search covers: all of a tenant, 1% of it by a filter, or a tenant of 100 rows beside it. */
export const SCOPES = ['all', 'rare', 'small'] as const
export type Scope = (typeof SCOPES)[number]

/** An engine with the data set. Rows are named by their number in it. */
export interface Engine {
  name: string
  ingestPerSecond: number
  /** The rows nearest to a question, best first. */
  search(question: number, scope: Scope): Promise<readonly number[]>
  /** Resident memory of the process with the rows, by the operating system; null: unknown. */
  residentMb(): Promise<number | null>
  close(): Promise<void>
}

/** One engine at one size. Times are of one client, except for the throughput; p99 is of the scope `all`. */
export interface Figures {
  engine: string
  rows: number
  ingestPerSecond: number
  recall: Record<Scope, number>
  p50Ms: Record<Scope, number>
  p99Ms: number
  searchesPerSecond: number
  residentMb: number | null
}

/** The similarity of an exact search's last hit, and its number of hits. */
interface Best {
  least: number
  hits: number
}

/** The exact result of each question. */
export type Truth = Record<Scope, Best[]>

/** Compares every question with every row. */
export async function findTruth(data: DataSet): Promise<Truth> {
  const truth: Truth = { all: [], rare: [], small: [] }
  for (const { vector } of data.questions) {
    const scores = Float64Array.from({ length: data.size }, (_, row) => dot(vector, vectorOf(data, row)))
    for (const scope of SCOPES) {
      // The service does not return orthogonal rows.
      const best = scores
        .filter((score, row) => score > 0 && isIn(scope, row))
        .toSorted()
        .slice(-LIMIT)
      truth[scope].push({ least: best[0] ?? 0, hits: best.length })
    }
    await setImmediate()
  }
  return truth
}

/** Searches as a client does, and compares the results with the truth. */
export async function measureEngine(engine: Engine, data: DataSet, truth: Truth): Promise<Figures> {
  const all = await measureScope(engine, data, truth, 'all')
  const rare = await measureScope(engine, data, truth, 'rare')
  const small = await measureScope(engine, data, truth, 'small')
  return {
    engine: engine.name,
    rows: data.size,
    ingestPerSecond: engine.ingestPerSecond,
    recall: { all: all.recall, rare: rare.recall, small: small.recall },
    p50Ms: { all: all.p50Ms, rare: rare.p50Ms, small: small.p50Ms },
    p99Ms: all.p99Ms,
    searchesPerSecond: await measureThroughput(engine, data.questions.length),
    residentMb: await engine.residentMb(),
  }
}

async function measureScope(
  engine: Engine,
  data: DataSet,
  truth: Truth,
  scope: Scope,
): Promise<{ recall: number; p50Ms: number; p99Ms: number }> {
  await warmUp(engine, data.questions.length, scope)
  const times: number[] = []
  let found = 0
  let wanted = 0
  const started = performance.now()
  for (const [number, { vector }] of data.questions.entries()) {
    if (performance.now() - started > SEARCH_SECONDS * 1_000) break
    const from = performance.now()
    const rows = await engine.search(number, scope)
    times.push(performance.now() - from)
    const best = truth[scope][number] ?? { least: 0, hits: 0 }
    wanted += best.hits
    found += countRight(data, { scope, vector, rows, best })
  }
  times.sort((a, b) => a - b)
  return { recall: wanted === 0 ? 1 : found / wanted, p50Ms: at(times, 0.5), p99Ms: at(times, 0.99) }
}

async function warmUp(engine: Engine, questions: number, scope: Scope): Promise<void> {
  const started = performance.now()
  for (let n = 0; n < WARM_UP && performance.now() - started < WARM_UP_SECONDS * 1_000; n++)
    await engine.search(n % questions, scope)
}

/** How many returned rows are right: distinct, in scope, and as near as an exact search's last hit. */
export function countRight(
  data: DataSet,
  found: { scope: Scope; vector: Float32Array; rows: readonly number[]; best: Best },
): number {
  const { scope, vector, rows, best } = found
  const right = [...new Set(rows)].filter(
    (row) => isIn(scope, row) && dot(vector, vectorOf(data, row)) >= best.least - TOLERANCE,
  )
  return Math.min(best.hits, right.length)
}

/** Searches per second over all of the large tenant, by eight clients at once. */
async function measureThroughput(engine: Engine, questions: number): Promise<number> {
  const started = performance.now()
  let done = 0
  const client = async (first: number): Promise<void> => {
    for (let n = first; performance.now() - started < THROUGHPUT_SECONDS * 1_000; n += CLIENTS) {
      await engine.search(n % questions, 'all')
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, n) => client(n)))
  return done / ((performance.now() - started) / 1_000)
}

function isIn(scope: Scope, row: number): boolean {
  if (scope === 'small') return row < SMALL_TENANT_ROWS
  return scope === 'all' || providerOf(row) === RARE_PROVIDER
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let n = 0; n < a.length; n++) sum += (a[n] ?? 0) * (b[n] ?? 0)
  return sum
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
