import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { makeDataDir } from '../support/data-dir.ts'
import {
  launchService,
  PROCESS_ADMIN_KEY,
  type ServiceProcess,
  untilReady,
} from '../support/service-process.ts'
import { until } from '../support/until.ts'

const TAKEN_UP = 'restored the vectors that the last stop saved'
const SAVED = 'saved the vectors in memory for the next start'
const DOCUMENTS = 1_000

const Sources = z.object({ sources: z.array(z.object({ id: z.string(), provider: z.string() })) })
const Hits = z.object({ hits: z.array(z.object({ title: z.string(), score: z.number() })) })

let dataDir: string
const running: ServiceProcess[] = []

beforeAll(async () => {
  dataDir = await makeDataDir('memory-saved-')
})
afterEach(async () => {
  for (const service of running.splice(0)) await end(service, 'SIGKILL')
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

async function start(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const service = await launchService({ DATA_DIR: dataDir, ...environment })
  running.push(service)
  await untilReady(service)
  return service
}

async function end(service: ServiceProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  service.child.kill(signal)
  return await service.ended()
}

async function call(service: ServiceProcess, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${PROCESS_ADMIN_KEY}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return await response.json()
}

async function ingest(service: ServiceProcess, count: number, from = 0): Promise<void> {
  const { sources } = Sources.parse(await call(service, 'GET', '/v1/sources'))
  const connectorId = sources.find(({ provider }) => provider === 'notion')?.id
  const documents = Array.from({ length: count }, (_, at) => ({
    connectorId,
    provider: 'notion',
    sourceKind: 'document',
    externalId: `page-${from + at}`,
    title: `Page ${from + at}`,
    body: `Room ${from + at} is on floor ${(from + at) % 9}, with ${(from + at) % 31} chairs.`,
  }))
  await call(service, 'POST', '/v1/ingest', { documents })
}

async function search(service: ServiceProcess): Promise<z.output<typeof Hits>['hits']> {
  const body = { query: 'a room with 12 chairs on floor 3', limit: 20 }
  return Hits.parse(await call(service, 'POST', '/v1/search', body)).hits
}

const files = (): Promise<string[]> => readdir(join(dataDir, 'vector-memory')).catch(() => [])
const output = (service: ServiceProcess, what: string): Promise<string> =>
  until(
    what,
    () => service.output(),
    (text) => text.includes(what),
  )

it('a restarted service answers from memory at once, with the same results as the database', async () => {
  const first = await start()
  await ingest(first, DOCUMENTS)
  const answered = await search(first)
  expect(await end(first, 'SIGTERM')).toBe(0)
  expect(first.output()).toContain(SAVED)
  expect(await files()).toHaveLength(1)

  // No request has reached it yet.
  const second = await start()
  await output(second, TAKEN_UP)
  expect(await files()).toEqual([])
  expect(await search(second)).toEqual(answered)
  await ingest(second, 5, DOCUMENTS)
  const changed = await search(second)
  expect(await end(second, 'SIGTERM')).toBe(0)

  // It is killed before it can save anything, so the next one reads everything again.
  const third = await start()
  await output(third, TAKEN_UP)
  expect(await search(third)).toEqual(changed)
  await end(third, 'SIGKILL')
  expect(await files()).toEqual([])
  const fourth = await start()
  expect(await search(fourth)).toEqual(changed)
  expect(fourth.output()).not.toContain(TAKEN_UP)
  expect(await end(fourth, 'SIGTERM')).toBe(0)
  expect(await files()).toHaveLength(1)

  // A service that searches only in the database leaves no files behind.
  const last = await start({ SEARCH_MEMORY_MB: '0' })
  expect(await search(last)).toEqual(changed)
  expect(await files()).toEqual([])
  expect(await end(last, 'SIGTERM')).toBe(0)
  expect(await files()).toEqual([])
})
