import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  closeSlack,
  connectSlack as connect,
  differences,
  findItems as find,
  SLACK_NOW as NOW,
} from '../../../test/support/slack.ts'
import type { JsonValue } from '../adapter.ts'

afterEach(closeSlack)

/** A cursor of a version that forgot channels without deleting their items. */
function withoutChannels(cursor: JsonValue): JsonValue {
  const { allowlist: _allowlist, ...state } = z.looseObject({ allowlist: z.string() }).parse(cursor)
  return z.json().parse({ ...state, channels: {} })
}

describe('Slack: the first run', () => {
  it('stores every message of every channel once, threads with their replies, without system events', async () => {
    const { slack, sync } = await connect()
    const report = await sync.run()
    expect(differences(slack, sync)).toEqual([])
    expect(report.failures).toEqual([])
    expect(sync.bodies().some((body) => body.includes('has joined the channel'))).toBe(false)
    expect([...sync.items.values()].some((item) => item.metadata.threadId !== undefined)).toBe(true)
  })

  it('stores the same with any page size, including the 15 objects of a restricted app', async () => {
    const large = await connect()
    await large.sync.run()
    const small = await connect({
      restricted: true,
      pageSize: 7,
      harness: { limits: { maxRateLimitWaitMs: 1e9 } },
    })
    await small.sync.run()
    expect([...small.sync.items.keys()].toSorted()).toEqual([...large.sync.items.keys()].toSorted())
    expect(small.sync.bodies()).toEqual(large.sync.bodies())
    expect(small.sync.waitedMs).toBeGreaterThan(60_000)
  })

  it('resolves users, channels and links, and links to the message', async () => {
    const { slack, sync, channel } = await connect({ seed: { messagesPerChannel: 2 } })
    const [ana, ben] = slack.state.users()
    const text = `<@${ben?.id}> asked in <#${channel(1)}> about <https://x.example/a?b=1&amp;c=2|the plan>, R&amp;D`
    const ts = slack.state.post(channel(0), { text, user: ana?.id ?? '' })
    await sync.run()
    const [item] = find(sync, 'the plan')
    expect(item?.body).toBe(
      '@Ben Lima asked in #engineering about the plan (https://x.example/a?b=1&c=2), R&D',
    )
    expect(item).toMatchObject({
      externalId: `T0EMULATOR/${channel(0)}/${ts}`,
      sourceKind: 'message',
      title: '#general: @Ben Lima asked in #engineering about the plan (https://x.example/a?b=1&c=2), R…',
      url: `https://acme.slack.com/archives/${channel(0)}/p${ts.replace('.', '')}`,
      authorName: 'Ana Lima',
      metadata: {
        workspace: 'Acme',
        channel: 'general',
        sender: 'Ana Lima',
        senderEmail: 'ana.lima@acme.example',
      },
    })
  })

  it('reads private channels with the bot in them, and only public ones without the scope', async () => {
    const both = await connect()
    const secret = both.slack.state.addChannel({ name: 'board', isPrivate: true, isMember: true })
    both.slack.state.post(secret, { text: 'the secret plan' })
    await both.sync.run()
    expect(find(both.sync, 'the secret plan')[0]?.metadata.accessPolicy).toEqual({
      visibility: 'restricted',
      groups: [expect.stringMatching(/^C/)],
    })

    const publicOnly = await connect({ scopes: 'channels:read,channels:join,users:read' })
    const hidden = publicOnly.slack.state.addChannel({ name: 'board', isPrivate: true, isMember: true })
    publicOnly.slack.state.post(hidden, { text: 'the secret plan' })
    const report = await publicOnly.sync.run()
    expect(find(publicOnly.sync, 'the secret plan')).toEqual([])
    expect(report.ingested.length).toBeGreaterThan(0)
  })

  it('records an allowed channel it cannot join once, and reads it when the bot is invited', async () => {
    const { slack, sync, channel } = await connect({ seed: { memberChannels: 0 } })
    const allowlist = [channel(0), channel(1), channel(2)]
    slack.state.setArchived(channel(1), true)
    const first = await sync.run({ allowlist })
    expect(first.failures).toEqual([
      {
        externalId: `T0EMULATOR/${channel(1)}`,
        title: '#engineering',
        message: 'The channel cannot be joined: is_archived',
      },
    ])
    expect((await sync.run({ allowlist })).failures).toEqual([])
    slack.state.setMember(channel(1), true)
    await sync.run({ allowlist })
    expect(differences(slack, sync)).toEqual([])
  })
})

