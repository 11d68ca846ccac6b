import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { aHit } from '../../test/support/hits.ts'
import { type OpenAiEmulator, startOpenAiEmulator } from '../../test/support/openai-emulator.ts'
import { tokenize } from '../inference/embedding-models/builtin/tokenize.ts'
import { createLanguageModel } from '../inference/language-models/create-language-model.ts'
import type { LanguageModel } from '../inference/language-model.ts'
import { type AnswerEvent, createAnswers } from './answers.ts'
import type { Hit } from '../retrieval/index.ts'

const HITS = ['Heron launches on 4 May.', 'Plover launches in June.', 'Wren is done.'].map((content, at) =>
  aHit({
    sourceItemId: `item-${at + 1}`,
    title: `Plan ${at + 1}`,
    content,
    url: `https://x.example/${at + 1}`,
    score: 0.9 - at / 10,
    metadata: { hidden: true },
  }),
)
const QUERY = 'When does Heron launch?'
const SYNTHESIS = 'Heron launches on 4 May. [1]'

let server: OpenAiEmulator
let reply = ''
let failures: unknown[]

beforeAll(async () => {
  server = await startOpenAiEmulator({ reply: () => reply })
})
beforeEach(() => {
  failures = []
  reply = 'Heron starts in May [1, 2], so they say [7] .'
})
afterEach(() => void server.requests.splice(0))
afterAll(() => server.close())

interface Options {
  hits?: Hit[]
  isWeak?: boolean
  isApproximate?: boolean
  languageModel?: LanguageModel | null
  answerTimeoutMs?: number
}

function create({
  hits = HITS,
  isWeak = false,
  isApproximate = false,
  answerTimeoutMs = 60_000,
  ...options
}: Options = {}) {
  const settings = { provider: 'openai', baseUrl: server.baseUrl, apiKey: 'k', model: 'm' } as const
  const languageModel =
    options.languageModel === undefined
      ? createLanguageModel(settings, { retriesMax: 0 })
      : options.languageModel
  return createAnswers<{ query: string }>({
    retrieve: async () => ({ hits, isWeak, isApproximate }),
    languageModel,
    answerTimeoutMs,
    terms: { tokenize, backgroundWeight: () => 6, translationsOf: () => [], wordVector: () => null },
    onModelFailure: (error) => failures.push(error),
  })
}

async function events(options: Options = {}, signal?: AbortSignal): Promise<AnswerEvent[]> {
  return await Array.fromAsync(create(options).askStreaming({ query: QUERY }, signal))
}
const typesOf = (list: readonly AnswerEvent[]): string[] => [...new Set(list.map(({ type }) => type))]
const textOf = (list: readonly AnswerEvent[]): string =>
  list.map((event) => (event.type === 'delta' ? event.text : '')).join('')

