import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AskEvent, Memory, MemoryConnectionError, MemoryError } from '../src/index.ts'
import { readEvents } from '../src/server-sent-events.ts'
import { fakeService, problem, streamed } from './fake-service.ts'

const ANSWER = {
  question: 'q',
  answer: 'Five [1].',
  citations: [{ index: 1 }],
  context: [{ title: 'T' }],
  limitations: [],
}
const CONTEXT = ['context', { context: ANSWER.context }] as const
const DELTA = ['delta', { text: 'Five [1].' }] as const
const CITATIONS = ['citations', { citations: ANSWER.citations }] as const
const DONE = ['done', ANSWER] as const

async function collect(response: Response): Promise<{ events: AskEvent[]; error: unknown }> {
  const memory = new Memory({
    apiKey: 'svc_x',
    url: 'http://memory.test',
    fetch: fakeService(() => response).fetch,
  })
  const events: AskEvent[] = []
  try {
    for await (const event of memory.askStream('q', { retry: false })) events.push(event)
    return { events, error: undefined }
  } catch (error) {
    return { events, error }
  }
}

describe('askStream', () => {
  it('yields the context, the pieces of the answer, the citations and the whole answer', async () => {
    const service = fakeService(() => streamed([CONTEXT, DELTA, ['of_tomorrow', {}], CITATIONS, DONE]))
    const memory = new Memory({ apiKey: 'svc_x', url: 'http://memory.test', fetch: service.fetch })
    const events = await Array.fromAsync(memory.askStream({ query: 'q', limit: 2 }))
    expect(events).toEqual([
      { type: 'context', context: ANSWER.context },
      { type: 'delta', text: 'Five [1].' },
      { type: 'citations', citations: ANSWER.citations },
      { type: 'done', answer: ANSWER },
    ])
    expect(service.requests[0]?.headers.get('accept')).toBe('text/event-stream')
    expect(service.requests[0]?.body).toEqual({ query: 'q', limit: 2 })
  })

  it('yields the steps of a thorough answer before its context', async () => {
    const step = { step: 'search', query: 'q', hitCount: 3 }
    const { events } = await collect(streamed([['step', step], CONTEXT, DELTA, CITATIONS, DONE]))
    expect(events.slice(0, 2)).toEqual([
      { type: 'step', step },
      { type: 'context', context: ANSWER.context },
    ])
    expect((await collect(streamed([['step', {}], DONE]))).error).toMatchObject({ code: 'invalid_answer' })
  })

  it('throws the error of the service, before and during the stream', async () => {
    expect((await collect(problem(402, 'subscription_required'))).error).toMatchObject({
      code: 'subscription_required',
    })
    const broken = streamed([
      CONTEXT,
      DELTA,
      ['error', { error: 'The model went away', code: 'upstream_error' }],
    ])
    const { events, error } = await collect(broken)
    expect(events).toHaveLength(2)
    expect(error).toBeInstanceOf(MemoryError)
    expect(error).toMatchObject({ code: 'upstream_error', message: 'The model went away', status: 200 })
  })

  it('throws if the stream breaks off or is no event stream', async () => {
    expect((await collect(streamed([CONTEXT, DELTA]))).error).toBeInstanceOf(MemoryConnectionError)
    expect((await collect(new Response('<html>'))).error).toMatchObject({ code: 'invalid_answer' })
    for (const data of ['nonsense', {}, { text: 5 }])
      expect((await collect(streamed([['delta', data]]))).error).toMatchObject({ code: 'invalid_answer' })
  })

  it('cancels the request when the reader stops', async () => {
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        controller.enqueue(new TextEncoder().encode('event: delta\ndata: {"text":"a"}\n\n')),
      cancel: () => void (isCancelled = true),
    })
    const headers = { 'content-type': 'text/event-stream' }
    const service = fakeService(() => new Response(endless, { headers }))
    const memory = new Memory({ apiKey: 'svc_x', url: 'http://memory.test', fetch: service.fetch })
    for await (const event of memory.askStream('q')) if (event.type === 'delta') break
    expect(isCancelled).toBe(true)
  })
})

describe('a stream of events', () => {
  const read = async (pieces: readonly string[]): Promise<unknown[]> => {
    async function* some(): AsyncGenerator<string> {
      yield* pieces
    }
    return await Array.fromAsync(readEvents(some()))
  }

  it('yields the same events for any chunks and line ends', async () => {
    const text =
      ': hello\n\nevent: a\ndata: 1\ndata:2\n\ndata\n\nid: 7\nevent: b\ndata: x: y\n\nevent: cut off\ndata: z'
    const expected = [
      { event: 'a', data: '1\n2' },
      { event: 'message', data: '' },
      { event: 'b', data: 'x: y' },
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(text.length * 2), { maxLength: 12 }),
        async (end, cuts) => {
          const whole = text.replaceAll('\n', end)
          const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].toSorted(
            (a, b) => a - b,
          )
          const pieces = places.slice(1).map((to, index) => whole.slice(places[index], to))
          expect(await read(pieces)).toEqual(expected)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('throws for an event or a line without end', async () => {
    await expect(read(Array.from({ length: 18 }, () => 'x'.repeat(1024 * 1024)))).rejects.toThrow(RangeError)
    await expect(
      read(Array.from({ length: 18 }, () => `data: ${'x'.repeat(1024 * 1024)}\n`)),
    ).rejects.toThrow(RangeError)
  })
})
