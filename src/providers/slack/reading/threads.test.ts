import { afterEach, describe, expect, it } from 'vitest'
import {
  closeSlack,
  connectSlack,
  type ConnectedSlack,
  differences,
  findItems,
} from '../../../../test/support/slack.ts'

afterEach(closeSlack)

const HOUR = 3_600_000

/** Creates a channel with threads at different times, and reads all of them in a run. */
async function withThreads(count: number, watchedThreads?: number, pause = HOUR) {
  const connected = await connectSlack({
    seed: { channels: 1, messagesPerChannel: 0, memberChannels: 1 },
    itemsPerPage: 4,
    ...(watchedThreads !== undefined && { watchedThreads }),
  })
  const { slack, sync, channel } = connected
  const roots = Array.from({ length: count }, (_unused, number) => {
    sync.now += pause
    const root = slack.state.post(channel(0), { text: `Question ${number}` })
    slack.state.post(channel(0), { text: `Answer ${number}`, threadTs: root })
    return root
  })
  await sync.run()
  return { ...connected, roots }
}

/** Runs, and returns how many threads were requested. */
async function requestedIn({ slack, sync }: ConnectedSlack): Promise<number> {
  slack.requests.reset()
  await sync.run()
  expect(differences(slack, sync)).toEqual([])
  return slack.requests.byPath()['/api/conversations.replies'] ?? 0
}

describe('Slack: threads of the look-back, without events', () => {
  it('show edited replies in turn', async () => {
    const { slack, sync, channel, roots } = await withThreads(30)
    const [, reply] = slack.state.thread(channel(0), roots[0] ?? '')
    slack.state.edit(channel(0), reply?.ts ?? '', 'The answer was edited')
    for (let runs = 0; runs < 2; runs += 1) {
      sync.now += HOUR
      await sync.run()
    }
    expect(findItems(sync, 'was edited')).toHaveLength(1)
  })

  describe('that are too many to watch', () => {
    const COUNT = 60
    const WATCHED = 10

    it('take no requests when something else in the channel changes', async () => {
      const connected = await withThreads(COUNT, WATCHED)
      const { slack, channel } = connected
      slack.state.post(channel(0), { text: 'Good morning' })
      expect(await requestedIn(connected)).toBeLessThanOrEqual(WATCHED)
      slack.state.post(channel(0), { text: 'Good night' })
      expect(await requestedIn(connected)).toBeLessThanOrEqual(WATCHED)
    })

    it('are read again in an hour in which one has a new reply or is deleted', async () => {
      const connected = await withThreads(COUNT, WATCHED)
      const { slack, channel, roots } = connected
      const [first = '', second = ''] = roots
      slack.state.post(channel(0), { text: 'A late answer', threadTs: first })
      expect(await requestedIn(connected)).toBeLessThanOrEqual(WATCHED + 2)
      for (const { ts } of slack.state.thread(channel(0), second).toReversed())
        slack.state.delete(channel(0), ts)
      expect(await requestedIn(connected)).toBeLessThanOrEqual(WATCHED + 2)
      expect(await requestedIn(connected)).toBeLessThanOrEqual(WATCHED)
    })

    it('take no requests when an event names a watched one of their hour', async () => {
      const { slack, sync, channel, roots } = await withThreads(COUNT, WATCHED, HOUR / 6)
      // The oldest watched ones share an hour with unwatched ones.
      const root = roots.at(1 - WATCHED) ?? ''
      const ts = slack.state.post(channel(0), { text: 'A late answer', threadTs: root })
      slack.requests.reset()
      const hint = { kind: 'message', channel: channel(0), ts, threadTs: root }
      await sync.run({ push: { since: new Date(0), hints: [hint] } })
      expect(slack.requests.byPath()['/api/conversations.replies']).toBe(1)
      expect(differences(slack, sync)).toEqual([])
    })

    it('are read again when that failed', async () => {
      const connected = await withThreads(COUNT, WATCHED)
      const { slack, sync, channel, roots } = connected
      const [root = ''] = roots
      slack.state.post(channel(0), { text: 'A late answer', threadTs: root })
      const answer = { status: 200, body: { ok: false, error: 'internal_error' } }
      slack.faults.add({ path: 'conversations.replies', contains: root, ...answer })
      expect((await sync.run()).failures).toHaveLength(1)
      slack.faults.clear()
      await requestedIn(connected)
      expect(findItems(sync, 'A late answer')).toHaveLength(1)
    })
  })
})
