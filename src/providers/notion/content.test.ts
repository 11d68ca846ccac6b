import { afterEach, describe, expect, it } from 'vitest'
import {
  closeNotion,
  connectNotion as connect,
  notionDifferences as differences,
  notionList,
  notionRefusal,
  notionRequests,
} from '../../../test/support/notion.ts'
import { BLOCK_LIMITS, readBlocks } from './blocks.ts'
import { createNotionRuns } from './client.ts'

afterEach(closeNotion)

const SMALL = { pages: 10, databases: 1, rowsPerDatabase: 4 }
const LONG = Array.from({ length: 240 }, (_unused, i) => `line ${i} of a page of three answers`).join('\n')
const MARKDOWN = [
  '# Trains',
  'By rail.',
  '## Classes',
  '- first',
  '\t- from four hours on',
  '\t\t1. with a reason',
  '- second',
  '- [x] asked',
  '- [ ] booked',
  '> Mind the gap',
  '```plain text',
  'const fare = 12',
  '```',
  '### The end',
].join('\n')

let blockNumber = 0
function block(type: string, content: unknown, more: Record<string, unknown> = {}) {
  blockNumber += 1
  const id = `00000000-0000-4000-8000-${String(blockNumber).padStart(12, '0')}`
  return { object: 'block', id, type, has_children: false, in_trash: false, [type]: content, ...more }
}
const rich = (text: string, href: string | null = null) => [{ type: 'text', plain_text: text, href }]
const words = (text: string) => ({ rich_text: rich(text), color: 'default' })

/** A page without Markdown that has these blocks; `inner` holds the children of blocks, by block id. */
async function pageOf(blocks: unknown[], inner: Record<string, unknown[]> = {}) {
  const { notion, sync } = await connect({ seed: { pages: 0, databases: 0 }, withoutMarkdown: true })
  const id = notion.state.create({ title: 'Page' })
  notion.faults.add({ path: `${id}/children`, ...notionList(blocks) })
  for (const [holder, held] of Object.entries(inner)) {
    notion.faults.add({ path: `${holder}/children`, ...notionList(held) })
  }
  const read = (limits = BLOCK_LIMITS) => readBlocks(createNotionRuns(notion.url)(sync.session), id, limits)
  return { notion, sync, id, read }
}

describe('Notion with Markdown', () => {
  it('names the people whose mentions have no text', async () => {
    const { notion, sync } = await connect({ seed: { pages: 0, databases: 0 } })
    const [ana, ben] = notion.state.users()
    const markdown = [
      `Owner: <mention-user url="user://${ana?.id}"/>, not <mention-user url="user://../pages"/>`,
      `Reviewer: <mention-user url="user://${ben?.id}">Ben</mention-user>`,
    ].join('\n')
    notion.state.create({ title: 'Plan', markdown })
    await sync.run()
    expect(sync.bodies()).toEqual([`Owner: @${ana?.name}, not\nReviewer: Ben`])
    expect(Object.keys(notion.requests.byPath()).filter((path) => path.includes('user'))).toEqual([
      `/v1/users/${ana?.id}`,
    ])
  })
})

