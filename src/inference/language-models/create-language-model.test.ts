import { afterEach, describe, expect, it } from 'vitest'
import { startAnthropicEmulator } from '../../../test/support/anthropic-emulator.ts'
import { startGeminiEmulator } from '../../../test/support/gemini-emulator.ts'
import type { ModelServer } from '../../../test/support/model-server.ts'
import { startOpenAiEmulator } from '../../../test/support/openai-emulator.ts'
import { until } from '../../../test/support/until.ts'
import { AppError } from '../../kernel/errors.ts'
import type { LanguageModel } from '../language-model.ts'
import { ProviderFailure } from '../provider-failure.ts'
import { createLanguageModel } from './create-language-model.ts'

const KEY = 'key-that-must-not-leak'
const PROMPT = { instructions: 'Be brief.', prompt: 'SECRET DOCUMENT: who?', maxOutputTokens: 77 }
/** Each provider's words for an answer that it stopped. */
const STOPPED = {
  openai: ['content_filter'],
  anthropic: ['refusal'],
  google: ['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'OTHER'],
} as const
const servers: ModelServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function start(provider: 'openai' | 'anthropic' | 'google') {
  const starts = {
    openai: startOpenAiEmulator,
    anthropic: startAnthropicEmulator,
    google: startGeminiEmulator,
  }
  const server = await starts[provider]()
  servers.push(server)
  const settings = { provider, baseUrl: server.baseUrl, apiKey: KEY, model: 'm-1' }
  const model = createLanguageModel(settings, { retriesMax: 0 })
  if (!model) throw new Error('no model')
  return { server, model, settings }
}

async function collect(model: LanguageModel, signal = new AbortController().signal) {
  const pieces: string[] = []
  try {
    for await (const piece of model.stream(PROMPT, signal)) pieces.push(piece)
    return { pieces, error: undefined }
  } catch (error) {
    return { pieces, error }
  }
}

function causeOf(error: unknown): ProviderFailure {
  if (!(error instanceof AppError) || !(error.cause instanceof ProviderFailure)) throw error
  expect(error.code).toBe('upstream_error')
  return error.cause
}

describe.each(['openai', 'anthropic', 'google'] as const)('a model with the %s protocol', (provider) => {
  it('streams the answer, and gets instructions, prompt, limit and key', async () => {
    const { server, model } = await start(provider)
    const { pieces, error } = await collect(model)
    expect(error).toBeUndefined()
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('')).toBe('The answer is in the first document [1].')
    expect(model.id).toBe(`${provider}:m-1`)
    const sent = JSON.stringify(server.requests[0]?.body)
    for (const expected of ['Be brief.', 'SECRET DOCUMENT: who?', '77']) expect(sent).toContain(expected)
    expect(JSON.stringify(server.requests[0]?.headers)).toContain(KEY)
  })

  it('reports that the token limit ended the answer', async () => {
    const { server, model } = await start(provider)
    const reports: boolean[] = []
    for (const isCut of [true, false]) {
      if (isCut) server.fail({ kind: 'token-limit' })
      let reported = false
      const prompt = { ...PROMPT, onTokenLimit: () => void (reported = true) }
      await Array.fromAsync(model.stream(prompt, new AbortController().signal))
      reports.push(reported)
    }
    expect(reports).toEqual([true, false])
  })

  it.each([
    [{ kind: 'cut', afterDeltas: 2 } as const],
    [{ kind: 'unfinished', afterDeltas: 2 } as const],
    [{ kind: 'error-event', afterDeltas: 2, message: 'overloaded just now' } as const],
  ])('throws when the stream breaks, after the received parts: %o', async (fault) => {
    const { server, model } = await start(provider)
    server.fail(fault)
    const { pieces, error } = await collect(model)
    expect(pieces.join('')).toBe('The answer')
    const cause = causeOf(error)
    expect(cause.kind).toBe('unavailable')
    expect(cause.message).not.toBe('')
    expect(cause.message).not.toContain('overloaded just now')
  })

  it.each(STOPPED[provider])('throws when the provider stops the answer (%s)', async (reason) => {
    const { server, model } = await start(provider)
    for (const afterDeltas of [0, 2]) {
      server.fail({ kind: 'finish', afterDeltas, reason })
      const { pieces, error } = await collect(model)
      expect(pieces).toHaveLength(afterDeltas)
      expect(causeOf(error)).toMatchObject({ kind: 'rejected', message: `code ${reason}` })
    }
  })

  it.each([
    [429, 'rate_limited'],
    [401, 'auth'],
    [500, 'unavailable'],
    [400, 'rejected'],
  ])(
    'throws on status %i with what identifies the answer, but neither its words, the key nor the prompt',
    async (status, kind) => {
      const { server, model } = await start(provider)
      const message = `on demand, with ${KEY}: SECRET DOCUMENT`
      const body = { error: { type: 'some_error', code: status, status: 'X', message }, type: 'error' }
      server.fail({ kind: 'status', status, body })
      const { error } = await collect(model)
      const cause = causeOf(error)
      expect(cause).toMatchObject({ kind, status })
      expect(cause.message).toMatch(new RegExp(`^HTTP ${status}: code (?:${status}|some_error|X)`))
      expect(cause.message).not.toContain('on demand')
      const everything = JSON.stringify([error, cause, Object.getOwnPropertyNames(cause), cause.stack])
      expect(everything).not.toContain(KEY)
      expect(everything).not.toContain('SECRET DOCUMENT')
    },
  )

  it('throws on an answer of another protocol', async () => {
    const { server, model } = await start(provider)
    server.fail({ kind: 'malformed-json' })
    expect(causeOf((await collect(model)).error)).toBeInstanceOf(ProviderFailure)
  })

  it('stops with the reason of the signal, before and during the answer', async () => {
    const { server, model } = await start(provider)
    server.fail({ kind: 'stall', afterDeltas: 1 })
    const controller = new AbortController()
    const during = async (): Promise<void> => {
      for await (const piece of model.stream(PROMPT, controller.signal)) {
        expect(piece).toBe('The')
        controller.abort(new Error('client left'))
      }
    }
    await expect(during()).rejects.toThrow('client left')
    const before = await collect(model, AbortSignal.abort(new Error('never mind')))
    expect(before).toEqual({ pieces: [], error: new Error('never mind') })
    expect(server.requests).toHaveLength(1)
  })
})

