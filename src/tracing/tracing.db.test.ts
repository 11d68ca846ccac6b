import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLanguageModel } from '../inference/language-models/create-language-model.ts'
import { type ConnectedService, startConnectedService } from '../../test/support/connected-service.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { documentOf, push } from '../../test/support/documents.ts'
import { type OpenAiEmulator, startOpenAiEmulator } from '../../test/support/openai-emulator.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../../test/support/otlp-receiver.ts'
import type { TestOrganization } from '../../test/support/service.ts'
import { until } from '../../test/support/until.ts'
import { startTracing } from './start-tracing.ts'
import type { Tracing } from './tracing.ts'

const marker = (): string => `marker${randomUUID().replaceAll('-', '')}`
const QUERY = marker()
const DOCUMENT = marker()
const TITLE = marker()
const ANSWER = marker()
const MODEL_KEY = marker()
const SYNCED = marker()
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const CALLER_SPAN_ID = 'b7ad6b7169203331'

let receiver: OtlpReceiver
let tracing: Tracing
let model: OpenAiEmulator
let database: TestDatabase
let service: ConnectedService
let organization: TestOrganization

beforeAll(async () => {
  receiver = await startOtlpReceiver()
  model = await startOpenAiEmulator({ apiKey: MODEL_KEY, reply: () => `Words of ${ANSWER} [1].` })
  tracing = await startTracing({
    endpoint: receiver.url,
    headers: { 'x-receiver-key': 'told-to-the-receiver' },
    protocol: 'http/json',
    serviceName: 'memory-under-test',
    instanceId: 'replica-1',
    resourceAttributes: { 'deployment.environment.name': 'testing', 'service.name': 'not-this-one' },
    sampler: 'parentbased_always_on',
    samplerRatio: 1,
    logger: { warn: () => {} },
  })
  database = await createTestDatabase(tracing.onStatement)
  service = await startConnectedService({
    service: {
      database,
      tracing,
      languageModel: createLanguageModel({
        provider: 'openai',
        baseUrl: model.baseUrl,
        apiKey: MODEL_KEY,
        model: 'writer-1',
      }),
    },
  })
  organization = await service.organization()
  const { status, text } = await push(
    service,
    organization,
    documentOf(organization, { title: `Plan ${TITLE}`, body: `The plan is ${DOCUMENT}.` }),
  )
  if (status !== 200) throw new Error(`answered ${status}: ${text}`)
})

afterAll(async () => {
  await service?.close()
  await database?.close()
  await tracing?.close()
  await model?.close()
  await receiver?.close()
})

/** The spans of the trace that contains one of this name, once its root has arrived. */
async function traceWith(name: string, traceId?: string): Promise<ReceivedSpan[]> {
  return await until(
    `a trace with "${name}"`,
    async () => {
      const spans = receiver.spans()
      const root = spans.find((span) => span.name === name && (traceId ?? span.traceId) === span.traceId)
      return root === undefined ? [] : spans.filter((span) => span.traceId === root.traceId)
    },
    (spans) => spans.length > 0,
  )
}

function under(spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined): string[] {
  return spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId).map(({ name }) => name)
}

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan | undefined =>
  spans.find((span) => span.name === name)

