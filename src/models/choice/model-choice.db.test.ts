import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readChoice, startingModel } from '../../assembly/chosen-model.ts'
import { readSettings } from '../../config.ts'
import { KNOWN_MODELS } from '../../inference/embedding-models/known-models.ts'
import { PROBES } from '../../inference/embedding-models/try-model.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type ModelHub, startModelHub } from '../../../test/support/model-hub.ts'
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../test/support/openai-emulator.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../../../test/support/service.ts'
import { wordVectors, writeTinyOnnxModel } from '../../../test/support/tiny-onnx-model.ts'
import { until } from '../../../test/support/until.ts'

const KEY = 'server-key-0123456789'
const CRANE = 'The harbour has a crane.'
const WEIGHTS = 'onnx/model_quantized.onnx'
const known = KNOWN_MODELS[0]
if (known === undefined) throw new Error('no model is known')
const LOCAL = { provider: 'transformers', model: known.name }
const LOCAL_ID = `local:${known.name}:384`

let parent: string
let hub: ModelHub
let server: OpenAiEmulator
let database: TestDatabase
let dataDir: string
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'model-choice-'))
  dataDir = join(parent, 'data')
  const words = wordVectors([...PROBES, CRANE, 'some words about number'], 384)
  await writeTinyOnnxModel(join(parent, 'tiny'), words)
  await writeTinyOnnxModel(join(parent, 'small'), { north: [2, 0], east: [0, 2] })
  hub = await startModelHub(known, join(parent, 'tiny'))
  server = await startOpenAiEmulator({ apiKey: KEY, dimensions: 48 })
  database = await createTestDatabase()
  service = await start()
  organization = await service.organization()
  await ingest(CRANE, ...Array.from({ length: 9 }, (_, n) => `Some words about number ${n}.`))
})
afterAll(async () => {
  await service.close()
  await database.close()
  await Promise.all([hub.close(), server.close()])
  await rm(parent, { recursive: true })
})

/** Each test starts with the built-in model. */
beforeEach(async () => {
  hub.faults.clear()
  hub.asked.length = 0
  await rm(join(dataDir, 'models'), { recursive: true, force: true })
  await use({ provider: 'builtin' })
})

const ENCRYPTION_KEY = randomBytes(32).toString('base64')

/** Starts the service on the folder of an earlier one. */
async function start(environment: Record<string, string> = {}, patienceMs?: number): Promise<TestService> {
  const given = { DATA_DIR: dataDir, ENCRYPTION_KEY, ...environment }
  const settings = readSettings(given)
  const choice = await readChoice(settings, pino({ level: 'silent' }))
  return await startTestService({
    database,
    dataDir,
    environment: given,
    choice,
    embeddingModel: await startingModel(settings, choice),
    choiceTimes: { pollMs: 20, ...(patienceMs === undefined ? {} : { patienceMs }) },
  })
}

async function restart(environment?: Record<string, string>, patienceMs?: number): Promise<void> {
  await service.close()
  service = await start(environment, patienceMs)
}

const operate = (method: string, body?: unknown): Promise<Answer> =>
  service.call(method, '/operator/embedding-model', {
    key: OPERATOR_TOKEN,
    ...(body === undefined ? {} : { body }),
  })

/** Requests a model and waits until the change ends; returns the status. */
// oxlint-disable-next-line typescript/no-explicit-any
async function use(body: Record<string, unknown>): Promise<any> {
  const asked = await operate('PUT', body)
  if (asked.status !== 200) throw new Error(asked.text)
  return await untilChanged()
}
const untilChanged = () =>
  until(
    'the end of the change',
    async () => (await operate('GET')).body,
    ({ change }) => change.status === 'succeeded' || change.status === 'failed',
  )

