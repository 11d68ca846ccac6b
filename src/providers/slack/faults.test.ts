import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import {
  closeSlack,
  connectSlack as connect,
  differences,
  SLACK_NOW as NOW,
} from '../../../test/support/slack.ts'
import { ProviderError } from '../adapter.ts'

afterEach(closeSlack)

describe('Slack: faults', () => {
  it('a run interrupted at any page and resumed gives the result of an uninterrupted run', async () => {
    const whole = await connect()
    await whole.sync.run()
    const expected = new Map(whole.sync.items)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 8 }),
        fc.boolean(),
        async (cuts, losePage) => {
          const { slack, sync } = await connect({ pageSize: 20, itemsPerPage: 4 })
          for (const dieAfter of cuts) await sync.run({ dieAfter, losePage })
          await sync.run()
          expect(new Map([...sync.items].toSorted())).toEqual(new Map([...expected].toSorted()))
          await slack.close()
        },
      ),
      { numRuns: 8 },
    )
  })

  it('a run interrupted while polling loses no messages sent meanwhile', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    for (let i = 0; i < 130; i += 1) {
      // Half an hour apart, so that each is an item of its own and the poll needs several pages.
      sync.now += 1_800_000
      slack.state.post(channel(0), { text: `news number ${i}.` })
    }
    await sync.run({ dieAfter: 1 })
    sync.now += 20 * 24 * 3600_000
    slack.state.post(channel(0), { text: 'much later' })
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('an empty page does not end a history that has more', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    slack.faults.add({
      path: 'conversations.history',
      contains: channel(1),
      times: 1,
      status: 200,
      body: {
        ok: true,
        messages: [],
        has_more: true,
        response_metadata: { next_cursor: btoa('next_ts:1768867200.000000') },
      },
    })
    expect(await sync.run({ fullResync: true })).toMatchObject({ deleted: [], failures: [] })
    expect(differences(slack, sync)).toEqual([])
  })

  it('a rate limit longer than the budget ends the run with its time, and the next one resumes', async () => {
    const { slack, sync } = await connect({ pageSize: 20, itemsPerPage: 10 })
    await sync.run({ dieAfter: 1 })
    slack.faults.add({ path: 'history', times: 1, status: 429, headers: { 'retry-after': '3600' } })
    const error = await sync.run().catch((failure: unknown) => failure)
    expect(error).toMatchObject({ kind: 'rate_limited' })
    expect(error instanceof ProviderError && error.retryAfterMs).toBeGreaterThanOrEqual(3_600_000)
    sync.now += 4_000_000
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('a thread that always fails is recorded while the rest continues, and is read once it answers', async () => {
    const { slack, sync, channel } = await connect()
    const root = slack.state.allMessages(channel(0)).find((message) => message.reply_count)?.ts ?? ''
    slack.faults.add({ path: 'conversations.replies', contains: root, status: 500 })
    const report = await sync.run()
    expect(report.failures).toEqual([
      { externalId: `T0EMULATOR/${channel(0)}/${root}`, message: '500 Internal Server Error' },
    ])
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('threads that always fail, however many, end no run while Slack answers', async () => {
    const { slack, sync } = await connect()
    slack.faults.add({ path: 'conversations.replies', status: 500 })
    const report = await sync.run()
    expect(report).toMatchObject({ complete: true })
    expect(report.failures.length).toBeGreaterThan(3)
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('a channel that always fails loses nothing stored, and the others continue', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    const before = sync.items.size
    slack.state.post(channel(2), { text: 'still read' })
    slack.faults.add({ path: 'conversations.history', contains: channel(0), status: 500 })
    const report = await sync.run({ fullResync: true })
    expect(report.failures).toMatchObject([{ externalId: `T0EMULATOR/${channel(0)}` }])
    expect(sync.items.size).toBe(before + 1)
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('an answer that is too slow or not from the provider is requested again', async () => {
    const { slack, sync } = await connect({ harness: { limits: { requestTimeoutMs: 500 } } })
    slack.faults.add({ path: 'conversations.history', times: 1, delayMs: 20_000 })
    slack.faults.add({
      path: 'conversations.history',
      times: 1,
      status: 502,
      body: '<html>Bad gateway</html>',
    })
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
    expect(sync.waitedMs).toBeGreaterThan(0)
  })

  it('a run that must stop stops at once, with its own reason', async () => {
    const stop = new AbortController()
    const { slack, sync } = await connect({ harness: { signal: stop.signal } })
    slack.faults.add({ path: 'conversations.history', delayMs: 20_000 })
    const run = sync.run()
    setTimeout(() => stop.abort(new Error('drained')), 50)
    await expect(run).rejects.toThrow('drained')
  })

  it('an outage ends the run with its message; the next run resumes', async () => {
    const { slack, sync } = await connect({ pageSize: 20, itemsPerPage: 10 })
    await sync.run({ dieAfter: 1 })
    slack.faults.add({ path: '/api/', status: 503 })
    await expect(sync.run()).rejects.toMatchObject({
      kind: 'unavailable',
      message: '503 Service Unavailable',
    })
    slack.faults.clear()
    slack.faults.add({ path: '/api/', drop: true })
    await expect(sync.run()).rejects.toMatchObject({ kind: 'unavailable' })
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('a clock an hour fast or slow changes nothing', async () => {
    for (const skew of [-7_200_000, 7_200_000]) {
      const { slack, sync, channel } = await connect({ now: () => NOW })
      sync.now = NOW + skew
      await sync.run()
      slack.state.post(channel(0), { text: "said at the provider's time" })
      await sync.run()
      expect(differences(slack, sync)).toEqual([])
    }
  })

  it.each([{}, { ok: true }, { ok: false }])(
    'the answer %j is an outage and deletes nothing',
    async (body) => {
      const { slack, sync } = await connect()
      await sync.run()
      const before = sync.items.size
      slack.faults.add({ path: 'conversations.list', status: 200, body })
      await expect(sync.run({ fullResync: true })).rejects.toMatchObject({ kind: 'unavailable' })
      expect(sync.items.size).toBe(before)
    },
  )

  it.each([
    ['as an unknown method', { status: 200, body: { ok: false, error: 'unknown_method' } }],
    ['with a 404', { status: 404 }],
  ])('a gateway that refuses auth.test %s leaves the name from the grant', async (_how, answer) => {
    const { slack, sync, channel } = await connect()
    slack.faults.add({ path: 'auth.test', ...answer })
    const report = await sync.run()
    expect(report.failures).toEqual([])
    expect(differences(slack, sync)).toEqual([])
    const [item] = sync.items.values()
    expect(item?.metadata.workspace).toBe('Acme')
    expect(item?.url).toContain(`https://slack.com/archives/${channel(0).slice(0, 1)}`)
  })

  it("a server that does not report the bot's memberships is read without joining", async () => {
    const { slack, sync, channel } = await connect()
    const [first, second] = [channel(0), channel(1)]
    slack.state.setMember(first, true)
    const channels = [
      { id: first, name: 'general' },
      { id: second, name: 'engineering', is_member: false },
    ]
    slack.faults.add({ path: 'conversations.list', status: 200, body: { ok: true, channels } })
    const report = await sync.run()
    expect(report.failures).toEqual([])
    expect(slack.requests.byPath()['/api/conversations.join']).toBeUndefined()
    const read = new Set([...sync.items.values()].map((item) => item.metadata.channelId))
    expect(read).toEqual(new Set([first]))
  })

  it('a changed old thread whose hour could not be read is checked again', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    const messages = slack.state.allMessages(channel(0))
    const reply = messages.find(({ ts, thread_ts: root }) => root !== undefined && root !== ts)
    slack.state.edit(channel(0), reply?.ts ?? '', 'a reply edited long after')
    // Only a request for a single hour has an upper bound.
    const refused = { status: 200, body: { ok: false, error: 'invalid_ts_latest' } }
    slack.faults.add({ path: 'conversations.history', contains: 'latest=', ...refused })
    expect((await sync.run()).failures).toHaveLength(1)
    slack.faults.clear()
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('threads that never answer do not keep the others from being checked', async () => {
    const { slack, sync, channel } = await connect({ seed: { messagesPerChannel: 60, threadShare: 0.9 } })
    await sync.run()
    const messages = slack.state.allMessages(channel(2))
    const reply = messages.find(({ ts, thread_ts: root }) => root !== undefined && root !== ts)
    slack.state.edit(channel(2), reply?.ts ?? '', 'a reply edited long after')
    const refused = { status: 200, body: { ok: false, error: 'invalid_arguments' } }
    for (const index of [0, 1]) {
      slack.faults.add({ path: 'conversations.replies', contains: channel(index), ...refused })
    }
    for (let run = 0; run < 7; run += 1) {
      sync.now += 900_000
      await sync.run()
    }
    expect(sync.bodies().some((body) => body.includes('a reply edited long after'))).toBe(true)
  })
})
