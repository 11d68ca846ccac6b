import { afterAll, expect, it } from 'vitest'
import type { JiraHolder } from '../../../../emulators/jira/state.ts'
import { createConnect, type JiraAccount } from '../../../../test/support/jira.ts'
import { readPermissions } from '../../../../test/support/read-permissions.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)
const HOUR = 3_600_000
const [ADA, BOB, CY] = ['ada@acme.example', 'bob@acme.example', 'cy@acme.example']

/** Who may read a stored issue after the runs and the last permission poll. */
async function readersOf({ adapter, sync, item }: JiraAccount, issue: { id: string }): Promise<string[]> {
  const { groups, policies } = await readPermissions(adapter, sync.session, sync.cursor)
  const id = `acme.atlassian.net/${issue.id}`
  const policy = policies.has(id) ? policies.get(id) : item(issue)?.metadata.accessPolicy
  expect(policy?.visibility ?? 'restricted').toBe('restricted')
  expect(policy?.users).toBeUndefined()
  return (policy?.groups ?? []).flatMap((group) => groups.get(group)?.users ?? [])
}

it('an issue is read by those who may browse its project, by whatever they hold that', async () => {
  const account = await connect()
  const { jira, hr, sync } = account
  const { state } = jira
  state.groups.set('leads', ['cy'])
  const issue = state.add(hr)
  await sync.run()
  const cases: [JiraHolder[], (string | undefined)[]][] = [
    [[{ type: 'applicationRole' }], [ADA, BOB, CY]],
    [[{ type: 'applicationRole', value: 'jira-software' }], [ADA, BOB, CY]],
    [
      [
        { type: 'user', value: 'ada' },
        { type: 'group', value: 'leads' },
      ],
      [ADA, CY],
    ],
    [[{ type: 'projectLead' }], [ADA]],
    [
      [
        { type: 'user', value: 'ada' },
        { type: 'projectRole', value: '10002' },
      ],
      [ADA, BOB, CY],
    ],
    // They name different people for each issue, or people whom Jira does not list.
    [[{ type: 'anyone' }], []],
    [[{ type: 'user', value: 'ada' }, { type: 'reporter' }, { type: 'sd.customer.portal.only' }], [ADA]],
  ]
  hr.roles.set('10002', { users: ['bob'], groups: ['leads'] })
  for (const [browsers, readers] of cases) {
    hr.browsers = browsers
    expect(await readersOf(account, issue), JSON.stringify(browsers)).toEqual(readers)
  }
})

it("an issue with a security level is readable by the project's readers that the level names", async () => {
  const account = await connect({ pageMax: 2 })
  const { jira, hr, sync } = account
  const { state } = jira
  state.person('eve')
  hr.roles.set('10002', { users: ['bob'], groups: [] })
  hr.levels.set('10020', [
    { type: 'user', value: 'ada' },
    { type: 'projectRole', value: '10002' },
    { type: 'user', value: 'eve' },
    { type: 'assignee' },
  ])
  hr.levels.set('10021', [{ type: 'group', value: 'staff' }])
  const open = state.add(hr)
  const secret = state.add(hr, { levelId: '10020', assigneeId: 'cy' })
  const other = state.add(hr, { levelId: '10021' })
  await sync.run()
  expect(await readersOf(account, open)).toEqual([ADA, BOB, CY])
  // Eve may not browse the project, and assignees get no special access.
  expect(await readersOf(account, secret)).toEqual([ADA, BOB])
  expect(await readersOf(account, other)).toEqual([ADA, BOB, CY])
  state.edit(open, { levelId: '10020' })
  expect(await readersOf(account, open)).toEqual([ADA, BOB])
})

