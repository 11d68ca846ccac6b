import { afterEach, describe, expect, it } from 'vitest'
import {
  closeNotion,
  connectNotion as connect,
  notionDifferences as differences,
  notionList,
  notionRefusal,
} from '../../../test/support/notion.ts'

afterEach(closeNotion)

const SMALL = { pages: 10, databases: 1, rowsPerDatabase: 4 }
const NOTHING = { pages: 0, databases: 0 }
const ID = '0a0b0c0d-0000-4000-8000-000000000001'

/** The smallest readable page. */
const page = (more: Record<string, unknown> = {}) => ({
  object: 'page',
  id: ID,
  last_edited_time: '2026-01-10T10:00:00Z',
  properties: { Name: { type: 'title', title: [{ type: 'text', text: { content: 'Bare' } }] } },
  ...more,
})

/** A workspace whose search finds these results, and whose trash is empty. */
async function finding(results: unknown[], options: Parameters<typeof connect>[0] = {}) {
  const connected = await connect({ seed: NOTHING, ...options })
  const { faults } = connected.notion
  faults.add({ path: '/v1/search', contains: 'in_trash', ...notionList([]) })
  faults.add({ path: '/v1/search', ...notionList(results) })
  faults.add({ path: '/markdown', status: 200, body: { markdown: 'says little' } })
  return connected
}

describe('Notion: connections with limited access', () => {
  it.each([
    ['may see nobody', notionRefusal(403, 'restricted_resource'), 1],
    ['knows nobody of that id', notionRefusal(404, 'object_not_found'), 6],
    ['refuses for reasons of its own', { status: 418, body: 'no' }, 6],
    ['has no such route', { status: 404, body: 'not found' }, 1],
  ])('store every page without names when Notion %s', async (_name, refusal, most) => {
    const { notion, sync } = await connect({ seed: SMALL })
    notion.faults.add({ path: '/v1/users/', ...refusal })
    const report = await sync.run()
    expect(report).toMatchObject({ failures: [], complete: true })
    expect(differences(notion, sync)).toEqual([])
    expect([...sync.items.values()].every((item) => item.authorName === null)).toBe(true)
    const asked = Object.keys(notion.requests.byPath()).filter((path) => path.startsWith('/v1/users/'))
    expect(asked.length).toBeLessThanOrEqual(most)
  })

  it('store the pages of a user that always fails, without the name', async () => {
    const { notion, sync } = await connect({ seed: { ...SMALL, users: 1 } })
    notion.faults.add({ path: '/v1/users/', status: 500 })
    expect(await sync.run()).toMatchObject({ failures: [], complete: true })
    expect(differences(notion, sync)).toEqual([])
  })

  it('read the pages of a user again whose name was unavailable', async () => {
    const { notion, sync } = await connect({ seed: { ...SMALL, users: 1 } })
    notion.faults.add({ path: '/v1/users/', status: 500 })
    await sync.run()
    notion.faults.clear()
    await sync.run()
    expect([...sync.items.values()].map((item) => item.authorName)).not.toContain(null)
  })

  it('keep the stored version of a page that shows only its id, and report it', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    await sync.run()
    const id = idOf('Task 1.1')
    notion.state.hideFromSearch(id)
    notion.faults.add({ path: `/v1/pages/${id}`, status: 200, body: { object: 'page', id } })
    notion.faults.add({ path: '/query', ...notionList([]) })
    const report = await sync.run()
    expect(report.deleted).toEqual([])
    expect(report.failures).toMatchObject([{ externalId: id }])
  })
})

