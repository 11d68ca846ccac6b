import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { ERROR_CODES, OPERATIONS } from '../src/api.ts'
import { Memory, MemoryConnectionError, MemoryError, type MemoryOptions } from '../src/index.ts'
import { fakeService, problem, success } from './fake-service.ts'

const connect = (service: { fetch: typeof fetch }, options: Partial<MemoryOptions> = {}): Memory =>
  new Memory({ apiKey: 'svc_test', url: 'http://memory.test/', fetch: service.fetch, ...options })

/** A retry policy that records its waits instead of waiting. */
function noWaits(): { waited: number[]; retry: { sleep(ms: number): Promise<void>; random(): number } } {
  const waited: number[] = []
  return {
    waited,
    retry: {
      random: () => 0.5,
      sleep: async (milliseconds) => void waited.push(milliseconds),
    },
  }
}

const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  await promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('Memory', () => {
  it('has a method for every operation that a key can call', async () => {
    const service = fakeService(({ url }) =>
      url.endsWith('/export') ? exported('{}') : success({ sourceItems: [], groups: [], nextCursor: null }),
    )
    const memory = connect(service)
    await memory.search('q')
    await memory.context({ query: 'q', limit: 3 })
    await memory.ask('q')
    await memory.ingest([document('a')])
    await memory.export().next()
    await memory.sourceItems.pages().next()
    await memory.sourceItems.get('1')
    await memory.sourceItems.delete('1')
    await memory.sourceItems.delete({ provider: 'notion', externalId: 'a/b c' })
    await memory.memoryCanvas.get({ q: 'Ada', limit: 5 })
    await memory.memoryCanvas.entity('1')
    await memory.maintenance.reembedding()
    await memory.maintenance.startReembedding()
    await memory.maintenance.cleanUpSlackSystemEvents({ dryRun: true })
    await memory.apiKeys.list()
    await memory.apiKeys.create({ name: 'Robot', allowedActions: ['search'] })
    await memory.apiKeys.revoke('1')
    await memory.sourceItems.readers('1')
    await memory.groups.list().next()
    await memory.groups.get('1')
    await memory.groups.put('1', { members: ['ada@example.com'] })
    await memory.groups.delete('1')
    await memory.sources.list()
    await memory.sources.channels('1')
    await memory.sources.setChannelAllowlist('1', null)
    await memory.syncRuns.list()
    await memory.syncRuns.start({ connectorId: '1' })
    await memory.syncRuns.get('1')
    await memory.auditEvents.list({ limit: 5 })
    const called = service.requests.map(({ method, url }) => `${method} ${new URL(url).pathname}`)
    const declared = Object.values(OPERATIONS).map(
      ({ method, path }) => `${method} ${path.replace(/\{\w+\}/, '1')}`,
    )
    expect(called.toSorted()).toEqual(declared.toSorted())
    expect(service.requests.map(({ url }) => new URL(url).search).filter(Boolean)).toEqual([
      '?provider=notion&externalId=a%2Fb+c',
      '?q=Ada&limit=5',
      '?limit=5',
    ])
  })

  it('sends the key, JSON and headers, and returns the answer', async () => {
    const service = fakeService(() => success({ query: 'q', hits: [] }))
    expect(await connect(service, { headers: { 'x-trace': '1' } }).search({ query: 'q', limit: 2 })).toEqual({
      query: 'q',
      hits: [],
    })
    const [request] = service.requests
    expect(request?.url).toBe('http://memory.test/v1/search')
    expect(request?.body).toEqual({ query: 'q', limit: 2 })
    expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
      authorization: 'Bearer svc_test',
      'content-type': 'application/json',
      accept: 'application/json',
      'x-trace': '1',
    })
  })

  it('escapes IDs in paths', async () => {
    const service = fakeService(() => success({}))
    await connect(service).memoryCanvas.entity('../api-keys?x')
    expect(service.requests[0]?.url).toBe('http://memory.test/v1/memory-canvas/entities/..%2Fapi-keys%3Fx')
  })

  it.each(['', 'svc_…', 'svc_a\nb'])('refuses an invalid key without showing it: %j', (apiKey) => {
    expect(() => new Memory({ apiKey, url: 'http://x' })).toThrow(/^apiKey must be an API key/)
  })

  it.each(['', '.', '..'])('refuses the ID %j, which would call another route', async (id) => {
    const service = fakeService(() => success({}))
    expect(await failure(connect(service).sourceItems.delete(id))).toBeInstanceOf(TypeError)
    expect(service.requests).toEqual([])
  })

  it.each([
    '',
    'memory.test',
    'ftp://memory.test',
    'http://memory.test?key=1',
    'http://memory.test/#top',
    'http://ada:secret@memory.test',
  ])('refuses an invalid URL: %j', (url) => {
    expect(() => new Memory({ apiKey: 'svc_x', url })).toThrow(/^url must be the http or https address/)
    expect(() => new Memory({ apiKey: 'svc_x', url })).not.toThrow(/secret/)
  })

  it('ignores white space around the URL', () => {
    expect(new Memory({ apiKey: 'svc_x', url: ' http://memory.test/a/\n' }).url).toBe('http://memory.test/a')
  })

  it('reads pages of a list only as needed', async () => {
    const pages = [
      { sourceItems: [{ id: '1' }, { id: '2' }], nextCursor: 'two' },
      { sourceItems: [{ id: '3' }], nextCursor: null },
    ]
    const service = fakeService(({ url }) =>
      success(new URL(url).searchParams.get('cursor') ? pages[1] : pages[0]),
    )
    const { sourceItems } = connect(service)
    const ids: string[] = []
    for await (const { id } of sourceItems.list({ provider: 'notion' })) ids.push(id)
    expect(ids).toEqual(['1', '2', '3'])
    expect(service.requests.map(({ url }) => new URL(url).search)).toEqual([
      '?provider=notion',
      '?provider=notion&cursor=two',
    ])
    for await (const _ of sourceItems.list()) break
    expect(service.requests).toHaveLength(3)
  })
})