describe('Notion without Markdown', () => {
  it('reads the same text from blocks as from Markdown, in as many answers as needed', async () => {
    const runs = await Promise.all(
      [false, true].map(async (withoutMarkdown) => {
        const { notion, sync } = await connect({ seed: SMALL, withoutMarkdown })
        const top = notion.state.create({ title: 'Handbook', markdown: MARKDOWN })
        notion.state.create({ title: 'Long', parentId: top, markdown: LONG })
        notion.state.create({ title: 'Table', parentId: top, kind: 'data_source' })
        const report = await sync.run()
        return { items: new Map([...sync.items].toSorted()), report, notion }
      }),
    )
    const [byMarkdown, byBlocks] = runs
    expect(byBlocks?.items).toEqual(byMarkdown?.items)
    expect(byBlocks?.report.failures).toEqual([])
    expect([...(byBlocks?.items.values() ?? [])].map(({ body }) => body)).toContain(LONG)
    expect(byBlocks && notionRequests(byBlocks.notion, '/markdown')).toBe(1)
  })

  it('follows subpages and databases that search misses', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL, withoutMarkdown: true })
    const child = notion.state.create({ title: 'Hidden', parentId: idOf('Task 1.1'), markdown: 'a\nb' })
    const table = notion.state.create({ title: 'Hidden table', parentId: child, kind: 'data_source' })
    const row = notion.state.create({ title: 'Hidden row', parentId: table, markdown: 'a\nb' })
    for (const id of [child, table, row]) notion.state.hideFromSearch(id)
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })

  it.each([
    ['no such page of a gateway', { status: 404, body: '<html>Not found</html>' }, 1],
    ['an unknown code', notionRefusal(404, 'route_not_found'), 1],
    ['an invalid address', notionRefusal(400, 'invalid_request_url'), 1],
    ['a method that is not allowed', { status: 405, body: {} }, 1],
    ['what is not implemented', { status: 501, body: {} }, 1],
    ['an invalid request', notionRefusal(400, 'invalid_request'), 3],
    ['a validation error', notionRefusal(400, 'validation_error'), 3],
    ['a page it does not find', notionRefusal(404, 'object_not_found'), 3],
    ['an answer without Markdown', { status: 200, body: {} }, 3],
    ['a failure every time', { status: 500, body: {} }, 15],
  ])('is detected from %s, and not requested again in the run', async (_name, refusal, requests) => {
    const { notion, sync } = await connect({ seed: SMALL })
    notion.faults.add({ path: '/markdown', ...refusal })
    const report = await sync.run()
    expect(report.failures).toEqual([])
    expect(differences(notion, sync)).toEqual([])
    expect(notionRequests(notion, '/markdown')).toBe(requests)
  })

  it('reads one page that Notion cannot render from its blocks, and the others as Markdown', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    notion.faults.add({ path: `${idOf('Task 1.1')}/markdown`, ...notionRefusal(400, 'validation_error') })
    const report = await sync.run()
    expect(report.failures).toEqual([])
    expect(differences(notion, sync)).toEqual([])
    expect(notionRequests(notion, '/children')).toBe(1)
  })

  it('records a page with inaccessible content, and does not remove it', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    await sync.run()
    sync.now += 3600_000
    const id = idOf('Task 1.1')
    notion.state.edit(id, { markdown: 'a\nsecret' })
    for (const ending of ['markdown', 'children'])
      notion.faults.add({
        path: `${id}/${ending}`,
        ...notionRefusal(403, 'restricted_resource', 'not yours'),
      })
    const report = await sync.run()
    expect(report).toMatchObject({ deleted: [], failures: [{ externalId: id, message: 'not yours' }] })
    expect(sync.items.has(id)).toBe(true)
  })

  it('removes a page that disappeared between search and read', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    await sync.run()
    sync.now += 3600_000
    const id = idOf('Task 1.1')
    notion.state.edit(id, { markdown: 'a\nb' })
    notion.faults.add({ path: id, ...notionRefusal(404, 'object_not_found') })
    expect(await sync.run()).toMatchObject({ deleted: [id], failures: [] })
  })
})

