import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLanguageModel } from '../../src/inference/language-models/create-language-model.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type OpenAiEmulator, startOpenAiEmulator } from '../support/openai-emulator.ts'
import { signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestService } from '../support/service.ts'

const KEY = 'sk-secret-of-the-server-0123456789'

let issuer: TestIssuer
let llm: OpenAiEmulator
let service: TestService
let admin: string
let member: string

beforeAll(async () => {
  issuer = await startIssuer()
  llm = await startOpenAiEmulator({ apiKey: KEY })
  service = await startTestService({
    environment: {
      ...issuer.environment,
      LLM_PROVIDER: 'openai',
      LLM_MODEL: 'small',
      LLM_BASE_URL: llm.baseUrl,
      LLM_API_KEY: KEY,
      EMBEDDING_PROVIDER: 'builtin',
    },
    languageModel: createLanguageModel(
      { provider: 'openai', baseUrl: llm.baseUrl, apiKey: KEY, model: 'small' },
      { retriesMax: 0 },
    ),
  })
  const { id: organizationId } = await service.organization()
  admin = (await signIn(service, issuer, 'ada', { organizationId, role: 'admin' })).token
  member = (await signIn(service, issuer, 'bob', { organizationId, role: 'member' })).token
})
afterAll(async () => {
  await service.close()
  await llm.close()
  await issuer.close()
})

const test = (kind: string, key = admin): Promise<Answer> =>
  service.call('POST', '/v1/console/models/test', { key, body: { kind } })

describe('/v1/console/models', () => {
  it('shows an admin the models and their variables, without addresses and secrets [CON-30]', async () => {
    const { status, body, text } = await service.call('GET', '/v1/console/models', { key: admin })
    expect(status).toBe(200)
    expect(body.language).toEqual({
      model: 'openai:small',
      setBy: 'environment',
      variables: [
        { name: 'LLM_PROVIDER', value: 'openai' },
        { name: 'LLM_MODEL', value: 'small' },
        { name: 'LLM_BASE_URL', value: null },
        { name: 'LLM_API_KEY', value: null },
      ],
    })
    expect(body.embedding).toMatchObject({
      setBy: 'environment',
      variables: [{ name: 'EMBEDDING_PROVIDER', value: 'builtin' }],
    })
    expect(text).not.toContain(KEY)
    expect(text).not.toContain(llm.baseUrl)
  })

  it('calls a model once and reports how long it took [CON-30]', async () => {
    const before = llm.requests.length
    const { status, body } = await test('language')
    expect(status).toBe(200)
    expect(body.test).toMatchObject({ ok: true, problem: null, detail: null })
    expect(body.test.milliseconds).toBeGreaterThanOrEqual(0)
    expect(llm.requests.length).toBe(before + 1)
    expect((await test('embedding')).body.test).toMatchObject({ ok: true })
  })

  it("says what failed and what to do, without the server's message [CON-30]", async () => {
    llm.fail({
      kind: 'status',
      status: 401,
      body: { error: { message: `Wrong key ${KEY}`, code: 'invalid_api_key' } },
    })
    const { status, body, text } = await test('language')
    expect(status).toBe(200)
    expect(body.test).toMatchObject({
      ok: false,
      problem:
        'The language model server rejected the API key. Set LLM_API_KEY to a valid key and restart the service.',
      detail: 'HTTP 401: code invalid_api_key',
    })
    expect(text).not.toContain(KEY)
  })

  it('is closed to members, and refuses an unknown kind [CON-30]', async () => {
    expect((await service.call('GET', '/v1/console/models', { key: member })).status).toBe(403)
    expect((await test('language', member)).status).toBe(403)
    expect((await test('vision')).status).toBe(400)
  })
})
