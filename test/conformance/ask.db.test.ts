import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readEvents } from '../../client/src/index.ts'
import type { LanguageModel, LanguageModelPrompt } from '../../src/inference/language-model.ts'
import { documentOf, push } from '../support/documents.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aNumber, anId } from '../support/shapes.ts'

/** Requests to the language model, and its replies; an Error fails the request, `HANG` never replies. */
const prompts: LanguageModelPrompt[] = []
const HANG = Symbol('hang')
let script: readonly (string | Error | typeof HANG)[] = []
const languageModel: LanguageModel = {
  id: 'scripted',
  async *stream(prompt) {
    prompts.push(prompt)
    for (const piece of script) {
      if (piece instanceof Error) throw piece
      if (piece === HANG) await new Promise(() => undefined)
      else yield piece
    }
  },
}

let service: TestService
let withoutModel: TestService
/** With the default time limit, for answers that do not reach it. */
let patient: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService({ languageModel, environment: { ANSWER_TIMEOUT_MS: '300' } })
  withoutModel = await startTestService({ database: service.database })
  patient = await startTestService({ languageModel, database: service.database })
})
beforeEach(async () => {
  organization = await service.organization({ status: 'active', tier: 'builder' })
  prompts.length = 0
  script = ['Twenty-five days [1].']
})
afterAll(async () => {
  await withoutModel.close()
  await patient.close()
  await service.close()
})

const query = 'How many days of paid time off?'
const ask = (
  body: Record<string, unknown> = {},
  on = service,
  key = organization.adminKey,
): Promise<Answer> => on.call('POST', '/v1/ask', { key, body: { query, ...body } })

async function creditsUsed(): Promise<number> {
  const row = await service.database.db
    .selectFrom('subscriptions')
    .select('credits_used')
    .where('organization_id', '=', organization.id)
    .executeTakeFirstOrThrow()
  return row.credits_used
}

const pushThree = () =>
  push(
    service,
    organization,
    documentOf(organization),
    documentOf(organization, {
      externalId: '2',
      title: 'Sick days',
      body: 'Sick days are not holidays, and need a note.',
    }),
    documentOf(organization, {
      externalId: '3',
      title: 'Days',
      provider: 'slack',
      body: 'How many days are there?',
    }),
  )

describe('an answer', () => {
  it('has the question, the answer, a citation for each of its markers, and the context that the model received [ASK-1, ASK-2, ASK-7]', async () => {
    await pushThree()
    script = ['Twenty-five', ' days [1], not sick days [', '2].']
    const { status, body } = await ask()
    expect(status).toBe(200)
    expect(body).toEqual({
      question: query,
      answer: 'Twenty-five days [1], not sick days [2].',
      citations: [1, 2].map((index) => ({
        index,
        sourceItemId: body.context[index - 1].sourceItemId,
        title: body.context[index - 1].title,
      })),
      context: Array.from({ length: 3 }, () => ({
        sourceItemId: anId,
        title: expect.any(String),
        content: expect.any(String),
        url: '',
        provider: expect.any(String),
        score: aNumber,
      })),
      limitations: [],
    })
    for (const { content } of body.context) expect(prompts[0]?.prompt).toContain(content)
  })

  it('uses as many hits as limit says [ASK-3]', async () => {
    await pushThree()
    const { body } = await ask({ limit: 1 })
    expect(body.context).toHaveLength(1)
    expect(prompts[0]?.prompt).toContain(body.context[0].content)
    expect(prompts[0]?.prompt).not.toContain('Sick days are not')
  })

  it('has no marker that points nowhere [ASK-6, ASK-2]', async () => {
    await pushThree()
    script = ['Twenty-five [1][9]', ' days [0] [12].']
    const { answer, citations } = (await ask()).body
    expect(answer).toBe('Twenty-five [1] days.')
    expect(citations).toMatchObject([{ index: 1 }])
  })

  it('is a synthesis of the top hits, the same bytes every time, without a model or when it fails [ASK-4, ASK-2]', async () => {
    await pushThree()
    script = [new Error('the model is down')]
    const failed = await ask()
    const none = await ask({}, withoutModel)
    expect(failed).toMatchObject({ status: 200, body: { answer: expect.stringMatching(/25 days.*\[1\]/) } })
    expect(none.text).toBe(failed.text)
    expect((await ask({}, withoutModel)).text).toBe(none.text)
    const markers = new Set([...none.body.answer.matchAll(/\[(\d+)\]/g)].map((marker) => Number(marker[1])))
    expect(none.body.citations.map(({ index }: { index: number }) => index)).toEqual(
      [...markers].toSorted((a, b) => a - b),
    )
  })

  it('says so when nothing is found, with empty citations and context, and asks no model [ASK-5]', async () => {
    for (const asked of [query, 'what is [1]?']) {
      expect(await ask({ query: asked })).toMatchObject({
        status: 200,
        body: {
          question: asked,
          answer: `I could not find company context for: ${asked}`,
          citations: [],
          context: [],
          limitations: [],
        },
      })
    }
    expect(prompts).toEqual([])
  })

  it("uses only items in the key's scope [ASK-10, ASK-5]", async () => {
    await pushThree()
    const slack = await organization.mint({ providers: ['slack'] })
    const { context } = (await ask({}, service, slack.secret)).body
    expect(context.map(({ provider }: { provider: string }) => provider)).toEqual(['slack'])
    const gmail = await organization.mint({ providers: ['gmail'] })
    const nothing = await ask({}, service, gmail.secret)
    expect(nothing.body.answer).toMatch(/^I could not find company context for: /)
    expect(prompts).toHaveLength(1)
    expect(prompts[0]?.prompt).not.toContain('25 days')
  })
})

