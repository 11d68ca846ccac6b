import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { makeDataDir } from '../support/data-dir.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { rounds, seededRandom } from '../support/random.ts'
import {
  launchService,
  PROCESS_ADMIN_KEY,
  type ServiceProcess,
  untilReady,
} from '../support/service-process.ts'

const random = seededRandom('kill -9')

const onServer = process.env.TEST_DRIVER === 'postgres'
const KILLS = rounds(1)
const LONGEST_RUN_MS = 800
const DOCUMENTS_A_REQUEST = 7

const AddressOf = z.object({ port: z.int() })

let dataDir: string
let database: TestDatabase | undefined
const running: ServiceProcess[] = []

beforeAll(async () => {
  // The very first start has its own folder, below.
  dataDir = await makeDataDir('memory-process-')
  if (onServer) database = await createTestDatabase()
})

afterEach(async () => {
  for (const service of running.splice(0)) {
    service.child.kill('SIGKILL')
    await service.ended()
    if (service.output().includes(PROCESS_ADMIN_KEY)) throw new Error('the service wrote its admin key')
  }
})

afterAll(async () => {
  await database?.close()
  await rm(dataDir, { recursive: true, force: true })
})

async function launch(environment: Record<string, string> = {}): Promise<ServiceProcess> {
  const where = database?.url ? { DATABASE_URL: database.url, DATA_DIR: dataDir } : { DATA_DIR: dataDir }
  const service = await launchService({ ...where, ...environment })
  running.push(service)
  return service
}

async function call(
  service: ServiceProcess,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(service.url + path, {
    method,
    headers: { Authorization: `Bearer ${PROCESS_ADMIN_KEY}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

/** Like client libraries, it keeps a connection open for the next request. */
const agent = new Agent({ keepAlive: true })
afterAll(() => agent.destroy())

/** A request that the service has started to receive before its body is sent (RFC 9110, section 10.1.1). */
function beginIngest(service: ServiceProcess) {
  const request = httpRequest(`${service.url}/v1/ingest`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${PROCESS_ADMIN_KEY}`,
      'Content-Type': 'application/json',
      Expect: '100-continue',
    },
    agent,
  })
  const received = once(request, 'continue')
  const answered = once(request, 'response').then(async ([response]: IncomingMessage[]) => {
    if (!response) throw new Error('no response')
    const body: unknown = await json(response)
    return { status: response.statusCode, connection: response.headers.connection, body }
  })
  request.flushHeaders()
  return { received, answered, send: (body: unknown) => request.end(JSON.stringify(body)) }
}

const Sources = z.object({
  sources: z.array(z.object({ id: z.string(), provider: z.string(), sourceItemCount: z.number() })),
})

async function notionSource(service: ServiceProcess): Promise<{ id: string; sourceItemCount: number }> {
  const { sources } = Sources.parse((await call(service, 'GET', '/v1/sources')).body)
  const source = sources.find(({ provider }) => provider === 'notion')
  if (!source) throw new Error('the local workspace has no notion source')
  return source
}

function documents(connectorId: string, batch: string): unknown {
  return {
    documents: Array.from({ length: DOCUMENTS_A_REQUEST }, (_, index) => ({
      connectorId,
      provider: 'notion',
      sourceKind: 'document',
      externalId: `${batch}-${index}`,
      title: `Batch ${batch}`,
      body: `Document ${index} of batch ${batch}. `.repeat(40),
    })),
  }
}

/** Ingests until the service is killed at a random moment; returns the acknowledged batches. */
async function ingestAndKill(round: number): Promise<string[]> {
  const service = await launch()
  await untilReady(service)
  const { id } = await notionSource(service)
  const acknowledged: string[] = []
  const killed = sleep(200 + random() * LONGEST_RUN_MS).then(() => service.child.kill('SIGKILL'))
  for (let number = 0; ; number++) {
    const batch = `r${round}n${number}`
    const answer = await call(service, 'POST', '/v1/ingest', documents(id, batch)).catch(() => undefined)
    if (answer === undefined) break
    expect(answer).toMatchObject({ status: 200, body: { ingested: DOCUMENTS_A_REQUEST } })
    acknowledged.push(batch)
  }
  await killed
  await service.ended()
  return acknowledged
}

describe('a deployment behind a proxy, without an identity provider', () => {
  it('reports at start that sign-in is off and what to set, and serves API keys [AUTH-7]', async () => {
    const service = await launch({ PUBLIC_URL: 'https://memory.example.com' })
    await untilReady(service)
    expect((await call(service, 'GET', '/v1/sources')).status).toBe(200)
    for (const path of ['/oidc/.well-known/openid-configuration', '/oidc/authorize'])
      expect((await call(service, 'GET', path)).status).toBe(404)
    expect(await call(service, 'GET', '/v1/console/me')).toMatchObject({
      status: 503,
      body: { code: 'not_configured' },
    })
    expect(service.output()).toMatch(/console sign-in is off: set OIDC_ISSUER and OIDC_AUDIENCE/)
  })
})