describe('an answer', () => {
  it("is the model's, with valid markers, the citations in it and the context that the model saw", async () => {
    const answer = await create().ask({ query: QUERY })
    expect(answer).toEqual({
      question: QUERY,
      answer: 'Heron starts in May [1][2], so they say .',
      citations: [
        { index: 1, sourceItemId: 'item-1', title: 'Plan 1' },
        { index: 2, sourceItemId: 'item-2', title: 'Plan 2' },
      ],
      context: HITS.map(({ metadata: _metadata, syncedAt: _syncedAt, ...item }) => item),
      limitations: [],
    })
    const sent = JSON.stringify(server.requests[0]?.body)
    for (const { content } of HITS) expect(sent).toContain(content)
    expect(sent).not.toContain('item-1')
    expect(failures).toEqual([])
  })

  it('cites with the markers that some models write instead', async () => {
    reply = 'Heron starts in May【1】, so they say 【2†source】.'
    const answer = await create().ask({ query: QUERY })
    expect(answer).toMatchObject({
      answer: 'Heron starts in May[1], so they say [2].',
      citations: [{ index: 1 }, { index: 2 }],
      limitations: [],
    })
  })

  it('has a different delimiter for each question', async () => {
    const answers = create()
    await answers.ask({ query: QUERY })
    await answers.ask({ query: QUERY })
    const boundaries = server.requests.map(({ body }) => /<document-(\w+)/.exec(JSON.stringify(body))?.[1])
    expect(boundaries[0]).toMatch(/^[0-9a-f]{24}$/)
    expect(boundaries[0]).not.toBe(boundaries[1])
  })

  it('is a synthesis without a model', async () => {
    const answer = await create({ languageModel: null }).ask({ query: QUERY })
    expect(answer).toMatchObject({ answer: SYNTHESIS, citations: [{ index: 1 }] })
    expect(server.requests).toHaveLength(0)
  })

  it.each([
    { kind: 'status', status: 500 } as const,
    { kind: 'status', status: 401 } as const,
    { kind: 'malformed-json' } as const,
    { kind: 'cut', afterDeltas: 3 } as const,
    { kind: 'error-event', afterDeltas: 3, message: 'overloaded' } as const,
    { kind: 'finish', afterDeltas: 3, reason: 'content_filter' } as const,
    { kind: 'finish', afterDeltas: 0, reason: 'content_filter' } as const,
  ])('is a synthesis if the model fails, and reports the failure: %o', async (fault) => {
    server.fail(fault)
    expect((await create().ask({ query: QUERY })).answer).toBe(SYNTHESIS)
    expect(failures).toHaveLength(1)
  })

  it.each([
    ['that hangs', { kind: 'stall', afterDeltas: 2 } as const],
    ['that is too slow to begin', { kind: 'slow', ms: 1000 } as const],
  ])('is a synthesis if time runs out for a model %s', async (_title, fault) => {
    server.fail(fault)
    expect((await create({ answerTimeoutMs: 150 }).ask({ query: QUERY })).answer).toBe(SYNTHESIS)
    expect(String(failures[0])).toContain('timeout')
  })

  it('is a synthesis if time runs out even for a model that ignores the signal', async () => {
    const deaf: LanguageModel = {
      id: 'deaf',
      async *stream() {
        yield 'Her'
        await new Promise(() => undefined)
      },
    }
    const answer = await create({ languageModel: deaf, answerTimeoutMs: 50 }).ask({ query: QUERY })
    expect(answer.answer).toBe(SYNTHESIS)
  })

  it.each(['', '  \n ', '[9] [12]'])('is a synthesis if the model says nothing: %j', async (empty) => {
    reply = empty
    expect((await create().ask({ query: QUERY })).answer).toBe(SYNTHESIS)
    expect(textOf(await events())).toBe(SYNTHESIS)
  })

  it('without results uses the agreed words and calls no model', async () => {
    const expected = `I could not find company context for: ${QUERY}`
    const answer = await create({ hits: [] }).ask({ query: QUERY })
    expect(answer).toEqual({ question: QUERY, answer: expected, citations: [], context: [], limitations: [] })
    expect(textOf(await events({ hits: [] }))).toBe(expected)
    expect(server.requests).toHaveLength(0)
  })

  it("for a caller that has disconnected ends with the caller's reason, not with a synthesis", async () => {
    server.fail({ kind: 'stall', afterDeltas: 1 })
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('client left')), 100)
    await expect(create().ask({ query: QUERY }, controller.signal)).rejects.toThrow('client left')
    expect(failures).toEqual([])
  })
})

describe('a synthesis from passages that lack a name of the question', () => {
  const query = 'When does Heron launch at Northgate?'

  it('begins by saying so, and is not weak because of it', async () => {
    const answer = await create({ languageModel: null }).ask({ query })
    expect(answer.answer).toMatch(
      /^None of the passages read mentions Northgate\.\n\nHeron launches on 4 May/,
    )
    expect(answer.limitations).toEqual([])
  })

  it('says so after stating that nothing answers, if the evidence is weak', async () => {
    const answer = await create({ languageModel: null, isWeak: true }).ask({ query })
    expect(answer.answer).toMatch(
      /^Nothing stored answers this directly\. None of the passages read mentions Northgate\.\n\nClosest match: \*Plan 1\*\n\nHeron/,
    )
  })
})