describe('a conversation', () => {
  const conversation = [{ question: 'Where are the sick days written down?', answer: 'In the handbook [1].' }]

  it('says what a follow-up is about: to the search, to the model, and to the synthesis', async () => {
    await pushThree()
    const asked = { query: 'Do they need a note?', limit: 1, conversation }
    const { context, question } = (await ask(asked)).body
    expect(question).toBe('Do they need a note?')
    expect(context).toMatchObject([{ title: 'Sick days' }])
    expect(prompts[0]?.prompt).toContain('Where are the sick days written down?')
    expect(prompts[0]?.prompt).toContain('In the handbook .')
    expect((await ask(asked, withoutModel)).body.answer).toMatch(/need a note\. \[1\]/)
  })

  it('changes nothing if it is empty or the question is independent of it', async () => {
    await pushThree()
    const alone = await ask({}, withoutModel)
    expect((await ask({ conversation: [] }, withoutModel)).text).toBe(alone.text)
    expect((await ask({ conversation }, withoutModel)).text).toBe(alone.text)
  })

  it('is not stored in the audit trail; an empty answer repeats the question as asked', async () => {
    const { body } = await ask({ query: 'Do they need a note?', conversation })
    expect(body.answer).toBe('I could not find company context for: Do they need a note?')
    const trail = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    expect(trail.text).toContain('Do they need a note?')
    expect(trail.text).not.toMatch(/handbook|written down/)
  })

  it('reads nothing beyond the scope of the key', async () => {
    await pushThree()
    const slack = await organization.mint({ providers: ['slack'] })
    const { context } = (await ask({ query: 'Do they need a note?', conversation }, service, slack.secret))
      .body
    expect(context.map(({ provider }: { provider: string }) => provider)).not.toContain('notion')
  })

  it.each([
    { conversation: Array.from({ length: 11 }, () => conversation[0]) },
    { conversation: [{ question: '', answer: 'a' }] },
    { conversation: [{ question: 'q' }] },
    { conversation: [{ question: 'q', answer: 'a', role: 'user' }] },
    { conversation: [{ question: 'q', answer: 'a'.repeat(65_537) }] },
    { recency: 0 },
    { recency: '30' },
  ])('returns 400 for a malformed conversation, at no cost: case %#', async (body) => {
    expect(await ask(body)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(await creditsUsed()).toBe(0)
  })
})

describe('effort "high"', () => {
  it('is refused without a language model, streamed or not, and costs nothing', async () => {
    const refused = { status: 503, body: { code: 'not_configured', error: expect.stringMatching(/effort/) } }
    await pushThree()
    expect(await ask({ effort: 'high' }, withoutModel)).toMatchObject(refused)
    const streaming = await withoutModel.call('POST', '/v1/ask', {
      key: organization.adminKey,
      body: { query, effort: 'high' },
      headers: { Accept: 'text/event-stream' },
    })
    expect(streaming).toMatchObject(refused)
    expect(await creditsUsed()).toBe(0)
    expect((await ask({ effort: 'normal' }, withoutModel)).text).toBe((await ask({}, withoutModel)).text)
    expect(await ask({ effort: 'low' })).toMatchObject({ status: 400 })
  })

  it('streams its steps before the context, within the scope of the key, and costs one credit', async () => {
    await pushThree()
    const slack = await organization.mint({ providers: ['slack'] })
    script = ['paid vacation']
    const events = await stream({ effort: 'high' }, slack.secret, patient)
    expect(events.map(({ event }) => event)).toEqual(
      'step step step step context delta citations done'.split(' '),
    )
    expect(events[0]?.data).toEqual({ step: 'rewrite', queries: [query, 'paid vacation'] })
    expect(events[1]?.data).toEqual({ step: 'search', query, hitCount: 1 })
    expect(events[3]?.data).toEqual({ step: 'read', isEnough: true, queries: [] })
    expect(prompts).toHaveLength(3)
    expect(JSON.stringify([prompts, events])).not.toContain('25 days')
    expect(await creditsUsed()).toBe(1)
  })
})

async function stream(
  more: Record<string, unknown> = {},
  key = organization.adminKey,
  on = service,
): Promise<{ event: string | undefined; data: Record<string, unknown> }[]> {
  const response = await fetch(`${on.url}/v1/ask`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
    },
    body: JSON.stringify({ query, ...more }),
  })
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(response.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/)
  const pieces = response.body?.pipeThrough(new TextDecoderStream()) ?? []
  const read: { event: string; data: Record<string, unknown> }[] = []
  for await (const { event, data } of readEvents(pieces)) read.push({ event, data: JSON.parse(data) })
  return read
}