describe('Notion: servers with reduced answers', () => {
  it('a page with only id, title and time is stored, and not as public', async () => {
    const { sync } = await finding([page()])
    expect(await sync.run()).toMatchObject({ failures: [], ingested: [ID] })
    const item = sync.items.get(ID)
    expect(item).toMatchObject({
      title: 'Bare',
      body: 'says little',
      authorName: null,
      sourceCreatedAt: null,
      sourceUpdatedAt: new Date('2026-01-10T10:00:00Z'),
      metadata: { objectType: 'page' },
    })
    expect(item?.metadata).not.toHaveProperty('accessPolicy')
    expect(item?.metadata).not.toHaveProperty('folder')
  })

  it('a page that says it is public is stored as public', async () => {
    const { sync } = await finding([page({ public_url: 'https://acme.notion.site/x' })])
    await sync.run()
    expect(sync.items.get(ID)?.metadata.accessPolicy).toEqual({ visibility: 'public' })
  })

  it('stores and reports a page with an embedded file or a part that Notion refuses', async () => {
    const { notion, sync } = await finding([page()])
    notion.faults.clear()
    notion.faults.add({ path: '/v1/search', contains: 'in_trash', ...notionList([]) })
    notion.faults.add({ path: '/v1/search', ...notionList([page()]) })
    const body = { markdown: 'Plan <pdf src="x">plan</pdf>', truncated: true, unknown_block_ids: ['secret'] }
    notion.faults.add({ path: `${ID}/markdown`, status: 200, body })
    notion.faults.add({ path: 'secret', ...notionRefusal(403, 'restricted_resource') })
    expect(await sync.run()).toMatchObject({
      ingested: [ID],
      failures: [],
      skipped: [
        { externalId: ID, title: 'Bare', message: '1 file in it is not read; a part of it is not read' },
      ],
    })
  })

  it('stores and reports a page that has more parts than are requested', async () => {
    const { notion, sync } = await connect({ seed: { pages: 0, databases: 0 }, markdownLimit: 10 })
    const id = notion.state.create({ title: 'Long', markdown: 'a text of a page. '.repeat(58) })
    expect((await sync.run()).skipped).toEqual([
      { externalId: id, title: 'Long', message: '4 parts of it are not read' },
    ])
  })

  it('results with only an id are requested, and invalid results are skipped', async () => {
    const partial = { object: 'page', id: ID }
    const { notion, sync } = await finding([
      partial,
      null,
      { object: 'database' },
      'x',
      { object: 'hologram' },
    ])
    notion.faults.add({ path: `/v1/pages/${ID}`, status: 200, body: page() })
    expect(await sync.run()).toMatchObject({ failures: [], ingested: [ID] })
    notion.requests.reset()
    await sync.run()
    expect(notion.requests.byPath()).toEqual({ '/v1/search': 3 })
  })

  it.each([
    ['an agent', { type: 'agent_id', agent_id: 'x' }],
    ['something unheard of', { type: 'hologram_id' }],
    ['nothing', null],
    ['a page that is refused', { type: 'page_id', page_id: 'nowhere' }],
    ['a block on a server without blocks', { type: 'block_id', block_id: 'nowhere' }],
    ['itself', { type: 'page_id', page_id: ID }],
  ])('a page inside %s is stored', async (_name, parent) => {
    const { sync } = await finding([page({ parent })])
    expect(await sync.run()).toMatchObject({ failures: [], ingested: [ID] })
  })

  it('a row with a property of unknown shape is recorded, and the others are stored', async () => {
    const parent = { type: 'data_source_id', data_source_id: 'table', database_id: 'base' }
    const title = { type: 'title', title: [{ plain_text: 'Row' }] }
    const other = ID.replace('1', '2')
    const types = ['formula', 'unique_id', 'multi_select', 'rollup', 'date', 'people', 'url', 'status']
    const empty = Object.fromEntries(types.map((type) => [`No ${type}`, { type, [type]: null }]))
    const { sync } = await finding([
      page({ parent, properties: { Name: title, Who: { type: 'people', people: [null] } } }),
      page({ id: other, parent, properties: { Name: title, Odd: { type: 'number' }, None: null, ...empty } }),
    ])
    const report = await sync.run()
    expect(report.failures).toMatchObject([{ externalId: ID }])
    expect(report.ingested).toEqual([other])
  })

  it('nothing stored is lost when search ignores the trash filter and answers with other pages', async () => {
    const { notion, sync } = await connect({ seed: SMALL })
    await sync.run()
    const all = await fetch(`${notion.url}/v1/search`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await sync.session.accessToken()}`,
        'notion-version': '2025-09-03',
      },
      body: '{}',
    })
    const list: { results: unknown[] } = JSON.parse(await all.text())
    notion.faults.add({ path: '/v1/search', contains: 'in_trash', ...notionList(list.results) })
    expect(await sync.run()).toMatchObject({ deleted: [], complete: true })
  })

  it.each([
    ['validation_error', 400],
    ['invalid_request', 400],
    ['restricted_resource', 403],
  ])('missing objects are found by counting when the trash is refused with %s', async (code, status) => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    notion.faults.add({ path: '/v1/search', contains: 'in_trash', ...notionRefusal(status, code) })
    await sync.run()
    notion.state.trash(idOf('Task 1.1'))
    expect((await sync.run()).deleted).toEqual([idOf('Task 1.1')])
  })

  it.each([
    ['no cursor and no more', { has_more: false }],
    ['no word of more', {}],
    ['a cursor, but no more', { has_more: false, next_cursor: 'on' }],
    ['a cursor that leads to itself', { has_more: true, next_cursor: 'on' }],
  ])('a list that says %s ends', async (_name, more) => {
    const { notion, sync } = await connect({ seed: NOTHING })
    notion.faults.add({ path: '/v1/search', contains: 'in_trash', ...notionList([]) })
    notion.faults.add({ path: '/v1/search', status: 200, body: { results: [page()], ...more } })
    notion.faults.add({ path: '/markdown', status: 200, body: { markdown: 'says little' } })
    expect(await sync.run()).toMatchObject({ ingested: [ID], complete: true })
  })

  it('missing objects are found without data sources', async () => {
    const { notion, sync, idOf } = await connect({ seed: { pages: 10, databases: 0 } })
    notion.faults.add({ path: '/v1/data_sources', ...notionRefusal(400, 'invalid_request_url') })
    await sync.run()
    const id = notion.state.create({ title: 'Leaf' })
    await sync.run()
    notion.state.setShared(id, false)
    expect(await sync.run()).toMatchObject({ deleted: [id], failures: [], complete: true })
    expect(idOf('Leaf')).toBe(id)
  })

  it('an answer that is not a list is requested again', async () => {
    const { notion, sync } = await connect({ seed: SMALL })
    notion.faults.add({ path: '/v1/search', times: 1, status: 200, body: { hello: 'world' } })
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
    expect(sync.waitedMs).toBeGreaterThan(0)
  })

  it('an answer that is not JSON is requested again', async () => {
    const { notion, sync } = await connect({ seed: SMALL })
    notion.faults.add({ path: '/v1/search', times: 1, status: 204 })
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
    notion.faults.add({ path: '/v1/search', status: 204 })
    await expect(sync.run()).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Notion did not answer with JSON',
    })
  })

  it('later edits are found although one edit lies in the future', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    notion.state.set(idOf('Task 1.1'), { editedAt: sync.now + 365 * 86_400_000 })
    await sync.run()
    sync.now += 3600_000
    notion.state.edit(idOf('Task 1.2'), { markdown: 'a\nedited today' })
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })
})
