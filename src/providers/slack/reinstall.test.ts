import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SlackEmulator } from '../../../emulators/slack/index.ts'
import {
  closeSlack,
  connectSlack as connect,
  differences,
  findItems as find,
  SLACK_NOW,
} from '../../../test/support/slack.ts'
import type { Credentials, JsonObject, JsonValue } from '../adapter.ts'
import { createSlackOAuth } from './oauth.ts'

afterEach(closeSlack)

/** Installs the app like a user, at a time in epoch milliseconds. */
async function install(slack: SlackEmulator, at: number): Promise<Credentials> {
  const { SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret = '' } = slack.env
  const apiUrl = slack.env['SLACK_API_URL'] ?? ''
  const oauth = createSlackOAuth({ clientId, clientSecret, apiUrl, now: () => new Date(at) })
  const redirectUri = 'http://127.0.0.1/callback'
  const url = oauth.authorizeUrl({ state: 's', redirectUri, codeChallenge: '' })
  const page = await fetch(url, { redirect: 'manual' })
  const code = new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const signal = new AbortController().signal
  return (await oauth.exchangeCode({ code, redirectUri, codeVerifier: '', signal })).credentials
}

/** A workspace whose app can be removed and reinstalled, synced once. */
async function installed(options: Parameters<typeof connect>[0] = {}) {
  const extra: JsonObject = {}
  let token = ''
  const connected = await connect({ ...options, harness: { extra, accessToken: () => token } })
  const { slack, sync } = connected
  const authorize = async (at: number) => {
    const credentials = await install(slack, at)
    token = credentials.accessToken
    Object.assign(extra, credentials.extra)
  }
  await authorize(SLACK_NOW)
  const allowlist = slack.state.channels().map(({ id }) => id)
  await sync.run({ allowlist })
  const reinstall = async () => {
    slack.grants.revokeAll()
    slack.state.uninstall()
    await authorize(SLACK_NOW + 60_000)
  }
  return { ...connected, allowlist, authorize, reinstall }
}

const knownState = z.looseObject({ install: z.string() })
const withoutInstall = (cursor: JsonValue): JsonValue => {
  const { install: _install, ...state } = knownState.parse(cursor)
  return z.json().parse(state)
}