describe('a streamed answer', () => {
  it('comes as context, deltas, citations and done, and costs a credit [ASK-8]', async () => {
    await pushThree()
    script = ['Twenty-five', ' days [1].']
    const events = await stream()
    expect(events.map(({ event }) => event)).toEqual(['context', 'delta', 'delta', 'citations', 'done'])
    const whole = events.at(-1)?.data
    expect(whole).toEqual((await ask()).body)
    const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data['text'])
    expect(deltas.join('')).toBe(whole?.['answer'])
    expect(events[0]?.data).toEqual({ context: whole?.['context'] })
    expect(events[3]?.data).toEqual({ citations: whole?.['citations'] })
    expect(await creditsUsed()).toBe(2)
  })

  it('that breaks ends with error and costs nothing [ASK-9, CRED-3]', async () => {
    await pushThree()
    script = ['Twenty-five', new Error('cut off')]
    const events = await stream()
    expect(events.map(({ event }) => event)).toEqual(['context', 'delta', 'error'])
    expect(events.at(-1)?.data).toEqual({
      error: expect.any(String),
      code: 'upstream_error',
      documentation: `${service.url}/errors#upstream_error`,
    })
    expect(JSON.stringify(events)).not.toContain('cut off')
    expect(await creditsUsed()).toBe(0)
  })

  it('ends early and costs a credit when the time is over after text was sent [ASK-12]', async () => {
    await pushThree()
    script = ['Twenty-five days [1], or ', HANG]
    const events = await stream()
    expect(events.map(({ event }) => event)).toEqual(['context', 'delta', 'citations', 'done'])
    expect(events[3]?.data).toMatchObject({
      citations: [{ index: 1 }],
      limitations: [{ code: 'answer_truncated', message: expect.any(String) }],
    })
    expect(await creditsUsed()).toBe(1)
  })

  it('is a synthesis and costs a credit when the time is over before any text', async () => {
    await pushThree()
    script = [HANG]
    const events = await stream()
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { limitations: [] } })
    expect(await creditsUsed()).toBe(1)
  })

  it('is an ordinary error when nothing was sent yet', async () => {
    const answer = await service.call('POST', '/v1/ask', {
      key: organization.adminKey,
      body: { query: '' },
      headers: { Accept: 'text/event-stream' },
    })
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })
})
