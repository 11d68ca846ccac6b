import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConfluenceEmulator, startConfluenceEmulator } from './index.ts'

let wiki: ConfluenceEmulator
let token: string
let space: string

beforeAll(async () => {
  wiki = await startConfluenceEmulator()
  token = wiki.token()
  const hr = wiki.state.createSpace('HR')
  space = hr.id
  for (let count = 0; count < 3; count += 1) wiki.state.add(hr)
  wiki.state.createSpace('SECRET', { readers: [] })
})
afterAll(() => wiki.close())

async function get(path: string, login = `${wiki.email}:${token}`) {
  const answer = await fetch(`${wiki.url}${path}`, {
    headers: { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
  })
  const text = await answer.text()
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : null,
  }
}

it.each([
  ['/wiki/api/v2/spaces?limit=251', 400, "'limit'"],
  ['/wiki/api/v2/spaces?page=2', 400, "Unknown parameter 'page'"],
  ['/wiki/api/v2/spaces?sort=size', 400, "'sort'"],
  ['/wiki/api/v2/spaces?cursor=nonsense', 400, "'cursor'"],
  ['/wiki/api/v2/pages?status=new', 400, "'status'"],
  ['/wiki/api/v2/pages/1', 404, 'Not Found'],
  ['/wiki/api/v2/blogposts/1', 404, 'Not Found'],
  ['/wiki/api/v2/blogposts?status=new', 400, "'status'"],
  ['/wiki/api/v2/whiteboards', 404, 'Not Found'],
  ['/wiki/rest/api/content/search?cql=type', 400, 'Could not parse cql'],
  ['/wiki/rest/api/content/1/restriction/byOperation/read', 404, 'No content found'],
  ['/wiki/rest/api/group/none/membersByGroupId', 404, 'does not exist'],
])('refuses %s', async (path, status, words) => {
  const answer = await get(path)
  expect(answer.status).toBe(status)
  expect(answer.text).toContain(words)
})

it('refuses another email or token', async () => {
  for (const login of [`bob@acme.example:${token}`, `${wiki.email}:ATATTwrong`, token])
    expect((await get('/wiki/api/v2/spaces', login)).status).toBe(401)
})

it('pages by a cursor in the body and in a header, and shows only what the account may view', async () => {
  const spaces = await get('/wiki/api/v2/spaces')
  expect(spaces.body.results).toMatchObject([{ key: 'HR' }])
  const first = await get(`/wiki/api/v2/spaces/${space}/pages?limit=2&sort=id`)
  expect(first.body.results).toHaveLength(2)
  expect(first.headers.get('link')).toBe(`<${first.body._links.next}>; rel="next"`)
  const second = await get(first.body._links.next)
  expect(second.body.results).toHaveLength(1)
  expect(second.body._links).not.toHaveProperty('next')
})