describe('an answer from passages too far from the question', () => {
  const weak = [{ code: 'weak_evidence', message: expect.stringMatching(/^Nothing stored seems to answer/) }]
  const expected = `Nothing stored answers this directly.\n\nClosest match: *Plan 1*\n\n${SYNTHESIS}`

  it('without a model begins by saying so, shows the closest passages with citations, and has the limitation', async () => {
    const answer = await create({ isWeak: true, languageModel: null }).ask({ query: QUERY })
    expect(answer).toMatchObject({ answer: expected, citations: [{ index: 1 }], limitations: weak })
    expect(answer.context).toHaveLength(HITS.length)
  })

  it('then says that closer passages may have been missed, as does an answer that is not weak', async () => {
    const missed = { code: 'approximate_search', message: expect.any(String) }
    const both = await create({ isWeak: true, isApproximate: true }).ask({ query: QUERY })
    expect(both.limitations).toEqual([...weak, missed])
    const one = await create({ isApproximate: true }).ask({ query: QUERY })
    expect(one.limitations).toEqual([missed])
  })

  it('is the same when streamed', async () => {
    const list = await events({ isWeak: true, languageModel: null })
    expect(textOf(list)).toBe(expected)
    expect(list.at(-1)).toMatchObject({ type: 'done', answer: { answer: expected, limitations: weak } })
  })

  it('is the same if the model fails', async () => {
    server.fail({ kind: 'status', status: 500 })
    expect((await create({ isWeak: true }).ask({ query: QUERY })).answer).toBe(expected)
  })

  it('comes from the model, which gets a note about it, and has the limitation', async () => {
    const answer = await create({ isWeak: true }).ask({ query: QUERY })
    expect(answer).toMatchObject({ answer: 'Heron starts in May [1][2], so they say .', limitations: weak })
    expect(JSON.stringify(server.requests[0]?.body)).toContain('nothing near the question')
  })

  it('is none if only the model finds that the passages do not answer, and cites none: a context agrees', async () => {
    reply = 'The documents do not say when Heron launches.'
    const answer = await create().ask({ query: QUERY })
    const limitations = [{ code: 'nothing_cited', message: expect.any(String) }]
    expect(answer).toMatchObject({ answer: reply, citations: [], limitations })
    expect((await events()).at(-1)).toEqual({ type: 'done', answer })
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('nothing near the question')
  })
})

describe('a question unrelated to anything stored', () => {
  const query = 'Who bakes croissants?'
  const expected = {
    question: query,
    answer: `I could not find company context for: ${query}`,
    citations: [],
    context: [],
    limitations: [{ code: 'weak_evidence', message: expect.any(String) }],
  }

  it.each([
    ['without a language model', null],
    ['with one, which is not asked', undefined],
  ])('gets no passages %s, streamed or not', async (_title, languageModel) => {
    const answers = create({ isWeak: true, ...(languageModel === null ? { languageModel } : {}) })
    expect(await answers.ask({ query })).toEqual(expected)
    const list = await Array.fromAsync(answers.askStreaming({ query }))
    expect(list[0]).toEqual({ type: 'context', context: [] })
    expect(list.at(-1)).toEqual({ type: 'done', answer: expected })
    expect(server.requests).toHaveLength(0)
  })

  it('gets the passages if the evidence is not weak', async () => {
    const answer = await create({ languageModel: null }).ask({ query })
    expect(answer.context).toHaveLength(HITS.length)
  })
})

describe('an answer that uses up its tokens', () => {
  const WRITTEN = 'Heron starts in May [1], and'
  const languageModel: LanguageModel = {
    id: 'verbose',
    async *stream({ onTokenLimit }) {
      yield WRITTEN
      onTokenLimit?.()
    },
  }
  const truncated = { code: 'answer_truncated', message: expect.stringContaining('ends early') }

  it('says that it ends early, streamed or not', async () => {
    const whole = await create({ languageModel }).ask({ query: QUERY })
    expect(whole).toMatchObject({ answer: WRITTEN, citations: [{ index: 1 }], limitations: [truncated] })
    const list = await events({ languageModel })
    expect(typesOf(list)).toEqual(['context', 'delta', 'citations', 'done'])
    expect(list.at(-1)).toEqual({ type: 'done', answer: whole })
  })

  it('is a synthesis if no text is in it', async () => {
    const silent: LanguageModel = {
      id: 'silent',
      async *stream({ onTokenLimit }) {
        yield ' '
        onTokenLimit?.()
      },
    }
    const whole = await create({ languageModel: silent }).ask({ query: QUERY })
    expect(whole).toMatchObject({ answer: SYNTHESIS, limitations: [] })
    expect(textOf(await events({ languageModel: silent }))).toBe(SYNTHESIS)
  })
})

