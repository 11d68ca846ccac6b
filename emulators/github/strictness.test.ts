import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GitHubEmulator, startGitHubEmulator } from './index.ts'

let hub: GitHubEmulator
let token: string

beforeAll(async () => {
  hub = await startGitHubEmulator()
  token = hub.token()
  const web = hub.state.create('acme/web')
  for (let count = 0; count < 3; count += 1) hub.state.open(web)
  hub.access.hidden.add(hub.state.create('acme/secret').id)
})
afterAll(() => hub.close())

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${hub.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, 'user-agent': 'test', ...headers },
    redirect: 'manual',
  })
  const body: unknown = answer.status === 304 ? null : await answer.json()
  return { status: answer.status, headers: answer.headers, body }
}

it.each([
  ['/repos/acme/web/issues', { authorization: 'Bearer nothing' }, 401, 'Bad credentials'],
  ['/repos/acme/web/issues', { 'x-github-api-version': '2020-01-01' }, 400, 'not supported'],
  ['/repos/acme/secret', {}, 404, 'Not Found'],
  ['/repos/acme/web/', {}, 404, 'Not Found'],
  ['/repos/acme/web/issues?per_page=101', {}, 422, 'per_page'],
  ['/repos/acme/web/issues?since=yesterday', {}, 422, 'since'],
  ['/repos/acme/web/issues?sort=name', {}, 422, 'sort'],
  ['/repos/acme/web/issues?limit=5', {}, 422, 'unknown parameter limit'],
  ['/repos/acme/web/git/trees/main', {}, 409, 'empty'],
])('refuses %s with %o', async (path, headers: Record<string, string>, status, message) => {
  expect(await get(path, headers)).toMatchObject({
    status,
    body: { message: expect.stringContaining(message) },
  })
})

it('pages by links, and answers 304 to a mark, which counts against no limit', async () => {
  const first = await get('/repos/acme/web/issues?per_page=2')
  expect(first.body).toHaveLength(2)
  expect(first.headers.get('link')).toContain(
    `${hub.url}/repos/acme/web/issues?per_page=2&page=2>; rel="next"`,
  )
  const again = await get('/repos/acme/web/issues?per_page=2', {
    'if-none-match': first.headers.get('etag') ?? '',
  })
  expect(again.status).toBe(304)
  const remaining = (answer: { headers: Headers }) => answer.headers.get('x-ratelimit-remaining')
  expect(remaining(again)).toBe(remaining(first))
})

async function query(text: string, variables: Record<string, unknown> = {}) {
  const answer = await fetch(`${hub.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'user-agent': 'test',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: text, variables }),
  })
  return { status: answer.status, body: await answer.text() }
}

it.each([
  ['mutation { a }', 'Parse error'],
  ['query { nothing }', "Field 'nothing' doesn't exist on type 'Query'"],
  ['query { repository(owner: "acme", id: 7) { name } }', "doesn't accept argument 'id'"],
  ['query { repository(owner: "acme", name: "secret") { hasDiscussionsEnabled } }', 'NOT_FOUND'],
  ['query ($n: Int!) { repository(owner: "acme", name: "web") { discussion(number: $n) { title } } }', '$n'],
  ['query { repository(owner: "acme", name: "web") { discussion(number: 1) } }', 'NOT_FOUND'],
  ['query { repository(owner: "acme", name: "web") { discussions { totalCount } } }', '`first`'],
  ['query { repository(owner: "acme", name: "web") { discussions(first: 101) { totalCount } } }', '100'],
  ['query { repository(owner: "acme", name: "web") }', 'must have selections'],
  [
    'query { repository(owner: "acme", name: "web") { discussions(first: 100) { nodes { comments(first: 100) { nodes { replies(first: 100) { totalCount } } } } } } }',
    'MAX_NODE_LIMIT_EXCEEDED',
  ],
])('answers %s with an error and the status 200', async (text, words) => {
  const { status, body } = await query(text)
  expect(status).toBe(200)
  expect(body).toContain(words)
})