describe("a page's blocks", () => {
  it('yield the visible text of each type; unknown types are skipped', async () => {
    const url = 'https://fares.example/'
    const table = block('table', { table_width: 2, has_column_header: true }, { has_children: true })
    const columns = block('column_list', {}, { has_children: true })
    const column = block('column', {}, { has_children: true })
    const toggle = block('toggle', words('More'), { has_children: true })
    const odd = block('hologram', words('unheard of'), { has_children: true })
    const { read } = await pageOf(
      [
        block('heading_1', words('Trains')),
        block('paragraph', { rich_text: [...rich('See '), ...rich('the fares', url), ...rich('.')] }),
        block('bulleted_list_item', words('first')),
        block('numbered_list_item', words('second')),
        block('to_do', { ...words('asked'), checked: true }),
        block('to_do', { ...words('booked'), checked: false }),
        toggle,
        block('quote', words('Mind the gap')),
        block('callout', words('Mind it well')),
        block('code', { rich_text: rich('x = 1'), caption: rich('how much'), language: 'python' }),
        block('equation', { expression: 'e = mc^2' }),
        table,
        columns,
        block('bookmark', { url, caption: rich('All fares') }),
        block('embed', { url, caption: [] }),
        block('image', { type: 'external', external: { url }, caption: rich('A train') }),
        block('pdf', { type: 'external', external: { url }, caption: [] }),
        block('divider', {}),
        odd,
        block('child_page', { title: 'Subpage' }, { has_children: true }),
        block('child_database', { title: 'Tasks' }),
        block('paragraph', words('thrown away'), { in_trash: true }),
        { object: 'block', id: 'partial' },
        null,
        block('paragraph', undefined),
      ],
      {
        [toggle.id]: [block('paragraph', words('Hidden text'))],
        [table.id]: [
          block('table_row', { cells: [rich('City'), rich('Fare')] }),
          block('table_row', { cells: [rich('Rome'), rich('12')] }),
        ],
        [columns.id]: [column],
        [column.id]: [block('paragraph', words('In a column'))],
        [odd.id]: [block('paragraph', words('in what is unheard of'))],
      },
    )
    const { text, children } = await read()
    expect(text.split('\n')).toEqual([
      '# Trains',
      `See [the fares](${url}).`,
      '- first',
      '1. second',
      '- [x] asked',
      '- [ ] booked',
      'More',
      '\tHidden text',
      '> Mind the gap',
      '> Mind it well',
      '```python',
      'x = 1',
      '```',
      'how much',
      '$$e = mc^2$$',
      '| City | Fare |',
      '| --- | --- |',
      '| Rome | 12 |',
      'In a column',
      `[All fares](${url})`,
      url,
      'A train',
      'Subpage',
      'Tasks',
    ])
    expect(children.map(({ kind }) => kind)).toEqual(['page', 'database'])
  })

  it('that hold files are counted, and the page is reported as stored without them', async () => {
    const file = { type: 'external', external: { url: 'https://files.example/plan.pdf' }, caption: [] }
    const blocks = [block('paragraph', words('Read on')), block('pdf', file), block('file', file)]
    const { sync, id } = await pageOf(blocks)
    const { failures, skipped, ingested } = await sync.run()
    expect(failures).toEqual([])
    expect(ingested).toContain(id)
    expect(skipped).toEqual([{ externalId: id, title: 'Page', message: '2 files in it are not read' }])
  })

  it('are read once when synced blocks contain each other, and skipped when the original is not shared', async () => {
    const original = block('synced_block', { synced_from: null }, { has_children: true })
    const copyOf = (id: string) =>
      block('synced_block', { synced_from: { type: 'block_id', block_id: id } }, { has_children: true })
    const { read, notion } = await pageOf([original, copyOf(original.id), copyOf('elsewhere')], {
      [original.id]: [block('paragraph', words('said once')), copyOf(original.id), copyOf('elsewhere')],
    })
    expect((await read()).text).toBe('said once')
    expect(notionRequests(notion, '/children')).toBe(3)
  })

  it('end at any depth, and at the limits of blocks, requests and bytes', async () => {
    const deep = Array.from({ length: 60 }, (_unused, i) =>
      block('toggle', words(`level ${i}`), { has_children: true }),
    )
    const inner = Object.fromEntries(deep.map(({ id }, i) => [id, deep.slice(i + 1, i + 2)]))
    const { read, sync } = await pageOf(deep.slice(0, 1), inner)
    expect((await read()).text.split('\n')).toHaveLength(30)
    expect((await read({ blocks: 7, requests: 1_000 })).text.split('\n')).toHaveLength(7)
    expect((await read({ blocks: 1_000, requests: 5 })).text.split('\n')).toHaveLength(5)
    sync.session.limits.maxTextBytes = 25
    expect((await read()).text.split('\n')).toHaveLength(3)
  })

  it('end when a server leads from one empty answer to the next forever', async () => {
    const { notion, read, id } = await pageOf([])
    notion.faults.clear()
    for (let page = 0; page < 30; page += 1) {
      const body = { object: 'list', results: [], next_cursor: `page ${page}`, has_more: true }
      notion.faults.add({ path: `${id}/children`, times: 1, status: 200, body })
    }
    expect(await read({ blocks: 10, requests: 20 })).toMatchObject({ text: '', children: [] })
    expect(notionRequests(notion, '/children')).toBe(20)
  })
})
