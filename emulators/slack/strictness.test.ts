import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type SlackEmulator, type SlackEmulatorOptions, startSlackEmulator } from './index.ts'

const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const Answer = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  response_metadata: z.object({ next_cursor: z.string() }).optional(),
})

async function workspace(options: SlackEmulatorOptions = {}) {
  const slack = await startSlackEmulator({
    ...options,
    seed: { channels: 3, messagesPerChannel: 8, users: 3, ...options.seed },
  })
  opened.push(slack)
  const { accessToken } = slack.grants.issue(slack.team.id, 'groups:read,channels:join')
  const call = async (
    method: string,
    body: Record<string, string> = {},
    token: string | null = accessToken,
  ) => {
    const answer = await fetch(`${slack.url}/api/${method}`, {
      method: 'POST',
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      body: new URLSearchParams(body),
    })
    return Answer.parse(await answer.json())
  }
  return { slack, call, channel: slack.state.channels()[0]?.id ?? '' }
}

describe('the Slack Web API', () => {
  it('returns not_authed without a token, and invalid_auth for an unknown one', async () => {
    const { call } = await workspace()
    expect(await call('auth.test', {}, null)).toEqual({ ok: false, error: 'not_authed' })
    expect(await call('auth.test', {}, 'xoxb-made-up')).toEqual({ ok: false, error: 'invalid_auth' })
  })

  it('accepts only cursors that it issued for the same kind of list', async () => {
    const { call, channel } = await workspace()
    const channels = await call('conversations.list', { limit: '2' })
    const cursor = channels.response_metadata?.next_cursor ?? ''
    expect(await call('conversations.list', { limit: '2', cursor })).toMatchObject({ ok: true })
    const history = await call('conversations.history', { channel, limit: '2' })
    const older = history.response_metadata?.next_cursor ?? ''
    expect(await call('conversations.history', { channel, cursor: older })).toMatchObject({ ok: true })
    const refused = { ok: false, error: 'invalid_cursor' }
    for (const wrong of ['x', '2', older])
      expect(await call('conversations.list', { cursor: wrong })).toEqual(refused)
    for (const wrong of ['x', cursor]) {
      expect(await call('conversations.history', { channel, cursor: wrong })).toEqual(refused)
    }
  })

  it.each(['0', '-1', '1000', 'many'])('refuses the limit %s', async (limit) => {
    const { call, channel } = await workspace()
    const refused = { ok: false, error: 'invalid_limit' }
    expect(await call('conversations.list', { limit })).toEqual(refused)
    expect(await call('conversations.history', { channel, limit })).toEqual(refused)
  })

  it('refuses invalid times and unknown channel types', async () => {
    const { call, channel } = await workspace()
    expect(await call('conversations.history', { channel, oldest: 'x' })).toMatchObject({
      error: 'invalid_ts_oldest',
    })
    expect(await call('conversations.history', { channel, latest: 'x' })).toMatchObject({
      error: 'invalid_ts_latest',
    })
    expect(await call('conversations.list', { types: 'channels' })).toMatchObject({ error: 'invalid_types' })
  })
})

interface Received {
  eventId: string
  retryNum: string | undefined
  retryReason: string | undefined
}

const Envelope = z.looseObject({ event_id: z.string() })

/** A server that answers each event with the next status; the last one repeats. */
async function receiver(statuses: number[], headers: Record<string, string> = {}) {
  const received: Received[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (data: Buffer) => (body += data.toString('utf8')))
    request.on('end', () => {
      const header = (name: string) => [request.headers[name]].flat()[0]
      received.push({
        eventId: Envelope.parse(JSON.parse(body)).event_id,
        retryNum: header('x-slack-retry-num'),
        retryReason: header('x-slack-retry-reason'),
      })
      response.writeHead((statuses.length > 1 ? statuses.shift() : statuses[0]) ?? 200, headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push({ close: () => new Promise((resolve) => void server.close(() => resolve())) })
  const { port } = server.address() as AddressInfo
  return { received, url: `http://127.0.0.1:${port}` }
}

const post = async (slack: SlackEmulator): Promise<void> => {
  slack.state.post(slack.state.channels()[0]?.id ?? '', { text: 'news' })
  await slack.eventsSent()
}

describe('the Slack Events API', () => {
  it('resends an event with the same id and the reason, at most three times', async () => {
    const { received, url } = await receiver([500])
    const { slack } = await workspace({ eventsUrl: url, retryDelaysMs: [0, 0, 0] })
    await post(slack)
    expect(received.map(({ retryNum, retryReason }) => [retryNum, retryReason])).toEqual([
      [undefined, undefined],
      ['1', 'http_error'],
      ['2', 'http_error'],
      ['3', 'http_error'],
    ])
    expect(new Set(received.map(({ eventId }) => eventId)).size).toBe(1)
  })

  it('stops once an event is accepted, or when the answer asks for no retry', async () => {
    const taken = await receiver([500, 200])
    await post((await workspace({ eventsUrl: taken.url, retryDelaysMs: [0, 0, 0] })).slack)
    expect(taken.received).toHaveLength(2)
    const refusing = await receiver([500], { 'x-slack-no-retry': '1' })
    await post((await workspace({ eventsUrl: refusing.url, retryDelaysMs: [0, 0, 0] })).slack)
    expect(refusing.received).toHaveLength(1)
  })

  it('sends messages only of channels that the bot is in', async () => {
    const { received, url } = await receiver([200])
    const { slack } = await workspace({ eventsUrl: url, seed: { memberChannels: 0 } })
    await post(slack)
    expect(received).toEqual([])
  })
})
