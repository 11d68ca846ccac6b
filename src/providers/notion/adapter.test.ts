import { afterEach, describe, expect, it } from 'vitest'
import {
  closeNotion,
  connectNotion as connect,
  notionDifferences as differences,
} from '../../../test/support/notion.ts'

afterEach(closeNotion)

const HOUR = 3600_000

describe('Notion: the first run', () => {
  it('stores every page, row and database once, with its location and author', async () => {
    const { notion, sync } = await connect()
    const top = notion.state.create({ title: 'Handbook', markdown: 'all about us' })
    const middle = notion.state.create({ title: 'Travel', parentId: top })
    const leaf = notion.state.create({
      title: 'Trains',
      parentId: middle,
      markdown: '# Trains\nBy rail.\nFirst class from <mention-page url="x">four hours</mention-page> on.',
    })
    const report = await sync.run()
    expect(differences(notion, sync)).toEqual([])
    expect(report.failures).toEqual([])
    expect(sync.items.get(leaf)).toMatchObject({
      sourceKind: 'document',
      title: 'Trains',
      body: '# Trains\nBy rail.\nFirst class from four hours on.',
      url: `https://www.notion.so/${leaf.replaceAll('-', '')}`,
      authorName: 'Ana Lima',
      metadata: {
        workspace: 'Acme',
        folder: 'Handbook / Travel',
        senderEmail: 'ana.lima@acme.example',
        objectType: 'page',
      },
    })
    const row = [...sync.items.values()].find((item) => item.metadata['objectType'] === 'database_row')
    expect(row?.body).toMatch(/^Status: (Not started|In progress|Done)\n/)
    expect(row?.metadata.folder).toMatch(/tracker/)
  })

  it('finds what search misses: children through their parents, rows through their database', async () => {
    const { notion, sync, idOf } = await connect()
    const child = notion.state.create({
      title: 'Hidden child',
      parentId: idOf('Task 1.1'),
      markdown: 'a\nfound by its parent',
    })
    const grandchild = notion.state.create({
      title: 'Hidden grandchild',
      parentId: child,
      markdown: 'a\nfound by the child',
    })
    const table = notion.state.create({ title: 'Hidden table', parentId: grandchild, kind: 'data_source' })
    const row = notion.state.create({
      title: 'Hidden row',
      parentId: table,
      markdown: 'a\nfound by its table',
    })
    for (const id of [child, grandchild, table, row, idOf('Task 2.3')]) notion.state.hideFromSearch(id)
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })

  it('assembles a long page from its parts', async () => {
    const { notion, sync } = await connect({ markdownLimit: 50 })
    const markdown = Array.from({ length: 40 }, (_unused, i) => `line number ${i} of a long page`).join('\n')
    const id = notion.state.create({ title: 'Long', markdown })
    await sync.run()
    expect(sync.items.get(id)?.body).toContain('line number 39')
  })
})

