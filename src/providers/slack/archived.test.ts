import { afterEach, describe, expect, it } from 'vitest'
import {
  closeSlack,
  connectSlack as connect,
  differences,
  findItems as find,
} from '../../../test/support/slack.ts'

afterEach(closeSlack)

describe('Slack: an archived channel, which the bot can no longer read', () => {
  it.each([
    ['by default', false],
    ['on the allowlist', true],
  ])('keeps its items, also in a full resync, until it is deleted (%s)', async (_when, isListed) => {
    const { slack, sync, channel } = await connect()
    const allowlist = isListed ? [channel(0), channel(1), channel(2)] : null
    await sync.run({ allowlist })
    slack.state.setArchived(channel(1), true)
    const unchanged = { ingested: [], deleted: [] }
    for (const fullResync of [false, true, false])
      expect(await sync.run({ allowlist, fullResync })).toMatchObject(unchanged)
    expect(differences(slack, sync)).toEqual([])
    slack.state.deleteChannel(channel(1))
    await sync.run({ allowlist })
    expect(differences(slack, sync)).toEqual([])
  })

  it('reports no failure, and is not joined', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run()
    slack.state.setArchived(channel(1), true)
    slack.state.setArchived(slack.state.addChannel({ name: 'never-read' }), true)
    for (const fullResync of [false, true]) expect((await sync.run({ fullResync })).failures).toEqual([])
    expect(slack.requests.byPath()['/api/conversations.join']).toBeUndefined()
  })

  it('is deleted when it leaves the allowlist', async () => {
    const { slack, sync, channel } = await connect()
    await sync.run({ allowlist: [channel(0), channel(1)] })
    slack.state.setArchived(channel(1), true)
    await sync.run({ allowlist: [channel(0), channel(1)] })
    await sync.run({ allowlist: [channel(0)] })
    expect([...sync.items.keys()].filter((id) => id.includes(channel(1)))).toEqual([])
  })

  it.each([
    ['by default', false],
    ['on the allowlist', true],
  ])('is read again once it is not archived and the bot is in it (%s)', async (_when, isListed) => {
    const { slack, sync, channel } = await connect()
    const allowlist = isListed ? [channel(0), channel(1), channel(2)] : null
    await sync.run({ allowlist })
    slack.state.setArchived(channel(1), true)
    await sync.run({ allowlist })
    const [last] = slack.state.history(channel(1), { oldest: '', latest: '~', limit: 1 })
    slack.state.setArchived(channel(1), false)
    slack.state.delete(channel(1), last?.ts ?? '')
    slack.state.post(channel(1), { text: 'back again' })
    // The bot joins a channel of the allowlist on its own.
    if (!isListed) slack.state.setMember(channel(1), true)
    const { deleted } = await sync.run({ allowlist })
    expect(deleted.length).toBeLessThanOrEqual(1)
    expect(find(sync, 'back again')).toHaveLength(1)
    expect(differences(slack, sync)).toEqual([])
  })
})
