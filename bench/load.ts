import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { environmentOf, onEachDatabase, type Place } from './fill.ts'
import { keepResults } from './keep-results.ts'
import { percentile } from './search.ts'
import { type Answer, Documents, type Kind, sendLoad } from './load-traffic.ts'
import { type BenchServer, call, startServer } from './server.ts'

/**
 * npm run bench -- load [embedded|postgres] [minutes] [requests a second]: mixed requests at a steady rate; on
 * PostgreSQL to two instances, which are replaced one after the other at a third of the time, as in an upgrade. At
 * two thirds, LOAD_FAILOVER runs, a command that restarts the database. Finally, every acknowledged document is
 * pushed again, to count those that the service lacks.
 */

const MINUTES = 60
const A_SECOND = 10
const SECOND = 1_000
const MINUTE = 60 * SECOND

interface Result {
  database: string
  instances: number
  minutes: number
  requests: number
  errors: string[]
  repeated: number
  p50Ms: Record<Kind, number>
  p99Ms: Record<Kind, number>
  /** Resident memory of all instances, after a fifth of the time and at the end. */
  residentMb: { early: number; late: number }
  documents: number
  lost: number
}

const Sources = z.object({ sources: z.array(z.object({ id: z.string(), provider: z.string() })) })

/** Instances of the service, as behind a load balancer. */
class Instances {
  readonly #environment: Record<string, string>
  #servers: BenchServer[] = []
  #sent = 0

  constructor(place: Place) {
    this.#environment = environmentOf(place)
  }

  async start(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) this.#servers.push(await startServer(this.#environment))
  }

  get url(): string {
    const server = this.#servers[this.#sent++ % this.#servers.length]
    if (server === undefined) throw new Error('no instance runs')
    return server.url
  }

  /** Replaces each instance in turn: starts a new one, then drains and stops the old one. */
  async replace(): Promise<void> {
    for (const old of this.#servers) {
      const fresh = await startServer(this.#environment)
      this.#servers = this.#servers.map((server) => (server === old ? fresh : server))
      await old.stop()
    }
  }

  async residentMb(): Promise<number> {
    const each = await Promise.all(this.#servers.map((server) => server.residentMb()))
    return each.reduce((sum, mb) => sum + mb, 0)
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }
}

/** Runs after a share of the time; a failure ends the benchmark. */
async function after(ms: number, act: () => Promise<void>): Promise<void> {
  await sleep(ms)
  await act()
}

async function measure(
  database: string,
  place: Place,
  { minutes, aSecond }: { minutes: number; aSecond: number },
): Promise<Result> {
  const count = database === 'postgres' ? 2 : 1
  const instances = new Instances(place)
  try {
    await instances.start(count)
    const { sources } = Sources.parse(await call(instances.url, 'GET', '/v1/sources'))
    const notion = sources.find(({ provider }) => provider === 'notion')
    if (notion === undefined) throw new Error('the local workspace has no source for notion')
    const documents = new Documents(notion.id)
    await documents.fill(instances.url)
    const answers: Answer[] = []
    const ms = minutes * MINUTE
    const until = Date.now() + ms
    let early = 0
    const reports = setInterval(() => void report(database, instances, answers).catch(console.error), MINUTE)
    const failover = process.env.LOAD_FAILOVER
    await Promise.all([
      sendLoad(instances, documents, { until, aSecond, answers }),
      after(ms / 5, async () => {
        early = await instances.residentMb()
      }),
      ...(count > 1 ? [after(ms / 3, () => instances.replace())] : []),
      ...(count > 1 && failover !== undefined
        ? [after((ms * 2) / 3, async () => void (await promisify(exec)(failover)))]
        : []),
    ]).finally(() => clearInterval(reports))
    const late = await instances.residentMb()
    return {
      database,
      instances: count,
      minutes,
      ...summary(answers),
      residentMb: { early, late },
      documents: documents.count,
      lost: await documents.countLost(instances.url),
    }
  } finally {
    await instances.stop()
  }
}

/** The figures of a set of responses. */
function summary(
  answers: readonly Answer[],
): Pick<Result, 'requests' | 'errors' | 'repeated' | 'p50Ms' | 'p99Ms'> {
  const at = (share: number): Record<Kind, number> => {
    const of = (kind: Kind): number => {
      const sorted = answers.filter((answer) => answer.kind === kind).map(({ ms }) => ms)
      return sorted.length === 0
        ? 0
        : percentile(
            sorted.toSorted((a, b) => a - b),
            share,
          )
    }
    return {
      search: of('search'),
      hybrid: of('hybrid'),
      context: of('context'),
      ask: of('ask'),
      ingest: of('ingest'),
      sources: of('sources'),
    }
  }
  return {
    requests: answers.length,
    errors: answers.flatMap(({ error }) => error ?? []),
    repeated: answers.reduce((sum, { repeated }) => sum + repeated, 0),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  }
}

async function report(database: string, instances: Instances, answers: readonly Answer[]): Promise<void> {
  const recent = summary(answers.filter(({ at }) => at > Date.now() - MINUTE))
  const { search, ask: asked, ingest } = recent.p99Ms
  const mb = await instances.residentMb()
  console.log(
    `${database}: ${recent.requests} requests, ${recent.errors.length} errors, ${recent.repeated} repeated, search p50 ${recent.p50Ms.search.toFixed(1)} p99 ${search.toFixed(1)} ms, ask p99 ${asked.toFixed(1)}, ingest p99 ${ingest.toFixed(1)}, ${mb.toFixed(0)} MB`,
  )
}

function table(results: readonly Result[]): string {
  return [
    '| database | instances | minutes | requests | errors | repeated | search p50 / p99 ms | hybrid | ask | ingest | resident MB early / late | documents | lost |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...results.map((result) => {
      const pair = (kind: Kind): string =>
        `${result.p50Ms[kind].toFixed(1)} / ${result.p99Ms[kind].toFixed(1)}`
      return `| ${[
        result.database,
        result.instances,
        result.minutes,
        result.requests,
        result.errors.length,
        result.repeated,
        pair('search'),
        pair('hybrid'),
        pair('ask'),
        pair('ingest'),
        `${result.residentMb.early.toFixed(0)} / ${result.residentMb.late.toFixed(0)}`,
        result.documents,
        result.lost,
      ].join(' | ')} |`
    }),
  ].join('\n')
}

export async function benchLoad(args: readonly string[]): Promise<void> {
  const [minutes = MINUTES, aSecond = A_SECOND] = args.filter((arg) => /^\d/.test(arg)).map(Number)
  const wanted = args.find((arg) => arg === 'embedded' || arg === 'postgres')
  const results = await onEachDatabase(wanted, async (database, place) => [
    await measure(database, place, { minutes, aSecond }),
  ])
  const text = table(results)
  process.stdout.write(`${text}\n`)
  for (const error of results.flatMap(({ errors }) => errors).slice(0, 20)) console.log(error)
  await keepResults('load', results, text)
}