it("Gemini's error code is found in the list that its OpenAI-compatible API answers", async () => {
  const { server, model } = await start('openai')
  server.fail({ kind: 'status', status: 429, body: [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }] })
  expect(causeOf((await collect(model)).error).message).toBe('HTTP 429: code 429')
})

it('thoughts before the answer are no part of it', async () => {
  const { baseUrl, close } = await startOpenAiEmulator({
    reply: () => '<think>\nHm [2].\n</think>\n\nYes [1].',
  })
  const model = createLanguageModel({ provider: 'openai', baseUrl })
  if (!model) throw new Error('no model')
  const { pieces, error } = await collect(model)
  await close()
  expect(error).toBeUndefined()
  expect(pieces.join('').trim()).toBe('Yes [1].')
})

it('an empty finish reason is none', async () => {
  const { server, model } = await start('openai')
  server.fail({ kind: 'finish', afterDeltas: 2, reason: '' })
  expect(causeOf((await collect(model)).error).kind).toBe('unavailable')
})

it('a call that could not start is retried up to the limit', async () => {
  const { server, settings } = await start('openai')
  server.fail({ kind: 'status', status: 429, headers: { 'retry-after-ms': '1' } })
  const model = createLanguageModel(settings, { retriesMax: 1 })
  if (!model) throw new Error('no model')
  expect((await collect(model)).pieces.join('')).toContain('[1]')
  expect(server.requests).toHaveLength(2)
})

it.each([
  ['after a short delay', { 'retry-after': '0' }, 2],
  ['at once if the server asks for a long delay', { 'retry-after': '30' }, 1],
  ['at once until a date', { 'retry-after': new Date(Date.now() + 40_000).toUTCString() }, 1],
  ['at once if milliseconds are long', { 'retry-after-ms': '30000' }, 1],
])('a call that is refused for its rate is given up %s', async (_title, headers, requests) => {
  const { server, settings } = await start('openai')
  const refusal = { kind: 'status', status: 429, headers } as const
  server.fail(refusal, refusal)
  const model = createLanguageModel(settings, { retriesMax: 1 })
  if (!model) throw new Error('no model')
  expect(causeOf((await collect(model, AbortSignal.timeout(20_000))).error)).toMatchObject({
    kind: 'rate_limited',
  })
  expect(server.requests).toHaveLength(requests)
})

it('a delay before a retry ends with the reason of the signal', async () => {
  const { server, settings } = await start('openai')
  server.fail({ kind: 'status', status: 429, headers: { 'retry-after': '4' } })
  const model = createLanguageModel(settings, { retriesMax: 1 })
  if (!model) throw new Error('no model')
  const controller = new AbortController()
  const collected = collect(model, controller.signal)
  await until(
    'the first request',
    () => server.requests.length,
    (count) => count === 1,
  )
  controller.abort(new Error('client left'))
  expect((await collected).error).toEqual(new Error('client left'))
})

it('OpenAI itself gets the token limit under the name that its reasoning models accept', async () => {
  const bodies: string[] = []
  const settings = { provider: 'openai', apiKey: KEY, model: 'gpt-x' } as const
  const model = createLanguageModel(settings, {
    retriesMax: 0,
    fetch: async (_url, init) => {
      bodies.push(String(init?.body))
      return new Response('{}', { status: 400 })
    },
  })
  if (!model) throw new Error('no model')
  await collect(model)
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ max_completion_tokens: 77 })
  expect(bodies[0]).not.toContain('max_tokens')
})

it.each([
  ['gemini-2.5-flash', { thinkingBudget: 0 }],
  ['gemini-2.5-pro', { thinkingBudget: 128 }],
  ['gemini-3-pro-preview', { thinkingLevel: 'low' }],
  ['gemini-2.0-flash', undefined],
])(
  '%s thinks as little as it can, because thoughts use up the tokens of the answer',
  async (name, thinking) => {
    const { server, settings } = await start('google')
    const model = createLanguageModel({ ...settings, model: name })
    if (!model) throw new Error('no model')
    expect((await collect(model)).error).toBeUndefined()
    expect(server.requests[0]?.body['generationConfig']).toEqual({
      maxOutputTokens: 77,
      ...(thinking && { thinkingConfig: thinking }),
    })
  },
)

it('no provider means no model', () => {
  expect(createLanguageModel({})).toBeNull()
})