describe('a streamed answer', () => {
  it('consists of context, deltas, citations and done, and equals the answer without streaming', async () => {
    const list = await events()
    expect(typesOf(list)).toEqual(['context', 'delta', 'citations', 'done'])
    expect(list.filter(({ type }) => type === 'delta').length).toBeGreaterThan(3)
    const whole = await create().ask({ query: QUERY })
    expect(textOf(list)).toBe(whole.answer)
    expect(list.at(-1)).toEqual({ type: 'done', answer: whole })
    expect(list.at(-2)).toEqual({ type: 'citations', citations: whole.citations })
    expect(list[0]).toEqual({ type: 'context', context: whole.context })
  })

  it('falls back to a synthesis if the model fails before the first word', async () => {
    server.fail({ kind: 'status', status: 503 })
    const list = await events()
    expect(typesOf(list)).toEqual(['context', 'delta', 'citations', 'done'])
    expect(textOf(list)).toBe(SYNTHESIS)
    expect(failures).toHaveLength(1)
  })

  it('ends with an error, without citations or done, if the model fails after text was sent', async () => {
    server.fail({ kind: 'cut', afterDeltas: 3 })
    const list = await events()
    expect(typesOf(list)).toEqual(['context', 'delta', 'error'])
    expect(list.at(-1)).toMatchObject({ error: { code: 'upstream_error' } })
    expect(failures).toHaveLength(1)
  })

  it.each([
    [{ kind: 'cut', afterDeltas: 3 } as const, 'ask again'],
    [{ kind: 'finish', afterDeltas: 3, reason: 'content_filter' } as const, 'word the question differently'],
  ])('says what to do if it breaks off: %o', async (fault, remedy) => {
    server.fail(fault)
    const last = (await events()).at(-1)
    expect(last).toMatchObject({ type: 'error', error: { message: expect.stringContaining(remedy) } })
  })

  describe('that reaches a limit after text was sent', () => {
    const truncated = { code: 'answer_truncated', message: expect.stringContaining('narrower question') }
    const saying = (text: string): LanguageModel => ({
      id: 'stuck',
      async *stream() {
        yield text
        await new Promise(() => undefined)
      },
    })

    it('ends with the written text, its citations and done when time runs out', async () => {
      reply = 'Heron starts in May [1], so they say.'
      server.fail({ kind: 'stall', afterDeltas: 6 })
      const list = await events({ answerTimeoutMs: 1_500 })
      expect(typesOf(list)).toEqual(['context', 'delta', 'citations', 'done'])
      expect(reply).toContain(textOf(list))
      expect(list.at(-1)).toMatchObject({ answer: { answer: textOf(list), limitations: [truncated] } })
      expect(String(failures[0])).toContain('timeout')
    })

    it('keeps the citations of the written part', async () => {
      const list = await events({
        languageModel: saying('Heron starts in May [1], in J'),
        answerTimeoutMs: 50,
      })
      const citations = [{ index: 1, sourceItemId: 'item-1', title: 'Plan 1' }]
      expect(list.at(-2)).toEqual({ type: 'citations', citations })
      expect(list.at(-1)).toMatchObject({ answer: { citations, limitations: [truncated] } })
    })

    it('does not report weak evidence if the written part cites nothing', async () => {
      const list = await events({ languageModel: saying('Heron starts'), answerTimeoutMs: 50 })
      expect(list.at(-1)).toMatchObject({ answer: { limitations: [truncated] } })
    })

    it('ends the same way if the whole request takes too long', async () => {
      const list = await events({ languageModel: saying('Heron starts [1].') }, AbortSignal.timeout(50))
      expect(typesOf(list)).toEqual(['context', 'delta', 'citations', 'done'])
      expect(list.at(-1)).toMatchObject({ answer: { limitations: [truncated] } })
    })

    it('ends the same way if the model writes without end', async () => {
      const endless: LanguageModel = {
        id: 'endless',
        async *stream() {
          for (;;) yield 'word '.repeat(1_000)
        },
      }
      const list = await events({ languageModel: endless })
      expect(textOf(list).length).toBeLessThanOrEqual(65_536)
      expect(list.at(-1)).toMatchObject({ type: 'done', answer: { limitations: [truncated] } })
    })
  })

  it('ends the call to the model when the reader stops', async () => {
    let ended = false
    const endless: LanguageModel = {
      id: 'endless',
      async *stream() {
        try {
          for (;;) yield 'word '
        } finally {
          ended = true
        }
      },
    }
    for await (const event of create({ languageModel: endless }).askStreaming({ query: QUERY })) {
      if (event.type === 'delta') break
    }
    expect(ended).toBe(true)
  })
})