async function ingest(...bodies: string[]): Promise<void> {
  const documents = bodies.map((body, n) => ({
    connectorId: organization.sources.notion,
    provider: 'notion',
    sourceKind: 'document',
    externalId: `${n} ${body.slice(0, 30)}`,
    title: 'note',
    body,
  }))
  const answer = await service.call('POST', '/v1/ingest', { key: organization.adminKey, body: { documents } })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
}

/** The best passage, and the limitations of the answer. */
async function best(): Promise<{ content: string; limitations: string[] }> {
  const answer = await service.call('POST', '/v1/context', {
    key: organization.adminKey,
    body: { query: 'the harbour crane', limit: 3 },
  })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  const { hits, limitations } = answer.body
  return { content: hits[0].content, limitations: limitations.map(({ code }: { code: string }) => code) }
}
const answering = async (): Promise<string> => {
  const answer = await service.call('GET', '/v1/maintenance/reembed', { key: organization.adminKey })
  return answer.body.answeringModel
}

describe('choosing an embedding model while the service runs', () => {
  it('downloads a known model, moves every workspace to it, and keeps it for the next start', async () => {
    const moved = await use({ ...LOCAL, mirrorUrl: hub.url })
    expect(moved).toMatchObject({
      model: LOCAL_ID,
      provider: 'transformers',
      change: { status: 'succeeded', step: null, errorMessage: null },
      movingOrganizations: 0,
      chunksTotal: 10,
      chunksDone: 10,
    })
    expect(moved.change.bytesDone).toBe(moved.change.bytesTotal)
    expect(moved.change.bytesTotal).toBeGreaterThan(0)
    expect(await answering()).toBe(LOCAL_ID)
    expect((await best()).content).toContain(CRANE)
    await restart()
    expect((await operate('GET')).body).toMatchObject({ model: LOCAL_ID, change: { status: 'idle' } })
    expect((await best()).content).toContain(CRANE)
  })

  it('answers every search during the move and finds new documents throughout', async () => {
    await operate('PUT', { provider: 'openai', model: 'm', baseUrl: server.baseUrl, apiKey: KEY })
    for (let done = false; !done;) {
      expect((await best()).content).toContain(CRANE)
      const { change } = (await operate('GET')).body
      expect(change.status).not.toBe('failed')
      done = change.status === 'succeeded'
    }
    expect(await answering()).toBe('openai:m:48')
  })

  it("encrypts a server's key, shows it nowhere, and restarts without a request to the server", async () => {
    const baseUrl = server.baseUrl.replace('http://', 'http://name:password@')
    const moved = await use({ provider: 'openai', model: 'm', baseUrl: server.baseUrl, apiKey: KEY })
    expect(moved).toMatchObject({ model: 'openai:m:48', baseUrl: server.baseUrl })
    const file = await readFile(join(dataDir, 'embedding-model.json'), 'utf8')
    for (const text of [file, JSON.stringify(moved)]) expect(text).not.toContain(KEY)
    await service.close()
    const asked = server.requests.length
    service = await start()
    expect(server.requests.length).toBe(asked)
    expect((await best()).content).toContain(CRANE)
    const shown = await operate('PUT', { provider: 'openai', model: 'm', baseUrl, apiKey: KEY })
    expect(shown.text).not.toContain('password')
  })

  it('returns to the built-in model the same way', async () => {
    const first = await answering()
    await use({ provider: 'openai', model: 'm', baseUrl: server.baseUrl, apiKey: KEY })
    const back = await use({ provider: 'builtin' })
    expect(back).toMatchObject({ model: first, provider: 'builtin', change: { status: 'succeeded' } })
    expect(await answering()).toBe(first)
    expect(await best()).toEqual({ content: CRANE, limitations: [] })
  })
})

