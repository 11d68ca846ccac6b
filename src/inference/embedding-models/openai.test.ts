import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type OpenAiEmulator, startOpenAiEmulator } from '../../../test/support/openai-emulator.ts'
import { AppError } from '../../kernel/errors.ts'
import { ProviderFailure } from '../provider-failure.ts'
import { createEmbeddingModel } from './create-embedding-model.ts'
import { createOpenAiEmbeddingModel, type OpenAiEmbeddingOptions } from './openai.ts'

const KEY = 'key-that-must-not-leak'
let server: OpenAiEmulator
let pauses: number[]

beforeEach(async () => {
  server = await startOpenAiEmulator({ apiKey: KEY })
  pauses = []
})
afterEach(() => server.close())

const sleep = async (ms: number): Promise<void> => void pauses.push(ms)

function create(
  options: OpenAiEmbeddingOptions = {},
  settings: { dimensions?: number; apiKey?: string } = {},
  { baseUrl }: OpenAiEmulator = server,
) {
  return createOpenAiEmbeddingModel(
    { baseUrl, apiKey: KEY, model: 'embed-1', dimensions: 64, ...settings },
    { sleep, random: () => 1, ...options },
  )
}

async function failureOf(act: Promise<unknown>): Promise<{ error: AppError; cause: ProviderFailure }> {
  const error: unknown = await act.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof AppError) || !(error.cause instanceof ProviderFailure)) throw error
  return { error, cause: error.cause }
}

const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)

describe('the vectors', () => {
  it('are unit length, in input order, with the title in front', async () => {
    const model = await create({ batchSize: 2 })
    const documents = ['alpha', 'bravo', 'charlie', 'delta', 'echo'].map((text) => ({ title: 'Words', text }))
    const vectors = await model.embedDocuments(documents)
    expect(vectors.map((vector) => Math.hypot(...vector).toFixed(5))).toEqual(Array(5).fill('1.00000'))
    for (const [index, { text }] of documents.entries()) {
      const query = await model.embedQuery(`Words ${text}`)
      const scores = vectors.map((vector) => dot(query, vector))
      expect(scores.indexOf(Math.max(...scores))).toBe(index)
    }
    expect(server.requests[0]?.body).toMatchObject({
      model: 'embed-1',
      input: ['Words\n\nalpha', 'Words\n\nbravo'],
    })
  })

  it('are requested in batches, within the concurrency limit over all callers', async () => {
    const model = await create({ batchSize: 3, concurrency: 2 })
    server.fail(...Array.from({ length: 8 }, () => ({ kind: 'slow', ms: 15 }) as const))
    const documents = Array.from({ length: 10 }, (_, i) => ({ title: '', text: `text ${i}` }))
    await Promise.all([model.embedDocuments(documents), model.embedDocuments(documents)])
    const sizes = server.requests.map(({ body }) => (Array.isArray(body['input']) ? body['input'].length : 0))
    expect(sizes.toSorted()).toEqual([1, 1, 3, 3, 3, 3, 3, 3])
    expect(server.concurrencyMax()).toBe(2)
  })

  it('get the query unchanged', async () => {
    const model = await create()
    await model.embedQuery('  What is\tthis? ')
    expect(server.requests.at(-1)?.body['input']).toEqual(['  What is\tthis? '])
  })
})

describe('a server that takes fewer inputs at once', () => {
  const documents = Array.from({ length: 40 }, (_, i) => ({ title: '', text: `text ${i}` }))
  const inputsSent = (from: OpenAiEmulator): number[] =>
    from.requests.map(({ body }) => (Array.isArray(body['input']) ? body['input'].length : 0))

  it('gets smaller batches once it has refused one, without another error', async () => {
    const small = await startOpenAiEmulator({ apiKey: KEY, inputsMax: 8 })
    const model = await create({ batchSize: 20, concurrency: 1 }, {}, small)
    const vectors = await model.embedDocuments(documents)
    expect(dot(vectors[39] ?? new Float32Array(), await model.embedQuery('text 39'))).toBeCloseTo(1)
    const before = small.requests.length
    await model.embedDocuments(documents)
    expect(inputsSent(small).slice(before)).toEqual(Array(8).fill(5))
    await small.close()
  })

  it('is distinguished from a server that rejects a long text, which gets its beginning and keeps its large batches', async () => {
    const strict = await startOpenAiEmulator({ apiKey: KEY, charactersMax: 500 })
    const model = await create({ batchSize: 20, concurrency: 1 }, {}, strict)
    const long = { title: '', text: `alpha ${'🦜'.repeat(300)}` }
    const vectors = await model.embedDocuments([...documents.slice(0, 19), long])
    expect(dot(vectors[19] ?? new Float32Array(), await model.embedQuery('alpha'))).toBeCloseTo(1)
    expect(strict.requests.length).toBeLessThan(15)
    for (const { body } of strict.requests) expect(JSON.stringify(body)).not.toMatch(/\\ud/)
    strict.requests.splice(0)
    await model.embedDocuments(documents.slice(20))
    expect(inputsSent(strict)).toEqual([20])
    await strict.close()
  })

  it('fails after few requests if it refuses everything', async () => {
    const strict = await startOpenAiEmulator({ apiKey: KEY, charactersMax: 0 })
    const model = await create({ batchSize: 20, concurrency: 1 }, {}, strict)
    const long = { title: '', text: 'word '.repeat(800) }
    expect((await failureOf(model.embedDocuments([long, ...documents]))).cause.status).toBe(400)
    expect(strict.requests.length).toBeLessThan(16)
    await strict.close()
  })
})

