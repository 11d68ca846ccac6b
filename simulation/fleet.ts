import { pino } from 'pino'
import { createApp, type App } from '../src/assembly/app.ts'
import { readSettings } from '../src/config.ts'
import type { OpenDatabase } from '../src/database/database.ts'
import { createEmbeddingModel } from '../src/inference/embedding-models/create-embedding-model.ts'
import type { LanguageModel } from '../src/inference/language-model.ts'
import { loadTermWeights } from '../src/inference/term-weights.ts'
import { OPERATOR_TOKEN } from '../test/support/service.ts'
import { MODEL_DIMENSIONS, MODEL_URL } from './model-server.ts'
import { faultyDatabase } from './faulty-database.ts'
import type { Faults } from './faults.ts'
import type { Network } from './network.ts'
import { createProcess, runIn, type SimulatedProcess } from './processes.ts'
import type { SimulatedTime } from './simulated-time.ts'
import type { Streams } from './streams.ts'

export const SERVICE_URL = 'http://service.simulated'

export interface Reply {
  status: number
  headers: Record<string, unknown>
  // oxlint-disable-next-line typescript/no-explicit-any -- checks read into it
  body: any
}

export interface Call {
  method: string
  path: string
  key?: string
  body?: unknown
  raw?: string
  headers?: Record<string, string>
}

/** A process of the service that can be called. */
export interface Instance {
  readonly process: SimulatedProcess
  readonly app: App
}

/** The processes of the service on one database. */
export interface Fleet {
  readonly live: Instance[]
  /** Sends a request to one process; null: no response. */
  call(call: Call): Promise<Reply | null>
  /** Starts processes up to the target number. */
  fill(): Promise<void>
  /** Stops one as a signal would, and starts another. */
  restart(): Promise<void>
  kill(): void
  readonly started: number
  readonly killed: number
  stop(): void
}

export interface FleetOptions {
  database: OpenDatabase
  driver: OpenDatabase['driver']
  size: number
  environment: Record<string, string>
  time: SimulatedTime
  faults: Faults
  streams: Streams
  network: Network
  log: (line: string) => void
}

const termWeights = loadTermWeights()
const SKEW_MS = 2_000
const STARTS_MAX = 50
const CLOSE_MAX_MS = 600_000

export function createFleet(options: FleetOptions): Fleet {
  const { time, streams, faults } = options
  const instances: Instance[] = []
  let started = 0
  let killed = 0
  const live = (): Instance[] => {
    for (const [index, { process }] of [...instances.entries()].toReversed())
      if (process.isDead) {
        instances.splice(index, 1)
        killed += 1
      }
    return instances
  }

  async function start(): Promise<void> {
    const instance = await tryToStart(options, `process ${++started}`)
    if (instance) instances.push(instance)
    else killed += 1
  }

  return {
    get live() {
      return live()
    },
    async call(call) {
      const all = live()
      if (all.length === 0) return null
      const instance = all[Math.floor(streams.draw('which process') * all.length)]
      return instance ? await callInstance(instance, call) : null
    },
    async fill() {
      for (let tries = 0; live().length < options.size; tries += 1) {
        if (tries > STARTS_MAX) throw new Error(`the service did not start in ${STARTS_MAX} tries`)
        await start()
        if (live().length < options.size) await time.sleep(1_000)
      }
    },
    async restart() {
      const [oldest] = live()
      // The embedded database belongs to one process at a time.
      if (options.size > 1) await start()
      if (!oldest) return
      await close(oldest, time)
      instances.splice(instances.indexOf(oldest), 1)
    },
    kill() {
      const all = live()
      all[Math.floor(streams.draw('which process dies') * all.length)]?.process.kill()
    },
    get started() {
      return started
    },
    get killed() {
      return killed
    },
    stop() {
      for (const { process } of instances) process.kill()
      faults.stop()
    },
  }
}

/** @returns null if the start failed or the process died */
async function tryToStart(options: FleetOptions, name: string): Promise<Instance | null> {
  const process = createProcess(name)
  const instance = runIn(process, () => startInstance(options, process))
  return await Promise.race([
    instance.catch((error: unknown) => {
      options.log(`${name} could not start: ${String(error)}`)
      process.kill()
      return null
    }),
    process.death.then(() => null),
  ])
}

async function close({ app, process }: Instance, time: SimulatedTime): Promise<void> {
  const closed = runIn(process, async () => {
    app.startDraining()
    await app.server.close()
    await app.stop()
  })
  await Promise.race([closed.catch(() => {}), process.death, time.sleep(CLOSE_MAX_MS)])
  process.kill()
}

async function startInstance(options: FleetOptions, process: SimulatedProcess): Promise<Instance> {
  const { time, faults, network, streams } = options
  const database = faultyDatabase(options.database, { process, time, faults, driver: options.driver })
  const skewMs = options.size === 1 ? 0 : streams.between('clock skew', -SKEW_MS, SKEW_MS)
  const app = await createApp({
    settings: readSettings({ OPERATOR_TOKEN, ...options.environment }),
    database,
    clock: { now: () => new Date(time.now() + skewMs) },
    logger: logger(options, process),
    embeddingModel: await createEmbeddingModel(
      { provider: 'openai', baseUrl: `${MODEL_URL}/v1`, model: 'simulated', dimensions: MODEL_DIMENSIONS },
      { fetch: network.fetch },
    ),
    languageModel: languageModel(network),
    termWeights: await termWeights,
    fetch: network.fetch,
    operatorToken: OPERATOR_TOKEN,
    publicUrl: () => SERVICE_URL,
  })
  await app.start()
  await app.server.ready()
  return { process, app }
}

function logger({ log }: FleetOptions, process: SimulatedProcess) {
  const level = globalThis.process.env.SIMULATION_LOG ?? 'silent'
  return pino({ level }, { write: (line: string) => log(`${process.name} ${line.trim()}`) })
}

async function callInstance({ app, process }: Instance, call: Call): Promise<Reply | null> {
  const { method, path, key, body, raw, headers } = call
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const answered = runIn(process, async () =>
    app.server.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { payload }),
    }),
  )
  const answer = await Promise.race([answered.catch(() => null), process.death.then(() => null)])
  if (answer === null) return null
  const isJson = /json/.test(answer.headers['content-type'] ?? '') && answer.payload !== ''
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: isJson ? JSON.parse(answer.payload) : undefined,
  }
}

function languageModel(network: Network): LanguageModel {
  return {
    id: 'simulated',
    async *stream({ prompt }) {
      yield 'It says '
      yield await network.pass('model', 'write an answer', async () => `${prompt.length} things [1].`)
    },
  }
}
