import { afterEach, describe, expect, it } from 'vitest'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { closeSlack, connectSlack } from '../../../../test/support/slack.ts'

afterEach(closeSlack)

const SCOPES =
  'groups:read,groups:history,channels:join,channels:read,channels:history,users:read,users:read.email'

async function connect() {
  const connected = await connectSlack({ scopes: SCOPES, seed: { users: 2 } })
  const { slack, sync, adapter } = connected
  return {
    ...connected,
    state: slack.state,
    read: (groupIds: string[] = []) => readPermissions(adapter, sync.session, sync.cursor, groupIds),
  }
}

describe('the users of a workspace', () => {
  it('are its full members, without guests, bots, and former members', async () => {
    const { state, sync, read } = await connect()
    const [first] = state.users().map(({ profile }) => profile.email)
    const guest = state.addUser({ name: 'Guest', email: 'guest@side.example', isGuest: true })
    state.updateUser(state.users()[1]?.id ?? '', { deleted: true })
    await sync.run()
    expect((await read()).workspace).toEqual([first])
    state.updateUser(guest, { isGuest: false })
    expect((await read()).workspace).toEqual([first, 'guest@side.example'].toSorted())
  })
})

describe('the users that Slack lists', () => {
  it('are no members of the workspace if they belong to another company', async () => {
    const { slack, sync, read } = await connect()
    await sync.run()
    const own = sync.session.account.externalAccountId
    const user = (id: string, more: object) => ({ id, profile: { email: `${id}@acme.example` }, ...more })
    const members = [
      user('own', { team_id: own }),
      user('unsaid', {}),
      // In a channel that the bot is in, and so no stranger.
      user('partner', { team_id: 'TPARTNER', is_stranger: false }),
      user('stranger', { is_stranger: true }),
      // Of an enterprise, whose people belong to several workspaces.
      user('grid', { team_id: 'TOTHER', enterprise_user: { teams: ['TOTHER', own] } }),
    ]
    slack.faults.add({ path: 'users.list', status: 200, body: { ok: true, members } })
    expect((await read()).workspace).toEqual(['grid@acme.example', 'own@acme.example', 'unsaid@acme.example'])
  })
})

describe('a private channel', () => {
  it('has its members, including guests, but no former members of the workspace', async () => {
    const { state, sync, read } = await connect()
    const [ada, bob] = state.users()
    const guest = state.addUser({ name: 'Guest', email: 'Guest@side.example', isGuest: true })
    const members = [ada?.id ?? '', bob?.id ?? '', guest]
    const board = state.addChannel({ name: 'board', isPrivate: true, isMember: true, members })
    state.addChannel({ name: 'elsewhere', isPrivate: true, isMember: false, members })
    await sync.run()
    const emails = [ada?.profile.email ?? '', bob?.profile.email ?? '', 'guest@side.example'].toSorted()
    const { groups, groupIds } = await read()
    expect([groupIds, groups.get(board)?.users]).toEqual([[board], emails])
    state.removeMember(board, ada?.id ?? '')
    state.updateUser(bob?.id ?? '', { deleted: true })
    expect((await read()).groups.get(board)?.users).toEqual(['guest@side.example'])
    state.setMember(board, false)
    expect((await read()).groupIds).toEqual([])
  })

  it('whose members Slack refuses holds back no other change', async () => {
    const { slack, state, sync, adapter, channel } = await connect()
    const [ada = '', bob = ''] = state.users().map(({ id }) => id)
    const add = (name: string) =>
      state.addChannel({ name, isPrivate: true, isMember: true, members: [ada, bob] })
    const [broken, other] = [add('a-broken'), add('b-other')]
    await sync.run()
    state.removeMember(other, ada)
    state.setPrivate(channel(0), true)
    const body = { ok: false, error: 'fetch_members_failed' }
    slack.faults.add({ path: 'conversations.members', contains: broken, status: 200, body })
    const groups = new Map<string, string[]>()
    const policies = new Set<string>()
    const groupIds = new Set([broken, other])
    const pages = adapter.listPermissions?.(sync.session, { cursor: sync.cursor, groupIds })
    const reading = (async () => {
      for await (const page of pages ?? []) {
        for (const { id, members } of page.groups) groups.set(id, members.users)
        for (const { externalId } of page.policies) policies.add(externalId.split('/')[1] ?? '')
      }
    })()
    await expect(reading).rejects.toThrow('fetch_members_failed')
    expect(groups.get(other)).toEqual([state.users()[1]?.profile.email])
    expect(groups.has(broken)).toBe(false)
    expect(policies).toEqual(new Set([channel(0)]))
  })

  it('is not named to readers of other channels', async () => {
    const { state, sync, channel } = await connect()
    const secret = state.addChannel({ name: 'layoffs', isPrivate: true, isMember: true })
    state.post(channel(0), { text: `moved from <#${channel(1)}> to <#${secret}>` })
    state.post(secret, { text: 'the plan' })
    await sync.run()
    const said = sync.bodies().filter((body) => body.includes('moved from'))
    expect(said).toEqual([`moved from #engineering to #${secret}`])
    const plan = [...sync.items.values()].find(({ body }) => body.includes('the plan'))
    expect(plan?.title).toBe('#layoffs: the plan')
    if (plan) await sync.reread(plan.externalId)
    expect(sync.bodies().filter((body) => body.includes('layoffs'))).toEqual([])
  })

  it('that was public gives its stored items a new policy, and the reverse', async () => {
    const { state, sync, channel, read } = await connect()
    await sync.run()
    const id = channel(0)
    expect((await read()).policies.size).toBe(0)
    state.setPrivate(id, true)
    const closed = await read()
    expect(closed.needsRun).toBe(true)
    expect([...closed.policies.values()][0]).toEqual({ visibility: 'restricted', groups: [id] })
    expect(closed.policies.size).toBe([...sync.items.keys()].filter((key) => key.includes(`/${id}/`)).length)
    state.setPrivate(id, false)
    expect([...(await read([id])).policies.values()][0]).toEqual({ visibility: 'workspace' })
    state.setPrivate(id, true)
    await sync.run()
    expect(await read([id])).toMatchObject({ needsRun: false, policies: new Map() })
  })
})
