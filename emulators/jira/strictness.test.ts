import { afterAll, beforeAll, expect, it } from 'vitest'
import { type JiraEmulator, startJiraEmulator } from './index.ts'

let jira: JiraEmulator
let token: string
let project: string

beforeAll(async () => {
  jira = await startJiraEmulator()
  token = jira.token()
  const hr = jira.state.createProject('HR')
  project = hr.id
  for (let count = 0; count < 3; count += 1) jira.state.add(hr)
  jira.state.createProject('SECRET', { browsers: [] })
})
afterAll(() => jira.close())

async function ask(path: string, body?: unknown, login = `${jira.email}:${token}`) {
  const answer = await fetch(`${jira.url}/rest/api/3${path}`, {
    headers: {
      authorization: `Basic ${Buffer.from(login).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : null }
}

it.each([
  ['/search', undefined, 404, 'dead link'],
  ['/project/search?page=2', undefined, 400, "'page'"],
  ['/project/search?status=new', undefined, 400, "'status'"],
  ['/group/member?groupId=staff&maxResults=51', undefined, 400, "'maxResults'"],
  ['/group/member?groupId=none', undefined, 404, 'does not exist'],
  ['/issue/1', undefined, 404, 'do not have permission'],
  ['/project/SECRET/permissionscheme', undefined, 404, 'No project'],
  ['/user/bulk', undefined, 400, 'accountId'],
  ['/search/jql', { jql: 'order by key' }, 400, 'Error in the JQL'],
  ['/search/jql', { jql: 'project in (1) ORDER BY created ASC, key ASC' }, 400, 'does not exist'],
  ['/search/jql', { jql: 'x', startAt: 0 }, 400, 'Unrecognized field'],
  ['/issue/bulkfetch', { issueIdsOrKeys: [], fields: [] }, 400, 'up to 100'],
])('refuses %s %o', async (path, body, status, words) => {
  const answer = await ask(path, body)
  expect(answer.status).toBe(status)
  expect(answer.text).toContain(words)
})

it('refuses another email or token', async () => {
  for (const login of [`bob@acme.example:${token}`, `${jira.email}:ATATTwrong`, token])
    expect((await ask('/myself', undefined, login)).status).toBe(401)
})

it('shows readers only to an account with the permission', async () => {
  jira.rights.administers = false
  jira.rights.browsesUsers = false
  for (const path of [
    `/project/${project}/permissionscheme`,
    `/project/${project}/role/1`,
    '/applicationrole',
    '/issuesecurityschemes/1/members',
    '/group/member?groupId=staff',
  ])
    expect((await ask(path)).status, path).toBe(403)
  Object.assign(jira.rights, { administers: true, browsesUsers: true })
})

it('pages by a token of the same query, has only ids by default, and shows what the account may read', async () => {
  expect((await ask('/project/search')).body.values).toMatchObject([{ key: 'HR' }])
  const jql = `project in (${project}) ORDER BY created ASC, key ASC`
  const first = await ask('/search/jql', { jql, maxResults: 2 })
  expect(first.body.issues).toHaveLength(2)
  expect(first.body.issues[0]).not.toHaveProperty('fields')
  const { nextPageToken } = first.body
  const second = await ask('/search/jql', { jql, maxResults: 2, nextPageToken })
  expect(second.body).toMatchObject({ issues: [expect.anything()], isLast: true })
  expect(second.body).not.toHaveProperty('nextPageToken')
  const other = `project in (${project}) AND updated >= -5m ORDER BY created ASC, key ASC`
  expect((await ask('/search/jql', { jql: other, nextPageToken })).status).toBe(400)
})