describe('an error of the service', () => {
  it.each(ERROR_CODES)('throws a MemoryError with the code %s', async (code) => {
    const service = fakeService(() => problem(400, code))
    expect(await failure(connect(service).sources.list())).toMatchObject({
      name: 'MemoryError',
      status: 400,
      code,
    })
  })

  it('has the message, request ID, issues, seconds to wait and all other fields', async () => {
    const issues = [{ path: 'limit', message: 'limit must be at most 25' }]
    const service = fakeService(() =>
      problem(429, 'rate_limited', { limit: 60, issues }, { 'retry-after': '17', 'x-request-id': 'r-1' }),
    )
    const error = await failure(connect(service, { retry: false }).search('q'))
    expect(error).toBeInstanceOf(MemoryError)
    expect(error).toMatchObject({
      message: 'It is rate_limited',
      requestId: 'r-1',
      issues,
      retryAfter: 17,
      details: { limit: 60 },
    })
  })

  it('has the code http_error if a proxy sent it, or if its code is of a later version', async () => {
    const html = fakeService(() => new Response('<html>', { status: 404 }))
    expect(await failure(connect(html).search('q'))).toMatchObject({ status: 404, code: 'http_error' })
    const later = fakeService(() => problem(418, 'of_tomorrow'))
    expect(await failure(connect(later).search('q'))).toMatchObject({
      code: 'http_error',
      details: { code: 'of_tomorrow' },
    })
  })

  it('has the code invalid_answer for a success that is not JSON, or not an export', async () => {
    const page = fakeService(() => new Response('<html>'))
    expect(await failure(connect(page).search('q'))).toMatchObject({ status: 200, code: 'invalid_answer' })
    expect(await failure(connect(page).export().next())).toMatchObject({ code: 'invalid_answer' })
  })

  it('reports a redirect to an invalid address as an error of the service', async () => {
    const moved = fakeService(() => new Response(null, { status: 302, headers: { location: 'http://' } }))
    expect(await failure(connect(moved).search('q'))).toMatchObject({ status: 302, code: 'http_error' })
  })

  it.each(['http://memory.test/v1/search', '/v1/search'])(
    'follows no redirect, which would lose the key or the body, but names its target: %s',
    async (location) => {
      const moved = fakeService(() => new Response(null, { status: 301, headers: { location } }))
      const sent: (RequestInit | undefined)[] = []
      const watched: typeof fetch = (input, init) => {
        sent.push(init)
        return moved.fetch(input, init)
      }
      const memory = new Memory({ apiKey: 'svc_x', url: 'http://memory.test/old', fetch: watched })
      expect(await failure(memory.search('q'))).toMatchObject({
        status: 301,
        code: 'http_error',
        message:
          'http://memory.test/old redirects to http://memory.test; use the address of the service itself',
      })
      expect(sent).toMatchObject([{ redirect: 'manual' }])
    },
  )
})