it('nobody reads an issue whose readers Jira does not show', async () => {
  const account = await connect()
  const { jira, hr, sync, item } = account
  hr.levels.set('10020', [{ type: 'user', value: 'ada' }])
  hr.browsers.push({ type: 'user', value: 'ada' })
  const [open, secret] = [jira.state.add(hr), jira.state.add(hr, { levelId: '10020' })]
  const role = jira.state.add(hr, { restrictedTo: ['10002'] })
  hr.roles.set('10002', { users: ['ada'], groups: [] })
  await sync.run()
  expect(item(role)?.metadata.accessPolicy).toEqual({ visibility: 'restricted' })
  expect(await readersOf(account, role)).toEqual([])
  expect(await readersOf(account, secret)).toEqual([ADA])
  jira.rights.browsesUsers = false
  expect(await readersOf(account, open)).toEqual([ADA])
  jira.rights.administers = false
  expect(await readersOf(account, open)).toEqual([])
  expect(await readersOf(account, secret)).toEqual([])
})

it('people who hide their address or are deactivated are closed out', async () => {
  const account = await connect()
  const { jira, hr, sync } = account
  const { people } = jira.state
  Object.assign(people.get('bob') ?? {}, { hidesEmail: true })
  Object.assign(people.get('cy') ?? {}, { isActive: false })
  jira.state.person('dan', { email: 'Dan@Acme.example' })
  hr.browsers.push(
    { type: 'user', value: 'dan' },
    { type: 'user', value: 'cy' },
    { type: 'group', value: 'unknown' },
  )
  const issue = jira.state.add(hr)
  await sync.run()
  expect(await readersOf(account, issue)).toEqual([ADA, 'dan@acme.example'])
})

it('a change of readers arrives with the next reading of permissions, without a run', async () => {
  const account = await connect()
  const { jira, hr, sync } = account
  const issue = jira.state.add(hr)
  await sync.run()
  sync.now += HOUR
  jira.state.groups.set('staff', ['ada', 'cy'])
  expect(await readersOf(account, issue)).toEqual([ADA, CY])
  hr.levels.set('10020', [{ type: 'user', value: 'ada' }])
  jira.state.edit(issue, { levelId: '10020' })
  expect(await readersOf(account, issue)).toEqual([ADA])
  jira.state.edit(issue, { restrictedTo: ['10002'] })
  hr.roles.set('10002', { users: ['ada'], groups: [] })
  expect(await readersOf(account, issue)).toEqual([])
})

it('an issue that the account no longer reads is closed at once, and a run is asked for', async () => {
  const { jira, hr, sync, adapter } = await connect()
  const issue = jira.state.add(hr)
  await sync.run()
  hr.levels.set('10020', [{ type: 'user', value: 'bob' }])
  jira.state.edit(issue, { levelId: '10020' })
  const { policies, needsRun } = await readPermissions(adapter, sync.session, sync.cursor)
  expect([...policies]).toEqual([[`acme.atlassian.net/${issue.id}`, null]])
  expect(needsRun).toBe(true)
  await sync.run()
  expect(sync.items.size).toBe(0)
})

it('readers that a poll stored are corrected by the next when they change back', async () => {
  const { jira, hr, sync, adapter } = await connect()
  const issue = jira.state.add(hr, { levelId: '10020' })
  hr.levels.set('10020', [{ type: 'user', value: 'ada' }])
  await sync.run()
  const policyNow = async () =>
    (await readPermissions(adapter, sync.session, sync.cursor)).policies.get(`acme.atlassian.net/${issue.id}`)
  jira.state.edit(issue, { levelId: null })
  expect(await policyNow()).toMatchObject({ groups: [`jira-project-${hr.id}`] })
  jira.state.edit(issue, { levelId: '10020' })
  expect(await policyNow()).toMatchObject({ groups: [`jira-level-${hr.id}-10020`] })
})

it('permissions are read during a first crawl too', async () => {
  const account = await connect({ itemsPerPage: 1 })
  const { jira, hr, sync } = account
  hr.levels.set('10020', [{ type: 'user', value: 'ada' }])
  const [issue] = [jira.state.add(hr), jira.state.add(hr)]
  await sync.run({ dieAfter: 1 })
  jira.state.edit(issue, { levelId: '10020' })
  expect(await readersOf(account, issue)).toEqual([ADA])
})