describe('an unusable model changes nothing', () => {
  let before: { model: string; file: string }
  const standing = async () => ({
    model: await answering(),
    file: await readFile(join(dataDir, 'embedding-model.json'), 'utf8'),
  })
  beforeEach(async () => {
    before = await standing()
  })

  /** In this process, and in the file for the next. */
  const expectUnchanged = async () => {
    expect(await standing()).toEqual(before)
    expect((await operate('GET')).body.model).toBe(before.model)
    expect(await best()).toEqual({ content: CRANE, limitations: [] })
  }
  const expectFailure = async (body: Record<string, unknown>, words: RegExp) => {
    expect((await use(body)).change).toMatchObject({
      status: 'failed',
      step: null,
      errorMessage: expect.stringMatching(words),
    })
    await expectUnchanged()
  }

  it('if the hub cannot be reached', () =>
    expectFailure({ ...LOCAL, mirrorUrl: 'http://127.0.0.1:9' }, /cannot be downloaded.*--mirror.*by hand/))

  it("if its files differ from the hub's list", async () => {
    hub.faults.set(WEIGHTS, 'changed')
    await expectFailure({ ...LOCAL, mirrorUrl: hub.url }, /does not match the hub's checksum/)
  })

  it('if its files belong to another model', async () => {
    await writeTinyOnnxModel(join(dataDir, 'models', known.name), { north: [2, 0], east: [0, 2] })
    await expectFailure(LOCAL, /do not belong to .*2 dimensions instead of 384/)
  })

  it('if it gives every text the same vector', () =>
    expectFailure(
      { provider: 'transformers', model: join(parent, 'small') },
      /the same vector for different texts/,
    ))

  it('if its server refuses the key', () =>
    expectFailure(
      { provider: 'openai', model: 'm', baseUrl: server.baseUrl, apiKey: 'a-key-that-is-wrong' },
      /^m at http:\/\/127\.0\.0\.1:\d+\/v1: .*rejected the credentials.*401.*EMBEDDING_API_KEY/,
    ))

  it('if its folder has no model files', () =>
    expectFailure({ provider: 'transformers', model: parent }, /config\.json.*onnx\/model\.onnx/))

  it('if its server is unreachable, and the error shows no password', () =>
    expectFailure(
      { provider: 'openai', model: 'm', baseUrl: 'http://name:password@127.0.0.1:9/v1' },
      /^m at http:\/\/127\.0\.0\.1:9\/v1: .*could not be reached.*check that it runs/,
    ))

  it('if its server returns other dimensions than requested', async () => {
    server.fail({ kind: 'wrong-dimensions' })
    await expectFailure(
      { provider: 'openai', model: 'm', baseUrl: server.baseUrl, apiKey: KEY, dimensions: 32 },
      /31 dimensions instead of 32.*the number of dimensions/,
    )
  })

  it('if the choice cannot be written', async () => {
    await mkdir(join(dataDir, 'embedding-model.json.next'))
    await expectFailure(
      { provider: 'openai', model: 'm', baseUrl: server.baseUrl, apiKey: KEY },
      /cannot be written to .*embedding-model.json/,
    )
    await rm(join(dataDir, 'embedding-model.json.next'), { recursive: true })
  })

  it('if the service stops halfway', async () => {
    hub.faults.set(WEIGHTS, 'stalled')
    await operate('PUT', { ...LOCAL, mirrorUrl: hub.url })
    await until('a download under way', () => hub.asked.includes(WEIGHTS), Boolean)
    await restart()
    await expectUnchanged()
  })

  it('if another choice replaces it', async () => {
    hub.faults.set(WEIGHTS, 'stalled')
    await operate('PUT', { ...LOCAL, mirrorUrl: hub.url })
    await until('a download under way', () => hub.asked.includes(WEIGHTS), Boolean)
    expect((await use({ provider: 'builtin' })).change).toMatchObject({
      status: 'succeeded',
      model: 'builtin',
    })
    await expectUnchanged()
  })
})

describe('chunks that cannot be moved', () => {
  let picky: Server
  let refuses: boolean

  beforeEach(async () => {
    refuses = true
    // A server that passes the test but fails for stored chunks.
    picky = createServer((request, response) => {
      let text = ''
      request.on('data', (data: Buffer) => (text += data.toString('utf8')))
      request.on('end', () => {
        const { input }: { input: string[] } = JSON.parse(text)
        const isStored = input.some((given) => given.includes('crane'))
        response.writeHead(refuses && isStored ? 400 : 200, { 'content-type': 'application/json' })
        const data = input.map((given, index) => ({
          index,
          embedding: [1, given.length % 7, given.length % 3],
        }))
        response.end(JSON.stringify(refuses && isStored ? { error: { message: 'too long' } } : { data }))
      })
    })
    await new Promise<void>((resolve) => picky.listen(0, '127.0.0.1', resolve))
  })
  afterEach(() => {
    picky.closeAllConnections()
    picky.close()
  })
  const choose = () => {
    const { port } = picky.address() as AddressInfo
    return operate('PUT', { provider: 'openai', model: 'picky', baseUrl: `http://127.0.0.1:${port}/v1` })
  }

  it('keep the former model, which becomes the configured one again if the failure lasts', async () => {
    const before = await answering()
    await restart({}, 0)
    await choose()
    expect(await untilChanged()).toMatchObject({
      model: before,
      provider: 'builtin',
      change: {
        status: 'failed',
        errorMessage: expect.stringMatching(/could not be moved.*is the embedding model again/),
      },
    })
    await until('the former model for good', answering, (model) => model === before)
    expect(await best()).toEqual({ content: CRANE, limitations: [] })
    await restart()
    expect((await operate('GET')).body).toMatchObject({ model: before, movingOrganizations: 0 })
  })

  it('are moved by the next process if the first one has ended', async () => {
    const before = await answering()
    await choose()
    await until(
      'a move that fails',
      async () => (await operate('GET')).body,
      ({ moveError }) => moveError !== null,
    )
    expect((await best()).limitations).toEqual(['embedding_fallback'])
    await service.close()
    refuses = false
    // Simulates that the 30 s wait after a failed move has passed.
    await database.db.updateTable('reembeddings').set({ lease_expires_at: null }).execute()
    service = await start()
    expect(await answering()).toBe(before)
    expect(await untilChanged()).toMatchObject({
      model: 'openai:picky:3',
      change: { status: 'succeeded' },
      movingOrganizations: 0,
    })
    expect(await answering()).toBe('openai:picky:3')
  })
})

describe('with a model set in the environment', () => {
  it.each([
    [{ EMBEDDING_PROVIDER: 'builtin' }, /EMBEDDING_PROVIDER is set/],
    [{ DATABASE_URL: 'postgres://database.example/memory' }, /With DATABASE_URL/],
  ])('%o, refuses a choice and says what to set instead', async (environment, words) => {
    await restart(environment)
    const answer = await operate('PUT', {
      provider: 'openai',
      model: 'm',
      baseUrl: server.baseUrl,
      apiKey: KEY,
    })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ code: 'embedding_model_fixed', error: expect.stringMatching(words) })
    expect(answer.body.error).toContain(`EMBEDDING_BASE_URL=${server.baseUrl} EMBEDDING_MODEL=m`)
    expect(answer.text).not.toContain(KEY)
    await restart()
  })

  it('ignores an earlier choice and logs that', async () => {
    await use({ provider: 'openai', model: 'm', baseUrl: server.baseUrl, apiKey: KEY })
    const lines: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
    const settings = readSettings({ DATA_DIR: dataDir, ENCRYPTION_KEY, EMBEDDING_PROVIDER: 'builtin' })
    expect(await readChoice(settings, logger)).toBeNull()
    expect(lines.join('')).toMatch(/EMBEDDING_PROVIDER is set and takes precedence.*/)
    const other = readSettings({ DATA_DIR: dataDir, ENCRYPTION_KEY: randomBytes(32).toString('base64') })
    await expect(readChoice(other, logger)).rejects.toThrow(/Remove it to start with the built-in/)
  })
})
