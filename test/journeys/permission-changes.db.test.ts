import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectedService, startConnectedService } from '../support/connected-service.ts'
import type { Person } from '../support/people.ts'
import { pollPermissionsNow } from '../support/permission-polls.ts'
import type { TestOrganization } from '../support/service.ts'

let service: ConnectedService
let organization: TestOrganization
let owner: Person

beforeAll(async () => {
  service = await startConnectedService({
    emulators: { google: { files: 2, folders: 0, mails: 2, sharedDrives: 1 } },
  })
  const workspace = await service.workspace()
  organization = workspace.organization
  owner = workspace.owner
})
afterAll(() => service.close())

/** Titles of the items with a word that this user finds. */
async function found(email: string, word: string): Promise<string[]> {
  const body = { query: word, limit: 25, onBehalfOf: { email } }
  const answer = await service.call('POST', '/v1/search', { key: organization.adminKey, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.hits
    .filter(({ content }: { content: string }) => content.includes(word))
    .map(({ title }: { title: string }) => title)
}

const itemsOf = (sourceId: string) =>
  service.database.db
    .selectFrom('source_items')
    .select(['id', 'external_id', 'metadata', 'updated_at'])
    .where('source_id', '=', sourceId)
    .orderBy('external_id')
    .execute()

describe('the users of a Slack workspace', () => {
  let sourceId: string
  let channel: string
  const { ada, guest } = { ada: 'ada@acme.example', guest: 'guest@partner.example' }
  const ids = new Map<string, string>()

  beforeAll(async () => {
    const { state } = service.emulators.slack
    ids.set(ada, state.addUser({ name: 'Ada', email: ada }))
    ids.set(guest, state.addUser({ name: 'Guest', email: guest, isGuest: true }))
    channel = state.addChannel({ name: 'board', isPrivate: true, isMember: true, members: [...ids.values()] })
    state.post(channel, { text: 'the quokka budget is approved' })
    const open = state.channels().find(({ isPrivate }) => !isPrivate)?.id ?? ''
    state.post(open, { text: 'the narwhal party is on Friday' })
    sourceId = await service.connect(owner, organization.id, 'slack')
    await service.runEnded(organization, sourceId)
    await pollPermissionsNow(service, sourceId)
  })

  it('find public channels as full members, and private ones as their members', async () => {
    expect(await found(ada, 'narwhal')).toHaveLength(1)
    expect(await found(guest, 'narwhal')).toEqual([])
    expect(await found(ada, 'quokka')).toHaveLength(1)
    expect(await found(guest, 'quokka')).toHaveLength(1)
    expect(await found('stranger@acme.example', 'quokka')).toEqual([])
  })

  it('are shown to admins, with their freshness, and an item shows its readers', async () => {
    const page = await service.call('GET', `/v1/console/sources/${sourceId}/permissions`, {
      key: owner.token,
    })
    expect(page.body.permissions).toMatchObject({
      kind: 'items',
      audience: null,
      groups: 1,
      checkedAt: expect.any(String),
      errorMessage: null,
    })
    expect(page.body.permissions.people).toBeGreaterThan(1)
    const item = (await itemsOf(sourceId)).find(({ external_id }) => external_id.includes(channel))
    const readers = await service.call('GET', `/v1/source-items/${item?.id}/readers`, {
      key: organization.adminKey,
    })
    expect(readers.body.readers).toEqual([{ kind: 'group', name: channel, memberCount: 2, denied: false }])
  })

  it('lose a private channel that they left, without restoring any item', async () => {
    const before = await itemsOf(sourceId)
    service.emulators.slack.state.removeMember(channel, ids.get(ada) ?? '')
    await pollPermissionsNow(service, sourceId)
    expect(await found(ada, 'quokka')).toEqual([])
    expect(await found(guest, 'quokka')).toHaveLength(1)
    expect(await itemsOf(sourceId)).toEqual(before)
  })

  it('find it again once they return', async () => {
    service.emulators.slack.state.addMember(channel, ids.get(ada) ?? '')
    await pollPermissionsNow(service, sourceId)
    expect(await found(ada, 'quokka')).toHaveLength(1)
  })

  it('lose a channel that became private before any run reads it again', async () => {
    const { state } = service.emulators.slack
    const open = state.channels().find(({ isPrivate }) => !isPrivate)?.id ?? ''
    state.setPrivate(open, true)
    state.removeMember(open, ids.get(ada) ?? '')
    await pollPermissionsNow(service, sourceId)
    expect(await found(ada, 'narwhal')).toEqual([])
    state.setPrivate(open, false)
    await pollPermissionsNow(service, sourceId)
    await service.runEnded(organization, sourceId)
    expect(await found(ada, 'narwhal')).toHaveLength(1)
  })

  it('lose everything once they left the workspace', async () => {
    service.emulators.slack.state.updateUser(ids.get(ada) ?? '', { deleted: true })
    await pollPermissionsNow(service, sourceId)
    expect([await found(ada, 'narwhal'), await found(ada, 'quokka')]).toEqual([[], []])
  })
})

describe('readers of Drive files', () => {
  let sourceId: string
  let file: string
  const { ann, bob } = { ann: 'ann@acme.example', bob: 'bob@acme.example' }
  const user = (emailAddress: string) => ({ id: `p-${emailAddress}`, type: 'user' as const, emailAddress })

  beforeAll(async () => {
    const { drive, account } = service.emulators.google
    const make = (name: string, content: string, more: object = {}) =>
      drive.create({ name, content, mimeType: 'text/plain', ...more })
    file = make('Salaries', 'axolotl salaries', { permissions: [user(account), user(ann)] })
    make('Domain', 'pangolin handbook', {
      permissions: [user(account), { id: 'd', type: 'domain', domain: 'acme.example' }],
    })
    make('Group', 'tapir roadmap', {
      permissions: [user(account), { id: 'g', type: 'group', emailAddress: 'Team@acme.example' }],
    })
    drive.setMembers(drive.driveId(1), [user(account), user(bob)])
    make('Team notes', 'okapi retrospective', { driveId: drive.driveId(1) })
    sourceId = await service.connect(owner, organization.id, 'google_drive')
    await service.runEnded(organization, sourceId)
    await pollPermissionsNow(service, sourceId)
  })

  it('are those named by the file, by address, domain, group or shared drive', async () => {
    expect([await found(ann, 'axolotl'), await found(bob, 'axolotl')]).toEqual([['Salaries'], []])
    expect([await found(bob, 'pangolin'), await found('eve@other.example', 'pangolin')]).toEqual([
      ['Domain'],
      [],
    ])
    expect([await found(bob, 'okapi'), await found(ann, 'okapi')]).toEqual([['Team notes'], []])
    expect(await found(ann, 'tapir')).toEqual([])
    const body = { members: [ann] }
    const path = '/v1/groups/team@acme.example'
    await service.call('PUT', path, { key: organization.adminKey, body })
    expect(await found(ann, 'tapir')).toEqual(['Group'])
  })

  it('lose an unshared file without a reread of its contents', async () => {
    const { drive, account, requests } = service.emulators.google
    drive.update(file, { permissions: [user(account), user(bob)] })
    requests.reset()
    await pollPermissionsNow(service, sourceId)
    expect([await found(ann, 'axolotl'), await found(bob, 'axolotl')]).toEqual([[], ['Salaries']])
    expect(Object.keys(requests.byPath()).filter((path) => path.includes(file))).toEqual([])
    const run = await service.sync(organization, sourceId)
    // The run finds what the poll has stored: nothing is embedded again.
    expect(run.itemsIngested).toBe(0)
    expect(await found(bob, 'axolotl')).toEqual(['Salaries'])
  })

  it('lose a shared drive that they left, without restoring any item', async () => {
    const { drive, account } = service.emulators.google
    const before = await itemsOf(sourceId)
    drive.setMembers(drive.driveId(1), [user(account), user(ann)])
    await pollPermissionsNow(service, sourceId)
    expect([await found(ann, 'okapi'), await found(bob, 'okapi')]).toEqual([['Team notes'], []])
    expect(await itemsOf(sourceId)).toEqual(before)
  })

  it('lose a file whose permissions Google hides', async () => {
    const { drive } = service.emulators.google
    drive.update(file, { permissions: [] })
    await pollPermissionsNow(service, sourceId)
    expect(await found(bob, 'axolotl')).toEqual([])
  })
})

describe('readers of a mailbox', () => {
  it('are its owner alone, until an admin chooses others', async () => {
    const { mail, account } = service.emulators.google
    mail.deliver({ subject: 'Offer', text: 'the capybara offer' })
    const sourceId = await service.connect(owner, organization.id, 'gmail')
    await service.runEnded(organization, sourceId)
    expect([await found(account, 'capybara'), await found('x@acme.example', 'capybara')]).toEqual([
      ['Offer'],
      [],
    ])
    const change = (audience: unknown) =>
      service.call('PATCH', `/v1/console/sources/${sourceId}`, { key: owner.token, body: { audience } })
    expect(await change(['X@acme.example', 'ada@localhost'])).toMatchObject({
      status: 200,
      body: { source: { audience: ['X@acme.example', 'ada@localhost'] } },
    })
    expect([await found(account, 'capybara'), await found('x@acme.example', 'capybara')]).toEqual([
      [],
      ['Offer'],
    ])
    expect((await change('everyone')).status).toBe(200)
    expect(await found('anybody@else.example', 'capybara')).toEqual(['Offer'])
    expect((await change('connector')).status).toBe(200)
    expect(await found('anybody@else.example', 'capybara')).toEqual([])
    const { body } = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    expect(body.auditEvents[1]).toMatchObject({
      action: 'source.audience.update',
      targetId: sourceId,
      metadata: { audience: 'connector' },
    })
  })

  it('cannot be chosen when the provider reports them', async () => {
    const { body } = await service.call('GET', '/v1/sources', { key: organization.adminKey })
    for (const source of body.sources.filter((one: { provider: string }) => one.provider === 'slack')) {
      const answer = await service.call('PATCH', `/v1/console/sources/${source.id}`, {
        key: owner.token,
        body: { audience: 'everyone' },
      })
      expect([answer.status, answer.body.code]).toEqual([400, 'audience_not_supported'])
    }
  })
})