describe('Slack: joining a channel', () => {
  it('happens only for channels on the allowlist', async () => {
    const { slack, sync, channel } = await connect({ seed: { memberChannels: 1 } })
    const channelsRead = () => new Set([...sync.items.values()].map((item) => item.metadata.channelId))
    await sync.run()
    expect(channelsRead()).toEqual(new Set([channel(0)]))
    expect(slack.requests.byPath()['/api/conversations.join']).toBeUndefined()
    await sync.run({ allowlist: [channel(1)] })
    expect(channelsRead()).toEqual(new Set([channel(1)]))
    expect(slack.state.channels().map(({ isMember }) => isMember)).toEqual([true, true, false])
  })

  it('without an answer is retried by the next run', async () => {
    const { slack, sync, channel } = await connect({ seed: { memberChannels: 0 } })
    const allowlist = [channel(0), channel(1), channel(2)]
    // All five attempts at the first channel.
    slack.faults.add({ path: 'conversations.join', times: 5, status: 503, body: '' })
    const [failure] = (await sync.run({ allowlist })).failures
    expect(failure?.message).toMatch(/^The channel cannot be joined: 503/)
    expect(differences(slack, sync)).not.toEqual([])
    await sync.run({ allowlist })
    expect(differences(slack, sync)).toEqual([])
  })
})