it('embeddings without an index are in input order', async () => {
  const gemini = await startOpenAiEmulator({ apiKey: KEY, omitsIndexZero: true })
  const model = await create({}, {}, gemini)
  const texts = ['alpha', 'bravo', 'charlie'].map((text) => ({ title: '', text }))
  const [first] = await model.embedDocuments(texts)
  expect(dot(first ?? new Float32Array(), await model.embedQuery('alpha'))).toBeCloseTo(1)
  await gemini.close()
})

describe('the dimensions', () => {
  it('are requested if set, and are part of the id', async () => {
    const model = await create({}, { dimensions: 24 })
    expect(model).toMatchObject({ dimensions: 24, id: 'openai:embed-1:24' })
    expect(server.requests).toHaveLength(0)
    expect(await model.embedQuery('x')).toHaveLength(24)
    expect(server.requests[0]?.body['dimensions']).toBe(24)
  })

  it('are found with one request if not set, and then never sent', async () => {
    const model = await createEmbeddingModel({
      provider: 'openai',
      baseUrl: `${server.baseUrl}/`,
      apiKey: KEY,
      model: 'e',
    })
    expect(model.dimensions).toBe(64)
    expect(server.requests).toHaveLength(1)
    expect(server.requests[0]?.path).toBe('/v1/embeddings')
    expect(server.requests[0]?.body).not.toHaveProperty('dimensions')
  })

  it('fail the call if an answer has others', async () => {
    const model = await create()
    server.fail({ kind: 'wrong-dimensions' })
    const { error, cause } = await failureOf(model.embedQuery('x'))
    expect(error.code).toBe('upstream_error')
    expect(cause).toMatchObject({ kind: 'rejected', message: expect.stringContaining('63') })
  })
})

describe('a failing server', () => {
  it('is retried after the delay it requests, in seconds', async () => {
    const model = await create()
    server.fail({ kind: 'status', status: 429, headers: { 'retry-after': '7' } })
    expect(await model.embedQuery('x')).toHaveLength(64)
    expect(pauses).toEqual([7000])
  })

  it('is retried with exponential backoff, then fails with what identifies the answer', async () => {
    const model = await create({ attemptsMax: 4, retryDelayMs: 100 })
    const body = { error: { message: 'disk full of SECRET DOCUMENT', type: 'server_error' } }
    const headers = { 'x-request-id': 'req_1' }
    const fault = { kind: 'status', status: 500, body, headers } as const
    server.fail(fault, fault, fault, fault)
    const { error, cause } = await failureOf(model.embedQuery('x'))
    expect(pauses).toEqual([100, 200, 400])
    expect(error).toMatchObject({ code: 'upstream_error', status: 502 })
    const message = 'HTTP 500: code server_error, request req_1'
    expect(cause).toMatchObject({ kind: 'unavailable', status: 500, message })
  })

  it('is not retried if it requests a longer delay than allowed', async () => {
    const model = await create({ retryDelayMaxMs: 5000 })
    const later = new Date(Date.now() + 600_000).toUTCString()
    server.fail({ kind: 'status', status: 429, headers: { 'retry-after': later } })
    expect((await failureOf(model.embedQuery('x'))).cause.kind).toBe('rate_limited')
    expect(pauses).toEqual([])
  })

  it('is retried if it drops the connection or is too slow', async () => {
    const model = await create({ timeoutMs: 1_000 })
    server.fail({ kind: 'cut', afterDeltas: 0 }, { kind: 'slow', ms: 20_000 })
    expect(await model.embedQuery('x')).toHaveLength(64)
    expect(server.requests).toHaveLength(3)
  })

  it.each([
    [{ kind: 'malformed-json' } as const, 'not JSON'],
    [{ kind: 'missing-index' } as const, 'index 0'],
    [{ kind: 'status', status: 400, body: { error: 'too long' } } as const, 'HTTP 400'],
  ])('is not retried after an unusable answer: %o', async (fault, words) => {
    const model = await create()
    server.fail(fault)
    const { cause } = await failureOf(model.embedQuery('x'))
    expect(cause.kind).toBe('rejected')
    expect(cause.message).toContain(words)
    expect(server.requests).toHaveLength(1)
  })

  it('cannot get the key into the error by repeating it', async () => {
    const wrong = 'wrong-key-that-must-not-leak'
    const model = await create({}, { apiKey: wrong })
    const { error, cause } = await failureOf(model.embedQuery('x'))
    expect(cause.kind).toBe('auth')
    expect(cause.message).toMatch(/^HTTP 401/)
    expect(
      JSON.stringify([error.message, error.stack, error.details, cause.message, cause.stack]),
    ).not.toContain(wrong)
  })

  it('is cut off at the response limit', async () => {
    const model = await create({ responseBytesMax: 100 })
    expect((await failureOf(model.embedQuery('x'))).cause.message).toContain('over 100 bytes')
    expect(server.requests).toHaveLength(1)
  })

  it('aborts the other batches of the call', async () => {
    const model = await create({ batchSize: 1, concurrency: 1, attemptsMax: 1 })
    server.fail({ kind: 'status', status: 400 })
    const documents = Array.from({ length: 5 }, (_, i) => ({ title: '', text: `text ${i}` }))
    await failureOf(model.embedDocuments(documents))
    await model.embedQuery('after')
    expect(server.requests.map(({ body }) => body['input'])).toEqual([['text 0'], ['after']])
  })
})

it('a caller that aborts gets its own reason back', async () => {
  const model = await create()
  server.fail({ kind: 'slow', ms: 200 })
  const controller = new AbortController()
  const call = model.embedQuery('x', controller.signal)
  setTimeout(() => controller.abort(new Error('client left')), 20)
  await expect(call).rejects.toThrow('client left')
})