describe('tracing', () => {
  it("records one tree for a search, in the caller's trace", async () => {
    const { status } = await service.call('POST', '/v1/search', {
      key: organization.adminKey,
      headers: { traceparent: `00-${TRACE_ID}-${CALLER_SPAN_ID}-01` },
      body: { query: `where is ${QUERY} of ${DOCUMENT}` },
    })
    expect(status).toBe(200)
    const spans = await traceWith('POST /v1/search', TRACE_ID)
    const request = named(spans, 'POST /v1/search')
    expect(request).toMatchObject({
      parentSpanId: CALLER_SPAN_ID,
      attributes: {
        'http.route': '/v1/search',
        'http.response.status_code': 200,
        'url.scheme': 'http',
        'url.path': '/v1/search',
      },
    })
    expect(under(spans, request)).toEqual(
      expect.arrayContaining(['authorize', expect.stringMatching(/^embeddings /)]),
    )
    expect(under(spans, named(spans, 'authorize'))).toEqual(
      expect.arrayContaining([expect.stringMatching(/ admit_key$/)]),
    )
    const statements = spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
    expect(statements.length).toBeGreaterThan(3)
    const known = new Set([CALLER_SPAN_ID, ...spans.map(({ spanId }) => spanId)])
    expect(spans.filter(({ parentSpanId }) => !known.has(parentSpanId))).toEqual([])
  })

  it('names the service, the instance and the configured attributes in every export', () => {
    expect(receiver.resources()[0]).toMatchObject({
      'service.name': 'memory-under-test',
      'service.instance.id': 'replica-1',
      'deployment.environment.name': 'testing',
    })
  })

  it('shows the credit and the language model of an answer, with the request to it', async () => {
    const { status, body } = await service.call('POST', '/v1/ask', {
      key: organization.adminKey,
      body: { query: `what is the plan ${QUERY}` },
    })
    expect(status).toBe(200)
    expect(JSON.stringify(body)).toContain(ANSWER)
    const spans = await traceWith('POST /v1/ask')
    expect(under(spans, named(spans, 'POST /v1/ask'))).toEqual(
      expect.arrayContaining(['authorize', 'credits', 'chat writer-1']),
    )
    const chat = named(spans, 'chat writer-1')
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'writer-1',
    })
    const sent = spans.find(({ parentSpanId, name }) => parentSpanId === chat?.spanId && name === 'POST')
    expect(sent?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'server.port': expect.anything(),
      'http.response.status_code': 200,
    })
    expect(model.requests.at(-1)?.headers['traceparent']).toBeUndefined()
  })

  it('shows each step of a thorough answer, with what the model and the searches did in it', async () => {
    const traceId = randomUUID().replaceAll('-', '')
    const { status } = await service.call('POST', '/v1/ask', {
      key: organization.adminKey,
      headers: { traceparent: `00-${traceId}-${CALLER_SPAN_ID}-01` },
      body: { query: `what is the plan ${QUERY}`, effort: 'high' },
    })
    expect(status).toBe(200)
    const spans = await traceWith('POST /v1/ask', traceId)
    expect(under(spans, named(spans, 'POST /v1/ask'))).toEqual(
      expect.arrayContaining(['ask rewrite', 'ask search', 'ask read', 'chat writer-1']),
    )
    for (const name of ['ask rewrite', 'ask read'])
      expect(under(spans, named(spans, name))).toEqual(['chat writer-1'])
    expect(named(spans, 'ask search')?.attributes).toMatchObject({ 'memory.hits': 1 })
  })

  it('makes a trace of its own of a sync run, with the requests to the provider', async () => {
    const { organization: connected, owner } = await service.workspace()
    const { emulators } = service
    const channel = emulators.slack.state.addChannel({ name: 'traced', isMember: true })
    emulators.slack.state.post(channel, { text: `Said here: ${SYNCED}` })
    const sources = [
      await service.connect(owner, connected.id, 'slack'),
      await service.connect(owner, connected.id, 'google_drive'),
    ]
    for (const sourceId of sources)
      expect(await service.runEnded(connected, sourceId)).toMatchObject({ status: 'succeeded' })
    for (const name of ['sync slack', 'sync google_drive']) {
      const spans = await traceWith(name)
      const run = named(spans, name)
      expect(run).toMatchObject({ parentSpanId: '', attributes: { 'memory.sync_run.end': 'succeeded' } })
      const sent = spans.filter(({ attributes }) => 'server.address' in attributes)
      expect(sent.length).toBeGreaterThan(0)
      expect(sent.every(({ attributes }) => attributes['http.response.status_code'] === 200)).toBe(true)
      expect(spans.some(({ attributes }) => 'db.operation.name' in attributes)).toBe(true)
    }
  })

  it('records that a request was refused, and the code of the gate that refused it', async () => {
    const traceId = randomUUID().replaceAll('-', '')
    await service.call('POST', '/v1/search', {
      key: `svc_${marker()}`,
      headers: { traceparent: `00-${traceId}-${CALLER_SPAN_ID}-01` },
      body: { query: QUERY },
    })
    const spans = await traceWith('POST /v1/search', traceId)
    expect(named(spans, 'POST /v1/search')?.attributes).toMatchObject({ 'http.response.status_code': 401 })
    expect(named(spans, 'authorize')).toMatchObject({
      statusCode: 2,
      attributes: { 'error.type': 'unauthenticated' },
    })
  })

  it('sends what /metrics counts, and nothing that was asked, stored or is secret', async () => {
    await tracing.close()
    const metrics = receiver.metrics()
    expect([...metrics.keys()]).toEqual(
      expect.arrayContaining(['http.server.request.duration', 'searches_total', 'process_cpu_seconds_total']),
    )
    expect(metrics.get('http.server.request.duration')).toMatchObject({
      unit: 's',
      histogram: {
        dataPoints: expect.arrayContaining([
          expect.objectContaining({
            count: 1,
            attributes: expect.arrayContaining([
              { key: 'http.route', value: { stringValue: '/v1/search' } },
              { key: 'http.response.status_code', value: { intValue: 200 } },
            ]),
          }),
        ]),
      },
    })
    const exported = receiver.received.map(({ body }) => body).join('\n')
    expect(exported).toContain('memory-under-test')
    const { secret } = await organization.mint()
    for (const forbidden of [
      QUERY,
      DOCUMENT,
      TITLE,
      ANSWER,
      MODEL_KEY,
      SYNCED,
      organization.adminKey,
      secret,
    ])
      expect(exported).not.toContain(forbidden)
    expect(exported).not.toMatch(/marker|xox|svc_|Bearer|traceparent/)
    expect(
      receiver.received.every(({ headers }) => headers['x-receiver-key'] === 'told-to-the-receiver'),
    ).toBe(true)
  })
})
