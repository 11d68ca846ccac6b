import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type NotionEmulator, startNotionEmulator } from './index.ts'

let notion: NotionEmulator | undefined
afterEach(async () => {
  await notion?.close()
  notion = undefined
})

async function send(method: 'GET' | 'POST', path: string, body?: string) {
  notion ??= await startNotionEmulator({ seed: { pages: 3, databases: 1, rowsPerDatabase: 2 } })
  const { accessToken } = notion.grants.issue(notion.workspace.id, '')
  const answer = await fetch(`${notion.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${accessToken}`, 'notion-version': '2026-03-11' },
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, body: await answer.json() }
}

const Found = z.looseObject({ results: z.array(z.looseObject({ object: z.string(), id: z.string() })) })

const search = (body: unknown) => send('POST', '/v1/search', JSON.stringify(body))

describe('the Notion API', () => {
  it('returns invalid_json for a body that is not JSON', async () => {
    expect(await send('POST', '/v1/search', '{"page_size":')).toMatchObject({
      status: 400,
      body: { object: 'error', code: 'invalid_json', message: 'Error parsing JSON body.' },
    })
  })

  it.each([
    [101, 'body failed validation: body.page_size should be ≤ `100`, instead was `101`.'],
    [0, 'body failed validation: body.page_size should be ≥ `1`, instead was `0`.'],
    ['50', 'body failed validation: body.page_size should be a number or `undefined`, instead was `"50"`.'],
  ])('refuses the page_size %j', async (size, message) => {
    expect(await search({ page_size: size })).toMatchObject({
      status: 400,
      body: { code: 'validation_error', message },
    })
  })

  it('also refuses an invalid page_size in a query, where numbers are text', async () => {
    const page = Found.parse((await search({})).body).results.find(({ object }) => object === 'page')
    const path = `/v1/blocks/${page?.id}/children`
    expect((await send('GET', `${path}?page_size=100`)).status).toBe(200)
    expect(await send('GET', `${path}?page_size=101`)).toMatchObject({
      status: 400,
      body: { code: 'validation_error' },
    })
  })

  it('refuses a start_cursor that is not a UUID or not in the list', async () => {
    for (const cursor of ['x', '00000000-0000-4000-8000-000000000000'])
      expect(await search({ start_cursor: cursor })).toMatchObject({
        status: 400,
        body: { code: 'validation_error' },
      })
  })

  it('names the integration in additional_data when an object is not found', async () => {
    const id = '00000000-0000-4000-8000-000000000000'
    expect(await send('GET', `/v1/pages/${id}`)).toMatchObject({
      status: 404,
      body: {
        object: 'error',
        code: 'object_not_found',
        message: expect.stringContaining(`Could not find page with ID: ${id}.`),
        additional_data: { integration_id: expect.any(String) },
        request_id: expect.any(String),
      },
    })
  })
})
