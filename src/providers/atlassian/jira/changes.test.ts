import { afterAll, describe, expect, it } from 'vitest'
import { paragraphs } from '../../../../emulators/jira/state.ts'
import { createConnect, type JiraAccount } from '../../../../test/support/jira.ts'
import { createTextExtractor } from '../../../file-text/index.ts'

const HOUR = 3_600_000
const extractor = createTextExtractor()
afterAll(() => extractor.close())

const connect = createConnect(extractor)

/** The requests since the last call, by path below the API. */
function requestsOf({ jira }: Pick<JiraAccount, 'jira'>): Record<string, number> {
  const paths = Object.entries(jira.requests.byPath()).map(([path, count]): [string, number] => [
    path.replace('/rest/api/3/', ''),
    count,
  ])
  jira.requests.reset()
  return Object.fromEntries(paths)
}

describe('a run', () => {
  it('without changes asks for what changed and for the ids, and reads no issue', async () => {
    const account = await connect()
    const { jira, hr, sync } = account
    for (let count = 0; count < 5; count += 1) jira.state.add(hr)
    await sync.run()
    sync.now += 30 * HOUR
    requestsOf(account)
    expect(await sync.run()).toMatchObject({ ingested: [], discovered: 0, complete: true })
    expect(requestsOf(account)).toEqual({ myself: 1, 'project/search': 1, 'search/jql': 2 })
  })

  it('reads only what changed, and an issue that the index had late', async () => {
    const account = await connect({ itemsPerPage: 3, pageMax: 4 })
    const { jira, hr, sync } = account
    const issues = Array.from({ length: 10 }, () => jira.state.add(hr))
    await sync.run()
    sync.now += 2 * HOUR
    const [first, , third] = issues
    if (first === undefined || third === undefined) throw new Error('there are no issues')
    jira.state.edit(first, { status: 'Done' })
    jira.state.comment(third)
    const late = jira.state.add(hr)
    jira.unindexed.add(late.id)
    requestsOf(account)
    expect((await sync.run()).ingested).toHaveLength(2)
    const read = Object.keys(requestsOf(account)).filter((path) => /^issue\/\d+$/.test(path))
    expect(read).toEqual([`issue/${first.id}`, `issue/${third.id}`])
    jira.unindexed.clear()
    expect((await sync.run()).ingested).toEqual([`acme.atlassian.net/${late.id}`])
  })

  it('that is killed is continued as far back as it began', async () => {
    const { jira, hr, sync, item } = await connect({ itemsPerPage: 1 })
    const issues = Array.from({ length: 4 }, () => jira.state.add(hr))
    await sync.run()
    sync.now += HOUR
    for (const issue of issues) jira.state.edit(issue, { description: paragraphs('New.') })
    await sync.run({ dieAfter: 1 })
    sync.now += 48 * HOUR
    await sync.run()
    for (const issue of issues) expect(item(issue)?.body).toContain('New.')
  })
})

