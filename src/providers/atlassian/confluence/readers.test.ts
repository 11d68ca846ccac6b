import { afterAll, expect, it } from 'vitest'
import { type ConfluenceAccount, createConnect } from '../../../../test/support/confluence.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)
const staff = ['ada@acme.example', 'bob@acme.example', 'cy@acme.example']

/** Who may read a stored page after the runs and the last permission poll. */
async function readersOf(
  { adapter, sync, item }: ConfluenceAccount,
  page: { id: string },
): Promise<string[]> {
  const { groups, policies } = await readPermissions(adapter, sync.session, sync.cursor)
  const id = `acme.atlassian.net/${page.id}`
  const policy = policies.has(id) ? policies.get(id) : item(page)?.metadata.accessPolicy
  expect(policy?.visibility ?? 'restricted').toBe('restricted')
  expect(policy?.users).toBeUndefined()
  return (policy?.groups ?? []).flatMap((group) => groups.get(group)?.users ?? [])
}

it('a page is readable by people whom its space and every restriction on it and its ancestors names', async () => {
  const account = await connect()
  const { wiki, hr, sync } = account
  const { state } = wiki
  state.person('eve')
  state.groups.set('leads', ['ada', 'cy', 'eve'])
  const home = state.add(hr)
  const folder = state.add(hr, { type: 'folder', parentId: home.id })
  folder.restriction = { users: [], groups: ['leads'] }
  const below = state.add(hr, { parentId: folder.id })
  const own = state.add(hr, { parentId: below.id, restriction: { users: ['ada', 'bob', 'eve'], groups: [] } })
  const open = state.add(hr, { parentId: own.id })
  await sync.run()
  expect(await readersOf(account, home)).toEqual(staff)
  // Eve leads the group, but may not read the space.
  expect(await readersOf(account, below)).toEqual(['ada@acme.example', 'cy@acme.example'])
  expect(await readersOf(account, own)).toEqual(['ada@acme.example'])
  expect(await readersOf(account, open)).toEqual(['ada@acme.example'])
})

it('people who hide their address, are deactivated, or come by a role are closed out', async () => {
  const account = await connect()
  const { wiki, hr, sync } = account
  const { people, groups } = wiki.state
  Object.assign(people.get('bob') ?? {}, { hidesEmail: true })
  Object.assign(people.get('cy') ?? {}, { isActive: false })
  wiki.state.person('dan', { email: 'Dan@Acme.example' })
  hr.readers.push({ type: 'role', id: 'eve' }, { type: 'user', id: 'dan' }, { type: 'group', id: 'unknown' })
  groups.set('staff', [...(groups.get('staff') ?? []), 'deleted-user'])
  const page = wiki.state.add(hr)
  await sync.run()
  expect(await readersOf(account, page)).toEqual(['ada@acme.example', 'dan@acme.example'])
})

it('nobody reads a page under an ancestor with an unknown restriction', async () => {
  const account = await connect()
  const { wiki, hr, sync, item } = account
  const folder = wiki.state.add(hr, { type: 'folder' })
  const page = wiki.state.add(hr, { parentId: folder.id })
  for (const fault of [
    { path: `/content/${folder.id}/restriction`, status: 403 },
    { path: `/folders/${folder.id}`, status: 404 },
  ]) {
    wiki.faults.add(fault)
    await sync.run()
    expect(item(page)?.metadata.accessPolicy).toEqual({ visibility: 'restricted' })
    expect(await readersOf(account, page)).toEqual([])
    wiki.faults.clear()
    await sync.run()
    expect(await readersOf(account, page)).toEqual(staff)
  }
})

it('a change of readers arrives with the next reading of permissions, without a run', async () => {
  const account = await connect()
  const { wiki, hr, sync } = account
  const { state } = wiki
  const parent = state.add(hr)
  const page = state.add(hr, { parentId: parent.id })
  await sync.run()
  parent.restriction = { users: ['ada', 'bob'], groups: [] }
  expect(await readersOf(account, page)).toEqual(['ada@acme.example', 'bob@acme.example'])
  parent.restriction = { users: ['ada'], groups: [] }
  expect(await readersOf(account, page)).toEqual(['ada@acme.example'])
  await sync.run()
  parent.restriction = null
  expect(await readersOf(account, page)).toEqual(staff)
  state.groups.set('staff', ['ada', 'cy'])
  expect(await readersOf(account, page)).toEqual(['ada@acme.example', 'cy@acme.example'])
})

it('a page that the account no longer reads is closed at once, and a run is asked for', async () => {
  const { wiki, hr, sync, adapter } = await connect()
  const page = wiki.state.add(hr)
  await sync.run()
  page.restriction = { users: ['bob'], groups: [] }
  const { policies, needsRun } = await readPermissions(adapter, sync.session, sync.cursor)
  expect([...policies]).toEqual([[`acme.atlassian.net/${page.id}`, null]])
  expect(needsRun).toBe(true)
  await sync.run()
  expect(sync.items.size).toBe(0)
})

it('readers that a poll stored are corrected by the next when they change back', async () => {
  const { wiki, hr, sync, adapter } = await connect()
  const { state } = wiki
  const parent = state.add(hr, { restriction: { users: ['ada'], groups: [] } })
  const page = state.add(hr, { parentId: parent.id })
  await sync.run()
  const policyNow = async () =>
    (await readPermissions(adapter, sync.session, sync.cursor)).policies.get(`acme.atlassian.net/${page.id}`)
  parent.restriction = null
  expect(await policyNow()).toMatchObject({ groups: [`confluence-space-${hr.id}`] })
  parent.restriction = { users: ['ada'], groups: [] }
  expect(await policyNow()).toMatchObject({ groups: [`confluence-content-${parent.id}`] })
  page.restriction = { users: ['bob'], groups: [] }
  expect(await policyNow()).toBeNull()
  page.restriction = null
  expect(await policyNow()).toMatchObject({ groups: [`confluence-content-${parent.id}`] })
})

it('permissions are read during a first crawl too', async () => {
  const account = await connect({ itemsPerPage: 1 })
  const { wiki, hr, sync } = account
  const [page] = [wiki.state.add(hr), wiki.state.add(hr)]
  await sync.run({ dieAfter: 1 })
  page.restriction = { users: ['ada'], groups: [] }
  expect(await readersOf(account, page)).toEqual(['ada@acme.example'])
})

it('a restriction of many people is read whole', async () => {
  const account = await connect({ subjectsMax: 3 })
  const { wiki, hr, sync } = account
  const many = Array.from({ length: 10 }, (_unused, index) => wiki.state.person(`p${index}`).accountId)
  wiki.state.groups.set('staff', ['ada', ...many])
  const page = wiki.state.add(hr, { restriction: { users: ['ada', ...many], groups: ['none', 'nobody'] } })
  await sync.run()
  expect(await readersOf(account, page)).toHaveLength(11)
})
