import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Writable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { embeddingSettings } from '../../src/assembly/model-settings.ts'
import { createEmbeddingModel } from '../../src/inference/embedding-models/create-embedding-model.ts'
import { createLogger } from '../../src/process/logger.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type OpenAiEmulator, startOpenAiEmulator } from '../support/openai-emulator.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

const FIRST_KEY = 'first-server-key-0123456789'
const SECOND_KEY = 'second-server-key-0123456789'
const newKey = () => randomBytes(32).toString('base64')

let database: TestDatabase
let first: OpenAiEmulator
let second: OpenAiEmulator
let lines: string[]
const open: TestService[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  first = await startOpenAiEmulator({ apiKey: FIRST_KEY, dimensions: 64 })
  second = await startOpenAiEmulator({ apiKey: SECOND_KEY, dimensions: 48 })
  lines = []
})
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
  await Promise.all([first.close().catch(() => {}), second.close().catch(() => {})])
  await database.close()
})

/** Starts the service with a model on the test's database and stops the previous one. */
async function start(environment: Record<string, string>): Promise<TestService> {
  for (const service of open.splice(0)) await service.close()
  const logged = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const settings = embeddingSettings(readSettings(environment))
  const service = await startTestService({
    database,
    environment,
    embeddingModel: await createEmbeddingModel(settings),
    logger: createLogger('debug', logged),
  })
  open.push(service)
  return service
}

const firstModel = (key?: string): Record<string, string> => ({
  EMBEDDING_PROVIDER: 'openai',
  EMBEDDING_BASE_URL: first.baseUrl,
  EMBEDDING_API_KEY: FIRST_KEY,
  EMBEDDING_MODEL: 'first',
  ...(key === undefined ? {} : { ENCRYPTION_KEY: key }),
})

const secondModel = (key?: string): Record<string, string> => ({
  ...firstModel(key),
  EMBEDDING_BASE_URL: second.baseUrl,
  EMBEDDING_API_KEY: SECOND_KEY,
  EMBEDDING_MODEL: 'second',
})

const document = (organization: TestOrganization, externalId: string, body: string) => ({
  connectorId: organization.sources.notion,
  provider: 'notion',
  sourceKind: 'document',
  externalId,
  title: externalId,
  body,
})

async function ingest(
  service: TestService,
  organization: TestOrganization,
  ...bodies: string[]
): Promise<void> {
  const documents = bodies.map((body) => document(organization, body.slice(0, 30), body))
  const answer = await service.call('POST', '/v1/ingest', { key: organization.adminKey, body: { documents } })
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
}

const search = (service: TestService, organization: TestOrganization, query: string) =>
  service.call('POST', '/v1/search', { key: organization.adminKey, body: { query, limit: 3 } })

async function contents(
  service: TestService,
  organization: TestOrganization,
  query: string,
): Promise<string[]> {
  const answer = await search(service, organization, query)
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)])
  return answer.body.hits.map((hit: { content: string }) => hit.content)
}

const move = (service: TestService, organization: TestOrganization, method = 'POST') =>
  service.call(method, '/v1/maintenance/reembed', { key: organization.adminKey })

/** Searches until the move ends; returns the number of searches. */
async function searchWhileMoving(service: TestService, organization: TestOrganization): Promise<number> {
  for (let searches = 1; ; searches++) {
    expect(await contents(service, organization, 'harbour crane')).toContain('The harbour has a crane.')
    if ((await move(service, organization, 'GET')).body.status === 'succeeded') return searches
    await sleep(20)
  }
}

const keptRows = () =>
  database.db
    .selectFrom('embedding_models')
    .select(['name', 'settings', 'ciphertext'])
    .orderBy('name')
    .execute()

