import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  closeSlack,
  connectSlack as connect,
  differences,
  findItems as find,
  type ConnectedSlack,
} from '../../../../test/support/slack.ts'
import type { JsonValue } from '../../adapter.ts'

afterEach(closeSlack)

const jsonValue: z.ZodType<JsonValue> = z.json()

/** A channel's roots and messages outside threads, oldest first, without system events. */
const topLevel = ({ slack, channel }: ConnectedSlack, index: number) =>
  slack.state
    .history(channel(index), { oldest: '', latest: '~', limit: 10_000 })
    .filter((message) => !message.subtype)
    .toReversed()

const oldestTs = (connected: ConnectedSlack, index: number) => topLevel(connected, index)[0]?.ts ?? ''
const hasThread = (message: { reply_count?: number }) => (message.reply_count ?? 0) > 0

/** A cursor as if too many threads existed to watch any of these. */
const forgetThreads = (cursor: JsonValue): JsonValue =>
  jsonValue.parse({ ...z.looseObject({}).parse(cursor), threads: {} })

describe('Slack: history older than the look-back, without events', () => {
  it('matches Slack after the very next run: messages deleted and edited, threads deleted', async () => {
    const connected = await connect()
    const { slack, sync, channel } = connected
    await sync.run()
    const old = topLevel(connected, 0).slice(0, 25)
    const lone = old.filter((message) => !hasThread(message))
    const root = old.find(hasThread)?.ts ?? ''
    slack.state.delete(channel(0), lone[0]?.ts ?? '')
    slack.state.edit(channel(0), lone.at(-1)?.ts ?? '', 'edited long after')
    for (const { ts } of slack.state.thread(channel(0), root).toReversed()) slack.state.delete(channel(0), ts)
    slack.state.delete(channel(2), oldestTs(connected, 2))
    const report = await sync.run()
    expect(differences(slack, sync)).toEqual([])
    expect(find(sync, 'edited long after')).toHaveLength(1)
    expect(sync.items.has(`T0EMULATOR/${channel(0)}/${root}`)).toBe(false)
    expect(report.ingested.length).toBeLessThan(6)
  })

  it('shows new and deleted replies of every thread at once, however many threads there are', async () => {
    const connected = await connect({ seed: { messagesPerChannel: 60, threadShare: 0.6 } })
    const { slack, sync, channel } = connected
    await sync.run()
    for (const index of [0, 1, 2]) {
      const roots = topLevel(connected, index).filter(hasThread)
      expect(roots.length).toBeGreaterThan(20)
      for (const [position, { ts }] of roots.entries()) {
        const [, reply] = slack.state.thread(channel(index), ts)
        if (position % 2 === 0) slack.state.delete(channel(index), reply?.ts ?? '')
        else slack.state.post(channel(index), { text: `late reply to ${ts}.`, threadTs: ts })
      }
    }
    // Each of these threads is a request; one run makes at most about 80.
    for (let run = 0; run < 4; run += 1) await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('that is unchanged stores nothing and needs no extra request', async () => {
    const connected = await connect()
    const { slack, sync, channel } = connected
    await sync.run()
    // Also after the look-back has moved past the first messages.
    for (let day = 0; day < 10; day += 1) {
      sync.now += 24 * 3600_000
      slack.state.post(channel(0), { text: `news of day ${day}.` })
      await sync.run()
    }
    slack.requests.reset()
    const report = await sync.run()
    expect(report).toMatchObject({ pages: 1, ingested: [], deleted: [], failures: [], discovered: 0 })
    const { '/api/conversations.replies': replies, ...others } = slack.requests.byPath()
    expect(others).toEqual({
      '/api/auth.test': 1,
      '/api/conversations.list': 1,
      '/api/conversations.history': 3,
    })
    expect(replies).toBeLessThanOrEqual(50)
    slack.state.delete(channel(0), oldestTs(connected, 0))
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('that changed in one place is reread only around it', async () => {
    const connected = await connect({
      itemsPerPage: 20,
      seed: { channels: 1, messagesPerChannel: 600, days: 100 },
    })
    const { slack, sync, channel } = connected
    await sync.run()
    slack.state.delete(channel(0), oldestTs(connected, 0))
    const { discovered } = await sync.run()
    expect(discovered).toBeGreaterThan(0)
    expect(discovered).toBeLessThan(60)
    expect(differences(slack, sync)).toEqual([])
  })

  it('requests unwatched threads only if a nearby root has changed', async () => {
    const connected = await connect({ changeCursor: forgetThreads })
    const { slack, sync, channel } = connected
    const replies = () => slack.requests.byPath()['/api/conversations.replies'] ?? 0
    await sync.run()
    slack.requests.reset()
    const lone = topLevel(connected, 0).find((message) => !hasThread(message))
    slack.state.delete(channel(0), lone?.ts ?? '')
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
    expect(replies()).toBe(0)
    const root = topLevel(connected, 1).find(hasThread)?.ts ?? ''
    slack.state.post(channel(1), { text: 'a late reply', threadTs: root })
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
    expect(replies()).toBeGreaterThan(0)
  })

  it.each(['replies', 'history'])('is reread where an event led to %s that were refused', async (refused) => {
    const connected = await connect({ changeCursor: forgetThreads })
    const { slack, sync, channel } = connected
    await sync.run()
    const root = topLevel(connected, 1).find(hasThread)?.ts ?? ''
    const [, reply] = slack.state.thread(channel(1), root)
    const ts = reply?.ts ?? ''
    slack.state.edit(channel(1), ts, 'a reply edited long after')
    const hint = { kind: 'message', channel: channel(1), ts, threadTs: root }
    const answer = { status: 200, body: { ok: false, error: 'invalid_arguments' } }
    slack.faults.add({ path: `conversations.${refused}`, ...answer })
    await sync.run({ push: { since: new Date(0), hints: [hint] } })
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('over the budget is compared over several runs, starting with the channels that waited longest', async () => {
    const connected = await connect({ verifiedMessages: 20 })
    const { slack, sync, channel } = connected
    await sync.run()
    for (let round = 0; round < 3; round += 1) {
      for (const index of [0, 1, 2]) slack.state.delete(channel(index), oldestTs(connected, index))
      const wrong: number[] = []
      for (let run = 0; run < 3; run += 1) {
        await sync.run()
        wrong.push(differences(slack, sync).length)
      }
      expect(wrong[0]).toBeGreaterThan(0)
      expect(wrong.at(-1)).toBe(0)
    }
  })

  it('of one channel larger than the budget is compared over several runs, each resuming the last', async () => {
    const connected = await connect({
      verifiedMessages: 100,
      itemsPerPage: 20,
      seed: { channels: 1, messagesPerChannel: 400, days: 100 },
    })
    const { slack, sync, channel } = connected
    await sync.run()
    slack.state.delete(channel(0), oldestTs(connected, 0))
    let runs = 0
    while (differences(slack, sync).length > 0 && runs < 20) {
      await sync.run()
      runs += 1
    }
    // 400 messages, 100 a run and up to a stretch more.
    expect(runs).toBeGreaterThan(1)
    expect(runs).toBeLessThanOrEqual(6)
  })

  it('is compared hourly despite events too: a lost event leaves nothing behind', async () => {
    const connected = await connect()
    const { slack, sync, channel } = connected
    await sync.run()
    const push = { since: new Date(0), hints: [] }
    slack.state.delete(channel(0), oldestTs(connected, 0))
    await sync.run({ push })
    expect(differences(slack, sync)).not.toEqual([])
    sync.now += 3_600_000
    await sync.run({ push })
    expect(differences(slack, sync)).toEqual([])
  })

  it.each([
    ['in the look-back', false],
    ['under an older root', true],
  ])("and an event's item %s is deleted although the deletion event was lost", async (_where, isReply) => {
    const connected = await connect({ seed: { messagesPerChannel: 60, threadShare: 0.9 } })
    const { slack, sync, channel } = connected
    await sync.run()
    const late = slack.state.post(channel(0), { text: 'the newest of all' })
    // More recently active threads than a poll checks.
    for (const { ts } of topLevel(connected, 1).filter(hasThread)) {
      slack.state.post(channel(1), { text: 'later than the others', threadTs: ts })
    }
    await sync.run()
    const root = topLevel(connected, 0).find(hasThread)?.ts ?? ''
    const reply = {
      text: 'to be regretted',
      ts: `${Math.floor(Number(root)) + 3_000}.000000`,
      threadTs: root,
    }
    const ts = slack.state.post(channel(0), isReply ? reply : { text: 'to be regretted' })
    expect(ts > late).toBe(!isReply)
    const hint = { kind: 'message', channel: channel(0), ts, ...(isReply ? { threadTs: root } : {}) }
    await sync.run({ push: { since: new Date(0), hints: [hint] } })
    expect(find(sync, 'to be regretted')).toHaveLength(1)
    slack.state.delete(channel(0), ts)
    sync.now += 3_600_000
    await sync.run({ push: { since: new Date(0), hints: [] } })
    expect(differences(slack, sync)).toEqual([])
  })

  it('ends correct whatever changes, wherever runs are interrupted, with any budget', async () => {
    const change = fc.tuple(fc.constantFrom('delete', 'edit', 'reply', 'post'), fc.nat(200))
    const step = fc.record({
      changes: fc.array(change, { maxLength: 4 }),
      dieAfter: fc.integer({ min: 1, max: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(10, 40, 20_000),
        fc.boolean(),
        async (steps, verifiedMessages, losePage) => {
          const connected = await connect({
            pageSize: 15,
            itemsPerPage: 4,
            verifiedMessages,
            seed: { messagesPerChannel: 25 },
          })
          const { slack, sync } = connected
          await sync.run({ dieAfter: 2 })
          for (const { changes, dieAfter } of steps) {
            for (const [kind, nth] of changes) changeSomething(connected, kind, nth)
            sync.now += 20 * 3600_000
            await sync.run({ dieAfter, losePage })
          }
          for (let run = 0; run < 20 && (run < 2 || differences(slack, sync).length > 0); run += 1)
            await sync.run()
          expect(differences(slack, sync)).toEqual([])
          expect(new Set(sync.bodies()).size).toBe(sync.items.size)
          await slack.close()
        },
      ),
      { numRuns: 8 },
    )
  })
})

let edits = 0
function changeSomething(connected: ConnectedSlack, kind: string, nth: number): void {
  const { slack, channel } = connected
  const id = channel(nth % 3)
  const messages = topLevel(connected, nth % 3)
  const ts = messages[nth % messages.length]?.ts ?? ''
  edits += 1
  if (kind === 'delete') slack.state.delete(id, ts)
  else if (kind === 'edit') slack.state.edit(id, ts, `edit number ${edits}.`)
  else if (kind === 'reply') slack.state.post(id, { text: `reply number ${edits}.`, threadTs: ts })
  else slack.state.post(id, { text: `news number ${edits}.` })
}

describe('Slack: older history that is refused', () => {
  it('is recorded, keeps the other news and stored items, and is compared once it answers', async () => {
    const connected = await connect({ pageSize: 15 })
    const { slack, sync, channel } = connected
    await sync.run()
    const stored = sync.items.size
    slack.state.delete(channel(0), oldestTs(connected, 0))
    slack.state.post(channel(2), { text: 'said meanwhile' })
    slack.faults.add({
      path: 'conversations.history',
      contains: 'latest=',
      status: 200,
      body: { ok: false, error: 'invalid_ts_latest' },
    })
    for (let run = 0; run < 2; run += 1) {
      const report = await sync.run()
      expect(report.failures).toContainEqual({
        externalId: `T0EMULATOR/${channel(0)}`,
        title: '#general',
        message: 'invalid_ts_latest',
      })
    }
    expect(find(sync, 'said meanwhile')).toHaveLength(1)
    expect(sync.items.size).toBe(stored + 1)
    slack.faults.clear()
    expect((await sync.run()).failures).toEqual([])
    expect(differences(slack, sync)).toEqual([])
  })

  it('permanently in one place does not keep newer history from being compared', async () => {
    const seed = { channels: 1, messagesPerChannel: 400, days: 100 }
    const connected = await connect({ pageSize: 150, itemsPerPage: 20, seed })
    const { slack, sync, channel } = connected
    await sync.run()
    const refused = { status: 200, body: { ok: false, error: 'invalid_ts_latest' } }
    slack.faults.add({ path: 'conversations.history', contains: 'latest=', ...refused })
    expect((await sync.run()).failures).toHaveLength(1)
    slack.state.delete(channel(0), topLevel(connected, 0).at(-50)?.ts ?? '')
    for (let run = 0; run < 2; run += 1) expect((await sync.run()).failures).toHaveLength(1)
    expect(differences(slack, sync)).toEqual([])
  })

  it.each([
    ['the first run', true],
    ['a poll', false],
  ])('thread by thread in %s is read with the next run, however many there are', async (_when, isFirst) => {
    const connected = await connect({ seed: { channels: 1, messagesPerChannel: 90, threadShare: 0.95 } })
    const { slack, sync, channel } = connected
    if (!isFirst) {
      await sync.run()
      const roots = topLevel(connected, 0).filter(hasThread)
      for (const { ts } of roots) slack.state.post(channel(0), { text: `more on ${ts}.`, threadTs: ts })
    }
    const refused = { status: 200, body: { ok: false, error: 'invalid_arguments' } }
    slack.faults.add({ path: 'conversations.replies', ...refused })
    expect((await sync.run()).failures.length).toBeGreaterThan(70)
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('is compared by a later run if Slack does not answer for it', async () => {
    const { slack, sync } = await connect({ pageSize: 15 })
    await sync.run()
    slack.faults.add({ path: 'conversations.history', contains: 'latest=', status: 503 })
    const report = await sync.run()
    expect(report).toMatchObject({ complete: true, deleted: [] })
    expect(report.failures.length).toBeGreaterThanOrEqual(3)
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })
})

describe('Slack: a cursor saved before older history was compared', () => {
  const saved = z.looseObject({ channels: z.record(z.string(), z.looseObject({})) })
  const withoutMarks = (cursor: JsonValue): JsonValue => {
    const state = saved.parse(cursor)
    const channels = Object.entries(state.channels).map(([id, { older: _older, ...channel }]) => [
      id,
      { ...channel, readAt: 1 },
    ])
    return jsonValue.parse({ ...state, channels: Object.fromEntries(channels) })
  }

  it('is accepted: one read without its known threads supplies the rest', async () => {
    let isOld = true
    const connected = await connect({ changeCursor: (cursor) => (isOld ? withoutMarks(cursor) : cursor) })
    const { slack, sync, channel } = connected
    await sync.run()
    slack.state.delete(channel(0), oldestTs(connected, 0))
    slack.requests.reset()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
    expect(slack.requests.byPath()['/api/conversations.history']).toBe(3)
    expect(slack.requests.byPath()['/api/conversations.replies']).toBeLessThanOrEqual(50)
    isOld = false
    expect(await sync.run()).toMatchObject({ pages: 1, ingested: [], discovered: 0 })
  })
})
