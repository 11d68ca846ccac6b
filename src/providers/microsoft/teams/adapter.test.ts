import { afterAll, describe, expect, it } from 'vitest'
import type { EmulatedMessage } from '../../../../emulators/microsoft/teams-state.ts'
import { connectForTest, type MicrosoftAccountOptions } from '../../../../test/support/microsoft.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'
import { createTeamsAdapter, TEAMS_SCOPES } from './adapter.ts'

const MINUTE = 60_000
const extractor = createTextExtractor({ threads: 1 })
afterAll(() => extractor.close())

async function connect(options: Partial<MicrosoftAccountOptions> = {}) {
  const account = await connectForTest({
    scopes: TEAMS_SCOPES,
    createAdapter: (settings, clock) => createTeamsAdapter({ settings, clock, extractor, itemsPerPage: 5 }),
    ...options,
  })
  const { microsoft, sync } = account
  const { teams } = microsoft
  const team = teams.createTeam('Sales')
  return {
    ...account,
    teams,
    team,
    general: teams.createChannel(team, 'General'),
    stored: ({ channelId, id }: EmulatedMessage) => sync.items.get(`${channelId}/${id}`),
    titles: () => [...sync.items.values()].map(({ title }) => title).toSorted(),
  }
}

describe('a thread', () => {
  it('is an item with its messages in order, its authors, team and channel', async () => {
    const { teams, team, general, sync, stored } = await connect()
    const at = sync.now
    const root = teams.post(general, {
      subject: 'Launch',
      content: '<p>When do we <b>launch</b>, <at id="0">Ada</at>?</p>',
      attachments: [{ name: 'Plan.docx', contentType: 'reference' }],
    })
    const first = teams.reply(root, { createdAt: at + MINUTE, by: 'ada', content: 'In May &amp; June.' })
    teams.reply(root, {
      createdAt: at + 2 * MINUTE,
      by: null,
      app: 'Planner',
      content: '<b>Task</b> created',
      contentType: 'text',
    })
    sync.now += 3 * MINUTE
    teams.edit(first, 'In May.')
    await sync.run()
    const url = stored(root)?.url ?? ''
    expect(url).toMatch(/^https:\/\/teams\.microsoft\.example\/l\/message\//)
    expect(stored(root)).toEqual({
      externalId: `${general.id}/${root.id}`,
      sourceKind: 'message',
      title: 'Launch',
      body: 'Bob: When do we launch, Ada?\n  [file: Plan.docx]\nAda: In May.\nPlanner: <b>Task</b> created',
      url,
      authorName: 'Bob',
      sourceCreatedAt: new Date(at),
      sourceUpdatedAt: new Date(at + 3 * MINUTE),
      metadata: {
        workspace: 'acme.example',
        team: 'Sales',
        teamId: team.id,
        channel: 'General',
        channelId: general.id,
        threadId: root.id,
        sender: 'Bob',
        senders: ['Bob', 'Ada', 'Planner'],
        messageCount: 3,
        attachments: ['Plan.docx'],
        permalink: url,
        accessPolicy: { visibility: 'restricted', groups: [team.id] },
      },
    })
  })

  it('of one message has only its text, and a title of the channel and the text', async () => {
    const { teams, general, sync, stored } = await connect()
    const root = teams.post(general, { content: `<p>We launch in May.</p><p>${'x '.repeat(80)}</p>` })
    await sync.run()
    expect(stored(root)?.title).toMatch(/^General: We launch in May\. x x .+…$/)
    expect(stored(root)?.body).toMatch(/^We launch in May\.\n/)
  })

  it('has what a message forwards, which its own text does not repeat', async () => {
    const { teams, general, sync, stored } = await connect()
    const forward = (original: object | string) => ({
      name: null,
      contentType: 'forwardedMessageReference',
      content: typeof original === 'string' ? original : JSON.stringify(original),
    })
    const root = teams.post(general, {
      content: '<p>See below.</p><attachment id="0"></attachment>',
      attachments: [
        forward({
          originalMessageContent: '<p>We <b>launch</b> in May.</p>',
          originalMessageSender: { application: null, user: { displayName: 'Ana' } },
        }),
        forward({ originalMessageContent: 'Plain', originalMessageSender: null }),
        forward({ originalMessageContent: null }),
        forward('no JSON'),
        { name: null, contentType: 'messageReference', content: '{"messagePreview":"quoted"}' },
      ],
    })
    await sync.run()
    expect(stored(root)?.body).toBe(
      'Bob: See below.\n  Forwarded from Ana: We launch in May.\n  Forwarded: Plain',
    )
  })

  it('leaves out events, deleted messages and blocked ones, and is none when nothing is left', async () => {
    const { teams, general, sync, stored } = await connect()
    teams.post(general, { messageType: 'unknownFutureValue', content: '<systemEventMessage/>' })
    teams.remove(teams.post(general))
    teams.block(teams.post(general), 'notifySender,blockAccess')
    const root = teams.post(general, { content: 'Deleted.', subject: 'Secret' })
    const kept = teams.reply(root, { content: 'The reply.' })
    teams.remove(root)
    const { failures } = await sync.run()
    expect(failures).toEqual([])
    expect(sync.items.size).toBe(1)
    expect(stored(root)).toMatchObject({ title: 'General: The reply.', body: 'The reply.' })
    teams.remove(kept)
    expect((await sync.run()).deleted).toEqual([`${general.id}/${root.id}`])
    teams.restore(root)
    await sync.run()
    expect(stored(root)).toMatchObject({ title: 'Secret', body: 'Deleted.' })
  })

  it('without text is skipped with the reason', async () => {
    const { teams, general, sync } = await connect()
    teams.post(general, { content: '<div><img src="https://x.example/a.png" alt="A"></div>' })
    const { skipped } = await sync.run()
    expect(skipped).toMatchObject([{ title: 'General', message: 'it has no text' }])
  })

  it('with more replies than a list has is read whole, and cut to the limit', async () => {
    const { teams, general, sync, stored } = await connect({ limits: { maxTextBytes: 2_000 } })
    teams.expandedReplies = 2
    const root = teams.post(general, { content: 'Question?' })
    for (let count = 0; count < 60; count += 1) teams.reply(root, { content: `Reply ${count}.` })
    const long = teams.post(general, { content: 'word '.repeat(1_000) })
    await sync.run()
    expect(stored(root)?.body).toContain('Reply 0.\n')
    expect(stored(root)?.body).toMatch(/Reply 59\.$/)
    expect(stored(root)?.metadata['truncated']).toBeUndefined()
    expect(stored(long)?.body.length).toBeLessThanOrEqual(2_000)
    expect(stored(long)?.metadata['truncated']).toBe(true)
  })

  it('of an unknown format is a failure, a reply of one is left out, and neither costs the others', async () => {
    const { teams, general, sync, stored } = await connect()
    for (let count = 0; count < 4; count += 1) teams.post(general, { odd: { createdDateTime: 'today' } })
    teams.post(general, { odd: { id: null } })
    const root = teams.post(general, { content: 'Question?' })
    teams.reply(root, { odd: { body: 'none' } })
    const { failures, complete } = await sync.run()
    expect(complete).toBe(true)
    expect(failures.map(({ message }) => message)).toEqual(
      Array.from({ length: 4 }, () => 'Microsoft answered in an unknown format (createdDateTime)'),
    )
    expect([...sync.items.values()]).toEqual([stored(root)])
    expect(stored(root)?.body).toBe('Question?')
  })
})

describe('channels', () => {
  it('of any kind are read if the account can open them, also those of teams that share one', async () => {
    const { teams, team, general, sync, titles } = await connect()
    const other = teams.createTeam('Partner', ['cy'])
    const members = new Set(['ada'])
    const named = (name: string, of = team, more = {}) =>
      teams.post(teams.createChannel(of, name, more), { subject: name })
    teams.post(general, { subject: 'General' })
    named('Private', team, { membershipType: 'private', members })
    named('Shared', other, { membershipType: 'shared', members })
    named('Closed', team, { membershipType: 'private', members: new Set(['cy']) })
    named('Listed', team, { membershipType: 'private', isListed: true })
    named('Of the partner', other)
    expect(await sync.run()).toMatchObject({ failures: [], complete: true })
    expect(titles()).toEqual(['General', 'Private', 'Shared'])
  })

  it('take one request for a page of threads, and quiet ones share a page of the run', async () => {
    const { teams, team, general, sync, microsoft } = await connect()
    for (let count = 0; count < 9; count += 1) teams.reply(teams.post(general))
    for (let count = 0; count < 6; count += 1) teams.createChannel(team, `Channel ${count}`)
    await sync.run()
    const requested = Object.keys(microsoft.requests.byPath()).filter((path) => /messages\/\d/.test(path))
    expect(requested).toEqual([])
    await sync.run()
    expect((await sync.run()).pages).toBe(1)
  })

  it('that were deleted or left lose their items, and others appear', async () => {
    const { teams, team, general, sync, titles } = await connect()
    const gone = teams.createChannel(team, 'Gone')
    teams.post(gone, { subject: 'Gone' })
    teams.post(general, { subject: 'General' })
    const closed = teams.createChannel(team, 'Closed', {
      membershipType: 'private',
      members: new Set(['ada']),
      isListed: true,
    })
    teams.post(closed, { subject: 'Closed' })
    await sync.run()
    expect(sync.items.size).toBe(3)
    teams.removeChannel(gone)
    closed.members.delete('ada')
    teams.post(teams.createChannel(team, 'New'), { subject: 'New' })
    expect((await sync.run()).complete).toBe(true)
    expect(titles()).toEqual(['General', 'New'])
    closed.members.add('ada')
    await sync.run()
    expect(titles()).toEqual(['Closed', 'General', 'New'])
    team.members.delete('ada')
    await sync.run()
    expect(titles()).toEqual([])
  })

  it('keep the item that a single read cannot reach, because no later run would read it again', async () => {
    const { teams, team, general, sync, stored } = await connect()
    const root = teams.post(general)
    sync.now += 1_000 * MINUTE
    await sync.run()
    const id = stored(root)?.externalId ?? ''
    team.members.delete('ada')
    await expect(sync.reread(id)).rejects.toMatchObject({ kind: 'rejected' })
    team.members.add('ada')
    await sync.run()
    expect(stored(root)).toBeDefined()
  })

  it('whose token is too old are read again, without what a retention policy deleted', async () => {
    const { teams, general, sync, titles } = await connect()
    const [edited, purged] = ['One', 'Two', 'Three'].map((subject) => teams.post(general, { subject }))
    if (edited === undefined || purged === undefined) throw new Error('there is no message')
    await sync.run()
    // A delta token exists only from the second run on.
    await sync.run()
    teams.edit(edited, 'Other words.')
    teams.purge(purged)
    teams.post(general, { subject: 'Four' })
    teams.expireTokens(general)
    expect(await sync.run()).toMatchObject({ failures: [], complete: true })
    expect(titles()).toEqual(['Four', 'One', 'Three'])
    expect(sync.bodies()).toContain('Other words.')
  })

  it('are read back to their first message, though changes of it are not reported', async () => {
    const { teams, general, sync } = await connect()
    const old = teams.post(general, { createdAt: sync.now - 400 * 86_400_000, content: 'Long ago.' })
    await sync.run()
    expect(sync.bodies()).toEqual(['Long ago.'])
    sync.now += MINUTE
    teams.edit(old, 'Long ago, edited.')
    await sync.run()
    expect(sync.bodies()).toEqual(['Long ago.'])
    await sync.run({ fullResync: true })
    expect(sync.bodies()).toEqual(['Long ago, edited.'])
  })
})

describe('readers', () => {
  it('are the members of the team, or of a private or shared channel', async () => {
    const { teams, team, sync, adapter, stored, microsoft } = await connect()
    team.members.add('cy')
    microsoft.people.add('gast', { mail: null })
    team.members.add('gast')
    const closed = teams.createChannel(team, 'Closed', {
      membershipType: 'private',
      members: new Set(['ada', 'dee']),
    })
    const root = teams.post(closed)
    await sync.run()
    expect(stored(root)?.metadata.accessPolicy).toEqual({ visibility: 'restricted', groups: [closed.id] })
    const usersOf = async () => {
      const { groups, policies } = await readPermissions(adapter, sync.session, sync.cursor)
      expect(policies.size).toBe(0)
      return Object.fromEntries([...groups].map(([id, { users }]) => [id, users]))
    }
    expect(await usersOf()).toEqual({
      [team.id]: ['ada@acme.example', 'bob@acme.example', 'cy@acme.example'],
      [closed.id]: ['ada@acme.example', 'dee@acme.example'],
    })
    closed.members.delete('dee')
    microsoft.faults.add({ path: `/teams/${team.id}/members`, status: 403 })
    expect(await usersOf()).toEqual({ [team.id]: ['ada@acme.example'], [closed.id]: ['ada@acme.example'] })
  })

  it('of a deleted channel are empty, and start a run', async () => {
    const { teams, team, general, sync, adapter } = await connect()
    const closed = teams.createChannel(team, 'Closed', {
      membershipType: 'private',
      members: new Set(['ada']),
    })
    teams.post(general)
    await sync.run()
    const poll = () => readPermissions(adapter, sync.session, sync.cursor)
    expect(await poll()).toMatchObject({ needsRun: false, groupIds: [team.id, closed.id] })
    closed.members.delete('ada')
    expect(await poll()).toMatchObject({ needsRun: true, groupIds: [team.id] })
  })
})