describe('Slack: an app that was removed and reinstalled', () => {
  it('keeps everything, rejoins the channels on the allowlist and reads what was sent, edited and deleted since', async () => {
    const { slack, sync, channel, allowlist, reinstall } = await installed()
    const [last, before] = slack.state.history(channel(1), { oldest: '', latest: '~', limit: 2 })
    await reinstall()
    slack.state.post(channel(0), { text: 'said after the new install' })
    slack.state.edit(channel(1), before?.ts ?? '', 'edited between the installs')
    slack.state.delete(channel(1), last?.ts ?? '')
    await sync.run({ allowlist })
    expect(find(sync, 'said after the new install')).toHaveLength(1)
    expect(differences(slack, sync)).toEqual([])
    expect(await sync.run({ allowlist })).toMatchObject({ pages: 1, ingested: [], deleted: [], failures: [] })
  })

  it('removes and stores nothing when nothing changed', async () => {
    const { slack, sync, allowlist, reinstall } = await installed()
    await reinstall()
    expect(await sync.run({ allowlist })).toMatchObject({ ingested: [], deleted: [], failures: [] })
    expect(slack.state.channels().every(({ isMember }) => isMember)).toBe(true)
  })

  it.each([1, 2, 3])('removes nothing when the first run after it dies after page %i', async (dieAfter) => {
    const { slack, sync, allowlist, reinstall } = await installed({ itemsPerPage: 4 })
    await reinstall()
    expect(await sync.run({ allowlist, dieAfter })).toMatchObject({ deleted: [], complete: false })
    expect(await sync.run({ allowlist })).toMatchObject({ ingested: [], deleted: [] })
    expect(differences(slack, sync)).toEqual([])
  })

  it('keeps an archived channel, which it cannot rejoin, and deletes a missing one', async () => {
    const { slack, sync, channel, allowlist, reinstall } = await installed()
    const [archived, gone] = [channel(0), channel(2)]
    const idsOf = (id: string) => [...sync.items.keys()].filter((key) => key.includes(id))
    const kept = idsOf(archived)
    slack.state.setArchived(archived, true)
    slack.state.deleteChannel(gone)
    await reinstall()
    const allowed = allowlist.filter((id) => id !== gone)
    expect((await sync.run({ allowlist })).failures).toMatchObject([{ externalId: `T0EMULATOR/${gone}` }])
    expect(kept.length).toBeGreaterThan(0)
    expect((await sync.run({ allowlist: allowed })).failures).toEqual([])
    expect(idsOf(archived)).toEqual(kept)
    expect(idsOf(gone)).toEqual([])
  })

  it('rejoins channels it was removed from; within one install it stays out', async () => {
    const { slack, sync, channel, allowlist, reinstall } = await installed()
    const ofChannel = () => [...sync.items.keys()].filter((id) => id.includes(channel(1)))
    slack.state.setMember(channel(1), false)
    for (let run = 0; run < 2; run += 1) {
      await sync.run({ allowlist })
      expect(ofChannel()).toEqual([])
      expect(slack.state.channels()[1]?.isMember).toBe(false)
    }
    await reinstall()
    await sync.run({ allowlist })
    expect(ofChannel().length).toBeGreaterThan(0)
    slack.state.setMember(channel(1), false)
    await sync.run({ allowlist })
    expect(ofChannel()).toEqual([])
    expect(slack.state.channels()[1]?.isMember).toBe(false)
  })

  it('polls every channel, although events came until shortly before: none came between the installs', async () => {
    const { slack, sync, channel, allowlist, authorize } = await installed()
    const push = { since: new Date(0), hints: [] }
    slack.state.post(channel(0), { text: 'told by no event' })
    await sync.run({ allowlist, push })
    expect(find(sync, 'told by no event')).toEqual([])
    await authorize(SLACK_NOW + 60_000)
    await sync.run({ allowlist, push })
    expect(find(sync, 'told by no event')).toHaveLength(1)
  })

  it('is distinguished from the former install even if the cursor predates the recording of installs', async () => {
    const { sync, allowlist, reinstall } = await installed({ changeCursor: withoutInstall })
    await reinstall()
    expect(await sync.run({ allowlist })).toMatchObject({ ingested: [], deleted: [] })
  })

  it('without an allowlist joins nothing, and deletes what it can no longer read', async () => {
    const { slack, sync, channel, reinstall } = await installed()
    await reinstall()
    slack.state.setMember(channel(1), true)
    await sync.run()
    expect(slack.requests.byPath()['/api/conversations.join']).toBeUndefined()
    expect([...sync.items.keys()].every((id) => id.includes(channel(1)))).toBe(true)
    expect(sync.items.size).toBeGreaterThan(0)
  })
})

describe('Slack: credentials and a cursor without an install', () => {
  it('count as one install: the bot stays out of a channel it was removed from', async () => {
    const { slack, sync, channel } = await connect({ changeCursor: withoutInstall })
    await sync.run()
    slack.state.setMember(channel(1), false)
    await sync.run()
    expect([...sync.items.keys()].some((id) => id.includes(channel(1)))).toBe(false)
    expect(slack.state.channels()[1]?.isMember).toBe(false)
  })
})

describe('Slack: an allowlist', () => {
  it('with an id that Slack does not list records a failure in each run, and the others are read', async () => {
    const { slack, sync, channel } = await connect()
    const hidden = slack.state.addChannel({ name: 'board', isPrivate: true })
    const allowlist = ['C0NOWHERE', channel(0), hidden]
    const failure = (id: string) => ({
      externalId: `T0EMULATOR/${id}`,
      message: `The allowlist contains ${id}, which is not a channel that the bot can see`,
    })
    for (let run = 0; run < 2; run += 1) {
      expect((await sync.run({ allowlist })).failures).toEqual([failure('C0NOWHERE'), failure(hidden)])
    }
    expect(new Set([...sync.items.values()].map(({ metadata }) => metadata.channelId))).toEqual(
      new Set([channel(0)]),
    )
    expect((await sync.run({ allowlist: [channel(0)] })).failures).toEqual([])
  })
})