describe('Slack: later runs', () => {
  it('find and store nothing when nothing changed', async () => {
    const { slack, sync } = await connect()
    await sync.run()
    slack.requests.reset()
    const report = await sync.run()
    expect(report).toMatchObject({ pages: 1, ingested: [], deleted: [], discovered: 0 })
    expect(slack.requests.byPath()['/api/conversations.history']).toBe(3)
  })

  it('take two requests for 200 channels while events arrive', async () => {
    const { slack, sync } = await connect({ seed: { channels: 200, messagesPerChannel: 2 } })
    await sync.run()
    const push = { since: new Date(NOW), hints: [] }
    sync.now += 60_000
    await sync.run({ push })
    sync.now += 60_000
    slack.requests.reset()
    const report = await sync.run({ push })
    expect(slack.requests.byPath()).toEqual({ '/api/auth.test': 1, '/api/conversations.list': 1 })
    expect(report).toMatchObject({ pages: 1, ingested: [] })
    sync.now += 3_600_000
    await sync.run({ push })
    expect(slack.requests.byPath()['/api/conversations.history']).toBe(200)
  })

  it('find new messages, edits and deletes within the look-back without events', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    const [last, before] = slack.state.history(channel(0), { oldest: '', latest: '~', limit: 2 })
    slack.state.post(channel(0), { text: 'a brand new message' })
    slack.state.edit(channel(0), before?.ts ?? '', 'an edited message')
    slack.state.delete(channel(0), last?.ts ?? '')
    const report = await sync.run()
    expect(differences(slack, sync)).toEqual([])
    expect(find(sync, 'an edited message')).toHaveLength(1)
    expect(report.ingested.length).toBeLessThan(6)
  })

  it('find new replies to old roots, and threads whose root or replies were deleted', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    const roots = slack.state
      .history(channel(0), { oldest: '', latest: '~', limit: 100 })
      .filter((message) => (message.reply_count ?? 0) > 0)
      .toReversed()
    const [oldest, next] = roots
    slack.state.post(channel(0), { text: 'a late reply', threadTs: oldest?.ts ?? '' })
    for (const message of slack.state.thread(channel(0), next?.ts ?? '').toReversed()) {
      slack.state.delete(channel(0), message.ts)
    }
    await sync.run()
    expect(find(sync, 'a late reply')[0]?.externalId).toBe(`T0EMULATOR/${channel(0)}/${oldest?.ts}`)
    expect(differences(slack, sync)).toEqual([])
  })

  it('keep the replies of a deleted root, and turn a message into a thread on its first reply', async () => {
    const { slack, sync, channel } = await connect({ seed: { messagesPerChannel: 2, threadShare: 0 } })
    const root = slack.state.post(channel(0), { text: 'does anybody know the door code' })
    await sync.run()
    slack.state.post(channel(0), { text: 'it is on the wall', threadTs: root })
    await sync.run()
    expect(find(sync, 'on the wall')[0]?.body).toBe(
      'Ana Lima: does anybody know the door code\nAna Lima: it is on the wall',
    )
    slack.state.delete(channel(0), root)
    await sync.run()
    expect(find(sync, 'door code')).toEqual([])
    expect(find(sync, 'on the wall')).toHaveLength(1)
  })

  it('keep the item that a single read cannot reach, because no later poll would read it again', async () => {
    const { slack, sync } = await connect({ seed: { messagesPerChannel: 0 } })
    const board = slack.state.addChannel({ name: 'board', isPrivate: true, isMember: true })
    slack.state.post(board, { text: 'The salaries' })
    await sync.run()
    const [id = ''] = sync.items.keys()
    slack.state.setMember(board, false)
    await expect(sync.reread(id)).rejects.toMatchObject({ kind: 'rejected' })
    slack.state.setMember(board, true)
    await sync.run()
    expect([...sync.items.keys()]).toEqual([id])
  })

  it('reread renamed channels, and remove deleted or inaccessible ones', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    const [first, second, third] = [channel(0), channel(1), channel(2)]
    slack.state.renameChannel(first, 'everybody')
    slack.state.deleteChannel(second)
    slack.state.setMember(third, false)
    await sync.run()
    const left = [...sync.items.values()]
    expect(new Set(left.map((item) => item.metadata.channelId))).toEqual(new Set([first]))
    expect(
      left.every((item) => item.metadata.channel === 'everybody' && item.title.startsWith('#everybody')),
    ).toBe(true)
  })

  it('delete what left the allowlist with the next run', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    await sync.run({ allowlist: [channel(0)] })
    expect([...sync.items.keys()].every((id) => id.includes(channel(0)))).toBe(true)
    expect(sync.items.size).toBeGreaterThan(0)
    await sync.run()
    expect(differences(slack, sync)).toEqual([])
  })

  it('delete what an earlier version left of channels that are no longer allowed', async () => {
    const { sync, channel } = await connect({ changeCursor: withoutChannels })
    await sync.run()
    await sync.run({ allowlist: [channel(0)] })
    expect([...sync.items.keys()].every((id) => id.includes(channel(0)))).toBe(true)
  })
})

describe('Slack: events', () => {
  it('update exactly what they name, however old it is', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    const all = slack.state.allMessages(channel(1)).filter((message) => !message.subtype)
    const [oldest, second] = all
    const reply = all.find((message) => message.thread_ts !== undefined && message.thread_ts !== message.ts)
    slack.state.delete(channel(1), oldest?.ts ?? '')
    slack.state.edit(channel(1), second?.ts ?? '', 'edited long after')
    slack.state.edit(channel(1), reply?.ts ?? '', 'a reply edited long after')
    const hint = (ts: string, threadTs?: string) => ({
      kind: 'message',
      channel: channel(1),
      ts,
      ...(threadTs ? { threadTs } : {}),
    })
    const hints = [hint(oldest?.ts ?? ''), hint(second?.ts ?? ''), hint(reply?.ts ?? '', reply?.thread_ts)]
    await sync.run({ push: { since: new Date(0), hints } })
    expect(differences(slack, sync)).toEqual([])
    expect(find(sync, 'a reply edited long after')).toHaveLength(1)
  })

  it('that cannot be parsed make the run poll every channel', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    slack.state.post(channel(2), { text: 'told by nobody' })
    await sync.run({ push: { since: new Date(0), hints: [{ kind: 'something else' }] } })
    expect(find(sync, 'told by nobody')).toHaveLength(1)
  })
})