describe('with another embedding model in the settings', () => {
  it('the former model answers until the chunks have moved, and is then deleted', async () => {
    const key = newKey()
    let service = await start(firstModel(key))
    const organization = await service.organization()
    const many = Array.from({ length: 60 }, (_, n) => `Some words about number ${n}.`)
    await ingest(service, organization, 'The harbour has a crane.', ...many)

    service = await start(secondModel(key))
    expect(await contents(service, organization, 'harbour crane')).toContain('The harbour has a crane.')
    await ingest(service, organization, 'A lighthouse stands before the move.')
    expect(await contents(service, organization, 'lighthouse stands')).toContain(
      'A lighthouse stands before the move.',
    )
    expect((await move(service, organization)).body).toMatchObject({
      model: 'openai:second:48',
      answeringModel: 'openai:first:64',
    })
    await ingest(service, organization, 'A ferry sails during the move.')
    await searchWhileMoving(service, organization)
    expect(await contents(service, organization, 'ferry sails')).toContain('A ferry sails during the move.')
    expect(await contents(service, organization, 'lighthouse stands')).toContain(
      'A lighthouse stands before the move.',
    )
    const vectors = await database.db
      .selectFrom('chunk_embeddings')
      .innerJoin('embedding_models', 'embedding_models.id', 'chunk_embeddings.embedding_model_id')
      .select('name')
      .distinct()
      .execute()
    expect(vectors).toEqual([{ name: 'openai:second:48' }])
    const rows = await keptRows()
    expect(rows.find(({ name }) => name === 'openai:first:64')).toMatchObject({
      settings: null,
      ciphertext: null,
    })
    expect(rows.find(({ name }) => name === 'openai:second:48')?.settings).toMatchObject({ model: 'second' })
  })

  it('or only other dimensions of the same model, and without an encryption key', async () => {
    const url = { DATABASE_URL: 'postgres://database.example/memory' }
    let service = await start({ ...firstModel(), ...url, EMBEDDING_DIMENSIONS: '64' })
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    service = await start({ ...firstModel(), ...url, EMBEDDING_DIMENSIONS: '32' })
    expect(await contents(service, organization, 'harbour crane')).toEqual(['The harbour has a crane.'])
    await move(service, organization)
    await searchWhileMoving(service, organization)
    expect((await move(service, organization, 'GET')).body.answeringModel).toBe('openai:first:32')
  })

  it('the built-in model works as one of them', async () => {
    const key = newKey()
    let service = await start(firstModel(key))
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    service = await start({ ENCRYPTION_KEY: key })
    expect(await contents(service, organization, 'harbour crane')).toEqual(['The harbour has a crane.'])
    await move(service, organization)
    await searchWhileMoving(service, organization)
    service = await start(secondModel(key))
    expect(await contents(service, organization, 'harbour crane')).toEqual(['The harbour has a crane.'])
  })

  it('an unreachable former server is reported plainly, and the move continues without it', async () => {
    const key = newKey()
    let service = await start(firstModel(key))
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    await first.close()
    service = await start(secondModel(key))
    const answer = await search(service, organization, 'harbour crane')
    expect(answer.status).toBe(502)
    expect(answer.body).toMatchObject({
      code: 'upstream_error',
      error: expect.stringMatching(
        /former embedding model "openai:first:64".*POST \/v1\/maintenance\/reembed/,
      ),
    })
    await move(service, organization)
    await expect
      .poll(async () => (await move(service, organization, 'GET')).body.status, { timeout: 20_000 })
      .toBe('succeeded')
    expect(await contents(service, organization, 'harbour crane')).toEqual(['The harbour has a crane.'])
  })
})

describe('the API key of a former model', () => {
  it('is stored encrypted, and is in no answer and no log', async () => {
    const key = newKey()
    let service = await start(firstModel(key))
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    service = await start(secondModel(key))
    await contents(service, organization, 'harbour crane')
    const rows = await keptRows()
    expect(rows.every(({ ciphertext }) => ciphertext !== null)).toBe(true)
    const stored = JSON.stringify(
      rows.map(({ settings, ciphertext }) => [settings, ciphertext?.toString('latin1')]),
    )
    const status = await move(service, organization, 'GET')
    for (const secret of [FIRST_KEY, SECOND_KEY]) {
      expect(stored).not.toContain(secret)
      expect(lines.join('')).not.toContain(secret)
      expect(status.text).not.toContain(secret)
    }
  })

  it('is re-encrypted with a new key, so that the old one can be removed', async () => {
    const [old, fresh] = [newKey(), newKey()]
    let service = await start(firstModel(old))
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    service = await start(secondModel(`${fresh},${old}`))
    service = await start(secondModel(fresh))
    expect(await contents(service, organization, 'harbour crane')).toEqual(['The harbour has a crane.'])
  })

  it('that no key decrypts is reported with a remedy, at start and to callers', async () => {
    let service = await start(firstModel(newKey()))
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    service = await start(secondModel(newKey()))
    expect(lines.join('')).toMatch(/ENCRYPTION_KEY: the API keys kept.*openai:first:64/)
    const answer = await search(service, organization, 'harbour crane')
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({
      code: 'embedding_model_mismatch',
      error: expect.stringMatching(/openai:first:64.*ENCRYPTION_KEY.*POST \/v1\/maintenance\/reembed/),
    })
  })

  it('is not stored without an encryption key, and requests that need it report this', async () => {
    const url = { DATABASE_URL: 'postgres://database.example/memory' }
    let service = await start({ ...firstModel(), ...url })
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    expect((await keptRows()).map(({ ciphertext }) => ciphertext)).toEqual([null])
    service = await start({ ...secondModel(), ...url })
    const answer = await search(service, organization, 'harbour crane')
    expect(answer.status).toBe(409)
    expect(answer.body.error).toMatch(/was not stored, because there was no ENCRYPTION_KEY/)
  })

  it('is not sent to another server', async () => {
    const key = newKey()
    let service = await start(firstModel(key))
    const organization = await service.organization()
    await ingest(service, organization, 'The harbour has a crane.')
    service = await start(secondModel(key))
    await contents(service, organization, 'harbour crane')
    const sent = (server: OpenAiEmulator) =>
      new Set(server.requests.map(({ headers }) => headers.authorization))
    expect(sent(first)).toEqual(new Set([`Bearer ${FIRST_KEY}`]))
    expect(sent(second)).toEqual(new Set([`Bearer ${SECOND_KEY}`]))
  })
})
