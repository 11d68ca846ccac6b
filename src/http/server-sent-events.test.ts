import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { afterEach, expect, it, vi } from 'vitest'
import { until } from '../../test/support/until.ts'
import type { StreamEvent } from './route.ts'
import { sendEvents } from './server-sent-events.ts'

/** More than the buffers between two sockets hold. */
const LARGE = 'a'.repeat(32 * 1024 * 1024)

afterEach(() => {
  vi.useRealTimers()
})

it('gives up a reader that does not take an event within a minute, and charges it', async () => {
  const app = Fastify()
  const settle = vi.fn<() => Promise<void>>(async () => {})
  const refund = vi.fn<() => Promise<void>>(async () => {})
  const retrieved = () => ({ requestId: '1', query: 'q', hitCount: 0, providers: [] })
  async function* stream(): AsyncGenerator<StreamEvent> {
    yield { event: 'context', data: LARGE }
    yield { event: 'done', data: LARGE }
  }
  app.get('/', async (_request, reply) =>
    sendEvents(reply, { stream: stream(), retrieved }, { settle, refund }),
  )
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const reader = connect(Number(port), '127.0.0.1', () => reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
  await once(reader, 'readable')
  await until(
    'the stall',
    async () => vi.getTimerCount(),
    (timers) => timers === 1,
  )
  vi.advanceTimersByTime(59_000)
  expect(settle).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  await until(
    'the charge',
    async () => settle.mock.calls.length,
    (calls) => calls === 1,
  )
  expect(refund).not.toHaveBeenCalled()
  reader.destroy()
  vi.useRealTimers()
  await app.close()
})

it('charges once when the outcome of the charge is unknown and the reader leaves after the last event', async () => {
  const app = Fastify()
  let charges = 0
  let isGone: Promise<unknown> = Promise.resolve()
  // The database counted the credit, but its reply was lost.
  const settle = async (): Promise<void> => {
    charges += 1
    await isGone
    throw new Error('Connection terminated unexpectedly')
  }
  const refund = vi.fn<() => Promise<void>>(async () => {})
  const retrieved = () => ({ requestId: '1', query: 'q', hitCount: 0, providers: [] })
  async function* stream(): AsyncGenerator<StreamEvent> {
    yield { event: 'done', data: {} }
  }
  app.get('/', async (_request, reply) => {
    isGone = once(reply.raw, 'close')
    return await sendEvents(reply, { stream: stream(), retrieved }, { settle, refund })
  })
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const reader = connect(Number(port), '127.0.0.1', () => reader.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
  reader.once('data', () => reader.destroy())
  await until(
    'the end of the stream',
    async () => refund.mock.calls.length + charges,
    (calls) => calls > 1,
  )
  expect([charges, refund.mock.calls.length]).toEqual([1, 1])
  await app.close()
})