describe('issues', () => {
  it('keep their id when they move to another project, whose readers they get', async () => {
    const { jira, hr, sync, item } = await connect()
    const eng = jira.state.createProject('ENG')
    const issue = jira.state.add(hr)
    await sync.run()
    jira.state.move(issue, eng)
    expect(await sync.run()).toMatchObject({ ingested: [`acme.atlassian.net/${issue.id}`], deleted: [] })
    expect(item(issue)).toMatchObject({
      url: 'https://acme.atlassian.net/browse/ENG-1',
      metadata: { projectKey: 'ENG', accessPolicy: { groups: [`jira-project-${eng.id}`] } },
    })
  })

  it('that move to a project that the source does not read, and deleted ones, are removed', async () => {
    const { jira, hr, sync } = await connect({ projects: 'HR' })
    const eng = jira.state.createProject('ENG')
    const [moved, removed, stays] = [jira.state.add(hr), jira.state.add(hr), jira.state.add(hr)]
    await sync.run()
    jira.state.move(moved, eng)
    jira.state.remove(removed)
    sync.now += HOUR
    await sync.run()
    expect([...sync.items.keys()]).toEqual([`acme.atlassian.net/${stays.id}`])
  })

  it('of projects that are chosen later are read, and those of others removed', async () => {
    const { jira, hr, sync } = await connect({ projects: 'HR' })
    const eng = jira.state.createProject('ENG')
    jira.state.add(hr)
    const issue = jira.state.add(eng)
    sync.now += 48 * HOUR
    await sync.run()
    sync.session.extra['projects'] = ['ENG']
    await sync.run()
    expect([...sync.items.keys()]).toEqual([`acme.atlassian.net/${issue.id}`])
  })

  it('that no search has, although they exist, are not removed', async () => {
    const { jira, hr, sync, item } = await connect()
    const issue = jira.state.add(hr)
    await sync.run()
    jira.unindexed.add(issue.id)
    expect((await sync.run()).deleted).toEqual([])
    jira.faults.add({ path: 'bulkfetch', status: 200, body: { issues: [], issueErrors: [{ id: issue.id }] } })
    expect((await sync.run()).deleted).toEqual([])
    expect(item(issue)).toBeDefined()
  })

  it('of a project with another key or name are all read again, and no others', async () => {
    const { jira, hr, sync, item } = await connect()
    const eng = jira.state.createProject('ENG')
    const [issue, other] = [jira.state.add(hr), jira.state.add(eng)]
    await sync.run()
    sync.now += 48 * HOUR
    jira.state.renameProject(hr, 'PPL', 'People')
    expect((await sync.run()).ingested).toEqual([`acme.atlassian.net/${issue.id}`])
    expect(item(issue)).toMatchObject({
      url: 'https://acme.atlassian.net/browse/PPL-1',
      metadata: { folder: 'People' },
    })
    expect(item(other)).toBeDefined()
  })

  it('of a project that is deleted or no longer readable are removed', async () => {
    const { jira, hr, sync } = await connect()
    const { state } = jira
    const [eng, kept] = [state.createProject('ENG'), state.createProject('OPS')]
    for (const project of [hr, eng, kept]) state.add(project, { summary: project.key })
    await sync.run()
    state.removeProject(eng)
    hr.browsers = [{ type: 'user', value: 'bob' }]
    await sync.run()
    expect([...sync.items.values()].map(({ title }) => title)).toEqual(['OPS'])
  })

  it('that the account reads again without a change are stored again', async () => {
    const { jira, hr, sync, item } = await connect()
    const issue = jira.state.add(hr, { levelId: '1' })
    hr.levels.set('1', [{ type: 'user', value: 'ada' }])
    await sync.run()
    hr.levels.set('1', [{ type: 'user', value: 'bob' }])
    await sync.run()
    expect(item(issue)).toBeUndefined()
    hr.levels.set('1', [{ type: 'user', value: 'ada' }])
    sync.now += 48 * HOUR
    await sync.run()
    expect(item(issue)).toBeDefined()
    expect(await sync.run()).toMatchObject({ discovered: 0 })
  })

  it('are read once a failure is over, however long it lasts', async () => {
    const { jira, hr, sync, item } = await connect({ limits: { maxAttempts: 1 } })
    const issue = jira.state.add(hr)
    jira.state.add(hr)
    await sync.run()
    jira.state.edit(issue, { description: paragraphs('New.') })
    jira.faults.add({ path: `/issue/${issue.id}`, status: 500 })
    for (let runs = 0; runs < 8; runs += 1) {
      expect((await sync.run()).failures).toHaveLength(1)
      sync.now += 12 * HOUR
    }
    jira.faults.clear()
    await sync.run()
    expect(item(issue)?.body).toContain('New.')
    expect(await sync.run()).toMatchObject({ discovered: 0 })
  })
})

it('comments that are edited, deleted, restricted or opened change their issue', async () => {
  const { jira, hr, sync, item } = await connect()
  const { state } = jira
  const issue = state.add(hr)
  const comment = state.comment(issue, { body: paragraphs('First.') })
  await sync.run()
  expect(item(issue)?.body).toContain('First.')
  state.editComment(comment, { body: paragraphs('Second.') })
  await sync.run()
  expect(item(issue)?.body).toContain('Second.')
  const visibility = { type: 'group', value: 'staff', identifier: 'staff' } as const
  state.editComment(comment, { visibility })
  await sync.run()
  expect(item(issue)?.body).not.toContain('Second.')
  state.editComment(comment, { visibility: null })
  await sync.run()
  expect(item(issue)?.body).toContain('Second.')
  state.removeComment(comment)
  await sync.run()
  expect(item(issue)?.body).not.toContain('Second.')
})

it('removes nothing if a rejected token gets the response of an anonymous request', async () => {
  const { jira, hr, sync, adapter } = await connect()
  jira.state.add(hr)
  await sync.run()
  jira.login.isAnonymous = true
  jira.grants.revokeAll()
  await expect(sync.run()).rejects.toMatchObject({ kind: 'auth' })
  const poll = adapter.listPermissions?.(sync.session, { cursor: sync.cursor, groupIds: new Set() })
  await expect(poll?.next()).rejects.toMatchObject({ kind: 'auth' })
  expect(sync.items.size).toBe(1)
})