describe('Notion: later runs', () => {
  it('take a handful of requests when nothing changed', async () => {
    const small = await connect()
    await small.sync.run()
    small.notion.requests.reset()
    expect(await small.sync.run()).toMatchObject({ ingested: [], deleted: [], discovered: 0 })
    expect(small.notion.requests.total).toBeLessThanOrEqual(6)

    const large = await connect({ seed: { pages: 1500, databases: 0 } })
    await large.sync.run()
    large.notion.requests.reset()
    expect(await large.sync.run()).toMatchObject({ ingested: [], deleted: [], discovered: 0 })
    expect(large.notion.requests.byPath()).toEqual({ '/v1/search': 2 })
  })

  it('store new pages, edits and renames, and nothing else', async () => {
    const { notion, sync, idOf } = await connect()
    await sync.run()
    sync.now += HOUR
    const created = notion.state.create({ title: 'New', markdown: 'a\nbrand new' })
    const edited = idOf('Task 1.2')
    notion.state.edit(edited, { markdown: 'a\nedited just now' })
    const report = await sync.run()
    expect(report.ingested.toSorted()).toEqual([created, edited].toSorted())
    expect(differences(notion, sync)).toEqual([])
  })

  it('detect a second edit within the minute of the first', async () => {
    const { notion, sync, idOf } = await connect()
    await sync.run()
    sync.now += HOUR + 10_000
    notion.state.edit(idOf('Task 1.2'), { markdown: 'a\nfirst edit' })
    await sync.run()
    sync.now += 10_000
    notion.state.edit(idOf('Task 1.2'), { markdown: 'a\nsecond edit' })
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })

  it('remove trashed pages with everything in them, and restore them when they leave the trash', async () => {
    const { notion, sync } = await connect()
    const top = notion.state.create({ title: 'Doomed' })
    const child = notion.state.create({ title: 'Doomed child', parentId: top })
    await sync.run()
    notion.state.trash(top)
    const report = await sync.run()
    expect(report.deleted.toSorted()).toEqual([top, child].toSorted())
    notion.state.restore(top)
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })

  it('remove a trashed page with its children at once in a large workspace too', async () => {
    const { notion, sync } = await connect({ seed: { pages: 1200, databases: 0 } })
    const top = notion.state.create({ title: 'Doomed' })
    const child = notion.state.create({ title: 'Doomed child', parentId: top })
    await sync.run()
    notion.state.trash(top)
    const report = await sync.run()
    expect(report.deleted.toSorted()).toEqual([top, child].toSorted())
  })

  it('remove unshared pages, and store newly shared ones even if edited long ago', async () => {
    const { notion, sync, idOf } = await connect()
    notion.state.setShared(idOf('Task 2.2'), false)
    await sync.run()
    notion.state.setShared(idOf('Task 2.2'), true)
    notion.state.setShared(idOf('Task 2.4'), false)
    const report = await sync.run()
    expect(report.deleted).toEqual([idOf('Task 2.4')])
    expect(differences(notion, sync)).toEqual([])
  })

  it('keep pages that search omits for a while', async () => {
    const { notion, sync, idOf } = await connect()
    const page = notion.state.create({ title: 'Shy' })
    await sync.run()
    notion.state.hideFromSearch(page)
    notion.state.hideFromSearch(idOf('Task 1.1'))
    expect((await sync.run()).deleted).toEqual([])
    expect(differences(notion, sync)).toEqual([])
  })

  it('update the location of a moved or renamed page and everything in it', async () => {
    const { notion, sync, idOf } = await connect()
    const area = notion.state.create({ title: 'Area' })
    const team = notion.state.create({ title: 'Team' })
    const plan = notion.state.create({ title: 'Plan', parentId: team })
    const table = notion.state.create({ title: 'Table', parentId: plan, kind: 'data_source' })
    const row = notion.state.create({ title: 'Row', parentId: table })
    await sync.run()
    expect(sync.items.get(row)?.metadata.folder).toBe('Team / Plan / Table')
    sync.now += HOUR
    notion.state.move(team, area)
    await sync.run()
    expect(sync.items.get(row)?.metadata.folder).toBe('Area / Team / Plan / Table')
    sync.now += HOUR
    notion.state.edit(area, { title: 'Region' })
    await sync.run()
    expect(sync.items.get(row)?.metadata.folder).toBe('Region / Team / Plan / Table')
    expect(sync.items.get(idOf('Plan'))?.metadata.folder).toBe('Region / Team')
  })

  it('with a full resync read everything again and remove missing pages', async () => {
    const { notion, sync } = await connect()
    await sync.run()
    const [stale] = sync.items.values()
    if (stale)
      sync.items.set('00000000-0000-4000-8000-000000000000', {
        ...stale,
        externalId: '00000000-0000-4000-8000-000000000000',
      })
    const report = await sync.run({ fullResync: true })
    expect(report.deleted).toEqual(['00000000-0000-4000-8000-000000000000'])
    expect(report.discovered).toBeGreaterThanOrEqual(notion.state.objects.size)
    expect(differences(notion, sync)).toEqual([])
  })
})
