import { describe, expect, it } from 'vitest'
import { startSlackEmulator } from '../../../emulators/slack/index.ts'
import { startEmulatorServer, type EmulatorRequest } from '../../../emulators/kit/server.ts'
import { readSlackEvent, signSlackBody, verifySlackSignature } from './webhook.ts'

const now = new Date('2026-01-20T12:00:00Z')
const timestamp = String(now.getTime() / 1000)

const callback = (event: Record<string, unknown>) =>
  readSlackEvent({ type: 'event_callback', team_id: 'T1', event_id: 'Ev1', event })
const changed = (hint: Record<string, unknown>) => ({
  kind: 'changed',
  accountId: 'T1',
  eventId: 'Ev1',
  hints: [hint],
})

describe('the signature of an event', () => {
  const rawBody = '{"type":"event_callback"}'
  const signature = signSlackBody('secret', timestamp, rawBody)
  const request = { signingSecret: 'secret', timestamp, signature, rawBody, now }

  it("matches Slack's for the example in its documentation", () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
      '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
      '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d' +
      '10d2c447fce8b6703c'
    expect(signSlackBody('8f742231b10e8888abcd99yyyzzz85a5', '1531420618', body)).toBe(
      'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    )
  })

  it('is valid when ours and at most five minutes old', () => {
    expect(verifySlackSignature(request)).toBe(true)
    expect(verifySlackSignature({ ...request, now: new Date(now.getTime() + 300_000) })).toBe(true)
  })

  it.each([
    ['another secret', { signingSecret: 'other' }],
    ['another body', { rawBody: `${rawBody} ` }],
    ['another time', { timestamp: String(Number(timestamp) + 1) }],
    ['no time', { timestamp: undefined }],
    ['no signature', { signature: undefined }],
    ['half a signature', { signature: signature.slice(0, 20) }],
    ['a time that is no number', { timestamp: 'now' }],
    ['six minutes later', { now: new Date(now.getTime() + 360_000) }],
    ['six minutes earlier', { now: new Date(now.getTime() - 360_000) }],
  ])('is refused with %s', (_name, change) => {
    expect(verifySlackSignature({ ...request, ...change })).toBe(false)
  })
})

