import { createSign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('an app', () => {
  const sign = (claims: Record<string, unknown>, alg = 'RS256') => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part({ alg, typ: 'JWT' })}.${part(claims)}`
    const signature = createSign('RSA-SHA256').update(text).sign(hub.app.privateKey(), 'base64url')
    return `${text}.${signature}`
  }
  const as = (bearer: string, path: string, method = 'GET') =>
    fetch(`${hub.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'user-agent': 'test' },
    })
  const claimsFor = (seconds: number) => {
    const now = Math.floor(Date.now() / 1000)
    return { iat: now - 60, exp: now + seconds, iss: hub.app.clientId }
  }

  it.each([
    [
      'is of another issuer',
      () => sign({ ...claimsFor(60), iss: 'Iv1.other' }),
      404,
      'Integration not found',
    ],
    ['has expired', () => sign(claimsFor(-1)), 401, 'the assertion expires'],
    ['lasts over ten minutes', () => sign(claimsFor(660)), 401, 'too far in the future'],
    ['is from the future', () => sign({ ...claimsFor(60), iat: Date.now() }), 401, 'Issued at'],
    ['has another algorithm', () => sign(claimsFor(60), 'none'), 401, 'could not be decoded'],
    ['was changed', () => sign(claimsFor(60)).replace(/.{8}$/, 'AAAAAAAA'), 401, 'could not be decoded'],
  ])('is refused with a token that %s', async (_what, signed, status, message) => {
    const answer = await as(signed(), '/app')
    expect({ status: answer.status, body: await answer.text() }).toEqual({
      status,
      body: expect.stringContaining(message),
    })
  })

  it('issues tokens for an hour that read only the selected repositories', async () => {
    const installation = hub.app.install('acme')
    const web = hub.state.find('acme/web')?.repository
    installation.repositories = new Set([web?.id ?? 0])
    const made = await as(sign(claimsFor(60)), `/app/installations/${installation.id}/access_tokens`, 'POST')
    const { token: given, expires_at: end }: { token: string; expires_at: string } = Object(await made.json())
    expect(made.status).toBe(201)
    expect(Date.parse(end) - Date.now()).toBeGreaterThan(3_590_000)
    expect(await (await as(given, '/installation/repositories')).json()).toMatchObject({
      total_count: 1,
      repositories: [{ full_name: 'acme/web' }],
    })
    expect((await as(given, '/repos/acme/secret')).status).toBe(404)
    expect((await as(given, '/user')).status).toBe(403)
    installation.rights.delete('issues')
    expect((await as(given, '/repos/acme/web/issues')).status).toBe(403)
    installation.isSuspended = true
    expect((await as(given, '/repos/acme/web')).status).toBe(403)
    hub.app.tokens.expireAccessTokens()
    expect((await as(given, '/repos/acme/web')).status).toBe(401)
  })
})