describe('a failed request', () => {
  it('waits a little longer than Retry-After after a rate limit, for every operation', async () => {
    const { waited, retry } = noWaits()
    const answers = [problem(429, 'rate_limited', {}, { 'retry-after': '20' }), success({ answer: 'a' })]
    const service = fakeService(() => answers.shift())
    expect(await connect(service, { retry }).ask('q')).toEqual({ answer: 'a' })
    expect(waited).toEqual([21_000])
    const [first, second] = service.requests
    expect(second).toEqual(first)
  })

  it('waits until a date in Retry-After, by its own clock', async () => {
    const { waited, retry } = noWaits()
    const at = new Date(Date.UTC(2026, 0, 1, 12, 0, 30)).toUTCString()
    const answers = [problem(503, 'overloaded', {}, { 'retry-after': at }), success({ sources: [] })]
    const now = (): number => Date.UTC(2026, 0, 1, 12)
    await connect(
      fakeService(() => answers.shift()),
      { retry: { ...retry, now } },
    ).sources.list()
    expect(waited).toEqual([31_500])
  })

  it.each([
    ['used credits', 429, 'quota_exceeded'],
    ['a missing configuration', 503, 'not_configured'],
    ['an invalid request', 400, 'validation_failed'],
    ['a missing action of the key', 403, 'action_not_allowed'],
  ])('is not retried after %s', async (_, status, code) => {
    const { waited, retry } = noWaits()
    const service = fakeService(() => problem(status, code, {}, { 'retry-after': '1' }))
    expect(await failure(connect(service, { retry }).ingest([document('a')]))).toMatchObject({ code })
    expect(service.requests).toHaveLength(1)
    expect(waited).toEqual([])
  })

  it('does not wait longer or more often than the policy allows', async () => {
    const { waited, retry } = noWaits()
    const long = fakeService(() => problem(429, 'rate_limited', {}, { 'retry-after': '61' }))
    await failure(connect(long, { retry }).search('q'))
    expect(waited).toEqual([])
    const endless = fakeService(() => problem(429, 'rate_limited', {}, { 'retry-after': '1' }))
    await failure(connect(endless, { retry: { ...retry, rateWaits: 4 } }).search('q'))
    expect(endless.requests).toHaveLength(5)
  })

  it('is retried with growing pauses after a 503, until the attempts are used', async () => {
    const { waited, retry } = noWaits()
    const service = fakeService(() => problem(503, 'not_ready'))
    expect(await failure(connect(service, { retry: { ...retry, attempts: 4 } }).ask('q'))).toMatchObject({
      code: 'not_ready',
    })
    expect(waited).toEqual([187.5, 375, 750])
  })

  it.each([
    ['a lost connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['an uncertain outcome', () => problem(502, 'upstream_error')],
  ])('is retried after %s only if it is idempotent', async (_, respond) => {
    const { retry } = noWaits()
    const sent = async (call: (memory: Memory) => Promise<unknown>): Promise<number> => {
      const service = fakeService(respond)
      expect(await failure(call(connect(service, { retry })))).toBeInstanceOf(Error)
      return service.requests.length
    }
    expect(await sent((memory) => memory.sources.list())).toBe(3)
    expect(await sent((memory) => memory.ingest([document('a')]))).toBe(3)
    expect(await sent((memory) => memory.sourceItems.delete('1'))).toBe(3)
    expect(await sent((memory) => memory.sources.setChannelAllowlist('1', null))).toBe(3)
    expect(await sent((memory) => memory.search('q'))).toBe(1)
    expect(await sent((memory) => memory.ask('q'))).toBe(1)
    expect(await sent((memory) => memory.apiKeys.create({ name: 'x', allowedActions: ['ask'] }))).toBe(1)
  })

  it('reports each wait with its reason, and is not retried if the call turns retries off', async () => {
    const { retry } = noWaits()
    const waits: unknown[] = []
    const service = fakeService(() => problem(503, 'overloaded'))
    const memory = connect(service, { retry: { ...retry, onWait: (wait) => waits.push(wait) } })
    await failure(memory.search('q', { retry: false }))
    expect(waits).toEqual([])
    // An undefined field is as good as none: not an endless number of attempts.
    await failure(memory.search('q', { retry: { attempts: 2, maxWaitMs: undefined, onWait: undefined } }))
    expect(waits).toEqual([{ milliseconds: 187.5, reason: expect.any(MemoryError) }])
  })
})

describe('a request without a complete answer', () => {
  /** A service that accepts connections and never answers. */
  const hang: typeof fetch = (_url, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason), { once: true })
    })

  it('does not end a call at once whose timeout is longer than a timer can be', async () => {
    const later = async (...[, init]: Parameters<typeof fetch>): Promise<Response> => {
      await sleep(20, undefined, init?.signal ? { signal: init.signal } : {})
      return Response.json({ query: 'q', hits: [] })
    }
    for (const timeoutMs of [Infinity, 2 ** 31])
      expect(await connect({ fetch: later }, { timeoutMs, retry: false }).search('q')).toMatchObject({
        hits: [],
      })
  })

  it('fails after its timeout', async () => {
    const error = await failure(connect({ fetch: hang }, { timeoutMs: 5 }).search('q'))
    expect(error).toBeInstanceOf(MemoryConnectionError)
    expect(error).toMatchObject({ fault: 'timeout' })
  })

  it('rejects with the reason of the signal, before it is sent, while it runs, and while it waits', async () => {
    const gone = new Error('canceled')
    expect(await failure(connect({ fetch: hang }).search('q', { signal: AbortSignal.abort(gone) }))).toBe(
      gone,
    )
    const underWay = new AbortController()
    const search = connect({ fetch: hang }).search('q', { signal: underWay.signal })
    underWay.abort(gone)
    expect(await failure(search)).toBe(gone)
    const waiting = new AbortController()
    const refusing = fakeService(() => problem(429, 'rate_limited', {}, { 'retry-after': '30' }))
    const onWait = (): void => queueMicrotask(() => waiting.abort(gone))
    const asked = connect(refusing, { retry: { onWait } }).ask('q', { signal: waiting.signal })
    expect(await failure(asked)).toBe(gone)
    expect(refusing.requests).toHaveLength(1)
  })

  it('does not count the time that the reader of an export takes', async () => {
    const lines = ['one\n', 'two\n', 'three\n']
    const answer: typeof fetch = async (_url, init) =>
      exported(
        new ReadableStream<Uint8Array>({
          start(controller) {
            init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason))
          },
          pull(controller) {
            const line = lines.shift()
            if (line === undefined) controller.close()
            else controller.enqueue(new TextEncoder().encode(line))
          },
        }),
      )
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let text = ''
      for await (const piece of connect({ fetch: answer }, { timeoutMs: 5 }).export()) {
        text += piece
        vi.advanceTimersByTime(60_000)
      }
      expect(text).toBe('one\ntwo\nthree\n')
    } finally {
      vi.useRealTimers()
    }
  })

  it('distinguishes a broken answer from a failed connection', async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"sources":'))
        controller.error(new Error('reset'))
      },
    })
    const service = fakeService(() => new Response(broken))
    expect(await failure(connect(service, { retry: false }).sources.list())).toMatchObject({
      fault: 'broken',
    })
    const unreachable = fakeService(() => Promise.reject(new TypeError('fetch failed')))
    expect(await failure(connect(unreachable).search('q'))).toMatchObject({ fault: 'unreachable' })
  })
})

const exported = (body: string | ReadableStream<Uint8Array>): Response =>
  new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })

function document(externalId: string) {
  return {
    connectorId: '1',
    provider: 'notion',
    sourceKind: 'document',
    externalId,
    title: 't',
    body: 'b',
  } as const
}
