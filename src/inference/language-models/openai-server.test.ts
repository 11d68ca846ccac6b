import { describe, expect, it } from 'vitest'
import { createLanguageModel } from './create-language-model.ts'

const PROMPT = { instructions: 'Be brief.', prompt: 'Who?', maxOutputTokens: 77 }
const UNKNOWN_PARAMETER =
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

function chunk(content: string, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}`
}

/** A model whose server answers each request body with the returned response. */
function modelOf(answer: (body: Record<string, unknown>) => Response, baseUrl?: string) {
  const bodies: Record<string, unknown>[] = []
  const settings = { provider: 'openai', apiKey: 'k', model: 'm', baseUrl } as const
  const model = createLanguageModel(settings, {
    retriesMax: 0,
    fetch: async (_url, init) => {
      const body: Record<string, unknown> = JSON.parse(String(init?.body))
      bodies.push(body)
      return answer(body)
    },
  })
  if (!model) throw new Error('no model')
  const write = async (): Promise<string> =>
    (await Array.fromAsync(model.stream(PROMPT, new AbortController().signal))).join('')
  return { bodies, write }
}

function streamOf(pieces: readonly string[]): Response {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
  return new Response(ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()), { headers })
}

describe('the token limit', () => {
  const answer = (body: Record<string, unknown>): Response =>
    'max_tokens' in body
      ? Response.json(
          { error: { message: UNKNOWN_PARAMETER, code: 'unsupported_parameter' } },
          { status: 400 },
        )
      : streamOf([`${chunk('Yes', 'stop')}\n\n`])

  it.each([undefined, 'https://api.openai.com/v1/'])(
    'has the name that reasoning models accept at OpenAI: %s',
    async (baseUrl) => {
      const { bodies, write } = modelOf(answer, baseUrl)
      expect(await write()).toBe('Yes')
      expect(bodies).toMatchObject([{ max_completion_tokens: 77 }])
    },
  )

  it('has it at another server once that server has asked for it', async () => {
    const { bodies, write } = modelOf(answer, 'https://models.example/v1')
    expect([await write(), await write()]).toEqual(['Yes', 'Yes'])
    expect(bodies.map((body) => 'max_tokens' in body)).toEqual([true, false, false])
    expect(bodies[1]).toMatchObject({ max_completion_tokens: 77, model: 'm' })
  })

  it('keeps its name after any other refusal', async () => {
    const { bodies, write } = modelOf(
      () => Response.json({ error: { code: 'x' } }, { status: 400 }),
      'https://m.example/v1',
    )
    await expect(write()).rejects.toThrow('refused the request')
    expect(bodies).toHaveLength(1)
  })
})

describe('events without choices', () => {
  it.each(['\n', '\r\n', '\r'])('do not break an answer off: %j', async (end) => {
    const events = [
      ': keep-alive',
      'data: {"type":"ping"}',
      chunk('Ye'),
      'data:{"usage":{"prompt_tokens":1},"choices":null}',
      chunk('s'),
      chunk('', 'stop'),
      'data: {"usage":{"prompt_tokens":1}}',
      'data: [DONE]',
    ]
    const text = events.map((event) => event + end + end).join('')
    for (const pieces of [[text], [...text]])
      expect(await modelOf(() => streamOf(pieces), 'https://models.example/v1').write()).toBe('Yes')
  })

  it('break it off if they report an error', async () => {
    const pieces = [`${chunk('Ye')}\n\n`, 'data: {"error":{"code":503}}\n\n', `${chunk('s', 'stop')}\n\n`]
    await expect(modelOf(() => streamOf(pieces)).write()).rejects.toThrow('could not be reached or failed')
  })

  it('do not delay other events', async () => {
    let next = (): void => undefined
    const later = new Promise<void>((resolve) => (next = resolve))
    async function* pieces(): AsyncGenerator<string> {
      yield `${chunk('Ye')}\n\n`
      await later
      yield `${chunk('s', 'stop')}\n\n`
    }
    const body = ReadableStream.from(pieces()).pipeThrough(new TextEncoderStream())
    const settings = { provider: 'openai', model: 'm' } as const
    const model = createLanguageModel(settings, {
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    })
    const written: string[] = []
    for await (const text of model?.stream(PROMPT, new AbortController().signal) ?? []) {
      written.push(text)
      next()
    }
    expect(written).toEqual(['Ye', 's'])
  })
})