describe('an event', () => {
  it('answers the challenge', () => {
    expect(readSlackEvent({ type: 'url_verification', challenge: 'abc' })).toEqual({
      kind: 'challenge',
      challenge: 'abc',
    })
  })

  it('requests the hour of a message, and its thread', () => {
    const message = { type: 'message', channel: 'C1', ts: '1700000000.000100' }
    expect(callback(message)).toEqual(changed({ kind: 'message', channel: 'C1', ts: '1700000000.000100' }))
    expect(callback({ ...message, thread_ts: '1600000000.000100' })).toEqual(
      changed({ kind: 'message', channel: 'C1', ts: '1700000000.000100', threadTs: '1600000000.000100' }),
    )
  })

  it('requests the changed or deleted message, not the time of the change', () => {
    const event = { type: 'message', channel: 'C1', ts: '1800000000.000000' }
    expect(callback({ ...event, subtype: 'message_changed', message: { ts: '1700000000.000100' } })).toEqual(
      changed({ kind: 'message', channel: 'C1', ts: '1700000000.000100' }),
    )
    const previous = { ts: '1700000000.000100', thread_ts: '1600000000.000100' }
    expect(
      callback({ ...event, subtype: 'message_deleted', deleted_ts: previous.ts, previous_message: previous }),
    ).toEqual(changed({ kind: 'message', channel: 'C1', ts: previous.ts, threadTs: previous.thread_ts }))
  })

  it('that is not content is ignored', () => {
    expect(callback({ type: 'message', subtype: 'channel_join', channel: 'C1', ts: '1.1' })).toMatchObject({
      kind: 'ignored',
    })
    expect(callback({ type: 'reaction_added' })).toEqual({ kind: 'ignored', reason: 'reaction_added' })
  })

  it('about channels requests the list of channels', () => {
    expect(callback({ type: 'channel_rename', channel: { id: 'C1', name: 'x' } })).toEqual({
      ...changed({ kind: 'channels' }),
      changesPermissions: true,
    })
  })

  it('about a channel that becomes private or public requests the permissions at once', () => {
    for (const subtype of ['channel_convert_to_private', 'channel_convert_to_public'])
      expect(callback({ type: 'message', subtype, channel: 'C1', ts: '1.1' })).toEqual({
        ...changed({ kind: 'channels' }),
        changesPermissions: true,
      })
  })

  it('of a channel shared with another company belongs to the workspace of the app', () => {
    const event = { type: 'message', channel: 'C1', ts: '1700000000.000100' }
    const whole = { type: 'event_callback', team_id: 'TPARTNER', event_id: 'Ev1', event }
    expect(readSlackEvent({ ...whole, authorizations: [{ team_id: 'T1' }] })).toMatchObject({
      accountId: 'T1',
    })
    for (const authorizations of [[], [{ team_id: null }], 'T1', undefined])
      expect(readSlackEvent({ ...whole, authorizations })).toMatchObject({ accountId: 'TPARTNER' })
  })

  it.each([
    [{ type: 'member_left_channel', user: 'U1', channel: 'C1' }],
    [{ type: 'team_join', user: { id: 'U1' } }],
    [{ type: 'user_change', user: { id: 'U1', deleted: true } }],
    [{ type: 'user_change', user: { id: 'U1', is_restricted: true } }],
  ])('of users who join or leave requests only the permissions (%#)', (event) => {
    expect(callback(event)).toEqual({ kind: 'permissions', accountId: 'T1', eventId: 'Ev1' })
  })

  it('of a new status or name is ignored', () => {
    expect(callback({ type: 'user_change', user: { id: 'U1', deleted: false } })).toMatchObject({
      kind: 'ignored',
    })
  })

  it("reports the app's removal or a revoked bot token, but no user tokens", () => {
    expect(callback({ type: 'app_uninstalled' })).toMatchObject({
      kind: 'disconnected',
      reason: 'app_uninstalled',
    })
    expect(callback({ type: 'tokens_revoked', tokens: { bot: ['UBOT'] } })).toMatchObject({
      kind: 'disconnected',
    })
    expect(callback({ type: 'tokens_revoked', tokens: { oauth: ['U1'] } })).toMatchObject({ kind: 'ignored' })
  })

  it('that is invalid is refused with the reason', () => {
    expect(() => readSlackEvent({ type: 'event_callback' })).toThrow(/team_id/)
    expect(() => readSlackEvent('hello')).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  it.each(['T\u0000', 'T\ud800', 'T'.repeat(256)])(
    "holds no text that the database cannot store, nor ids longer than Slack's (%#)",
    (text) => {
      const event = { type: 'message', channel: 'C1', ts: '1.1' }
      const whole = { type: 'event_callback', team_id: 'T1', event_id: 'E1', event }
      for (const field of ['team_id', 'event_id'])
        expect(() => readSlackEvent({ ...whole, [field]: text })).toThrow(
          expect.objectContaining({ code: 'validation_failed' }),
        )
      for (const field of ['channel', 'ts', 'thread_ts', 'deleted_ts'])
        expect(readSlackEvent({ ...whole, event: { ...event, [field]: text } })).toMatchObject({
          kind: 'ignored',
        })
    },
  )

  it('from the emulator is signed and parsed', async () => {
    const received: EmulatorRequest[] = []
    const receiver = await startEmulatorServer({
      handle: (request) => {
        received.push(request)
        return { json: {} }
      },
    })
    const slack = await startSlackEmulator({ eventsUrl: `${receiver.url}/hook`, now: () => now.getTime() })
    const channel = slack.state.channels()[0]?.id ?? ''
    const ts = slack.state.post(channel, { text: 'hello' })
    slack.state.delete(channel, ts)
    await slack.eventsSent()
    await Promise.all([slack.close(), receiver.close()])
    const outcomes = received.map((request) => readSlackEvent(JSON.parse(request.body)))
    expect(outcomes).toMatchObject([{ hints: [{ channel, ts }] }, { hints: [{ channel, ts }] }])
    const valid = received.map((request) =>
      verifySlackSignature({
        signingSecret: slack.env['SLACK_SIGNING_SECRET'] ?? '',
        timestamp: request.headers['x-slack-request-timestamp'],
        signature: request.headers['x-slack-signature'],
        rawBody: request.body,
        now,
      }),
    )
    expect(valid).toEqual([true, true])
  })
})