describe('a process of the service', () => {
  it('keeps every acknowledged document whole, and none in part, through kill -9 during ingests', async () => {
    const acknowledged: string[] = []
    for (let round = 0; round < KILLS; round++) acknowledged.push(...(await ingestAndKill(round)))
    const service = await launch()
    await untilReady(service)
    const source = await notionSource(service)
    expect(source.sourceItemCount % DOCUMENTS_A_REQUEST).toBe(0)
    expect(source.sourceItemCount).toBeGreaterThanOrEqual(acknowledged.length * DOCUMENTS_A_REQUEST)
    for (const batch of acknowledged) {
      const again = await call(service, 'POST', '/v1/ingest', documents(source.id, batch))
      expect(again).toMatchObject({ status: 200, body: { ingested: 0, skipped: DOCUMENTS_A_REQUEST } })
      const found = await call(service, 'POST', '/v1/search', { query: `Batch ${batch}`, limit: 1 })
      expect(found).toMatchObject({ status: 200, body: { hits: [{ title: `Batch ${batch}` }] } })
    }
    service.child.kill('SIGTERM')
    expect(await service.ended()).toBe(0)
  })

  it('finishes the request in flight on SIGTERM, even a repeated one, closes its connection, accepts no new one, and exits with code 0', async () => {
    const service = await launch()
    await untilReady(service)
    const { id } = await notionSource(service)
    const request = beginIngest(service)
    await request.received
    request.send({
      documents: Array.from({ length: 150 }, (_, index) => ({
        connectorId: id,
        provider: 'notion',
        sourceKind: 'document',
        externalId: `drain-${index}`,
        title: 'Drain',
        body: 'A sentence that takes a while to be cut and embedded. '.repeat(60),
      })),
    })
    service.child.kill('SIGTERM')
    // npm forwards what the process group has already received.
    await sleep(50)
    service.child.kill('SIGTERM')
    expect(await request.answered).toMatchObject({
      status: 200,
      connection: 'close',
      body: { ingested: 150 },
    })
    const answeredAt = performance.now()
    expect(await service.ended()).toBe(0)
    // Otherwise the process would wait 25 s for the connection.
    expect(performance.now() - answeredAt).toBeLessThan(10_000)
    await expect(fetch(`${service.url}/healthz`)).rejects.toThrow(/fetch failed/)
  })

  it('lists every faulty setting at once and does not start', async () => {
    const service = await launch({ PORT: 'http', LOG_LEVEL: 'loud' })
    expect(await service.ended()).toBe(1)
    expect(service.output()).toMatch(/PORT[^]*LOG_LEVEL/)
    expect(service.output()).not.toMatch(/at .*\.ts:\d+/)
  })

  it.skipIf(onServer)(
    'prints the admin key it created even when it cannot listen, and is refused a directory in use, without damage',
    async () => {
      const folder = await makeDataDir('taken-', dataDir)
      const taken = createServer().listen(0, '127.0.0.1')
      await once(taken, 'listening')
      const { port } = AddressOf.parse(taken.address())
      const settings = { DATA_DIR: folder, BOOTSTRAP_ADMIN_KEY: '' }
      const service = await launchService({ ...settings, PORT: String(port) })
      running.push(service)
      expect(await service.ended()).toBe(1)
      taken.close()
      const key = /svc_[\w-]{43}/.exec(service.output())?.[0] ?? 'none was told'
      const again = await launchService(settings)
      running.push(again)
      await untilReady(again)
      const second = await launchService(settings)
      running.push(second)
      expect(await second.ended()).toBe(1)
      expect(second.output()).toContain(folder)
      const answer = await fetch(`${again.url}/v1/sources`, { headers: { Authorization: `Bearer ${key}` } })
      expect(answer.status).toBe(200)
    },
  )

  it.skipIf(onServer)(
    'writes only lines of JSON without a terminal, and its new key once [OPS-6]',
    { timeout: 120_000 },
    async () => {
      const folder = await mkdtemp(join(dataDir, 'lines-'))
      const service = await launch({
        DATA_DIR: folder,
        BOOTSTRAP_ADMIN_KEY: '',
        LOG_LEVEL: 'warn',
      })
      await untilReady(service)
      service.child.kill('SIGTERM')
      await service.ended()
      const lines = service.output().trim().split('\n')
      for (const line of lines) expect(JSON.parse(line), line).toMatchObject({ level: expect.any(Number) })
      expect(service.output().match(/Admin key, shown only once: svc_[\w-]{43}/g)).toHaveLength(1)
      const failing = await launch({ PORT: 'http' })
      await failing.ended()
      expect(JSON.parse(failing.output())).toMatchObject({ level: 60, msg: expect.stringContaining('PORT') })
    },
  )
})
