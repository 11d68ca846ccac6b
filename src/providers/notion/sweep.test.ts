import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import {
  closeNotion,
  connectNotion as connect,
  notionDifferences as differences,
  notionRefusal,
  notionRequests,
} from '../../../test/support/notion.ts'

afterEach(closeNotion)

const MINUTE = 60_000
const POLL = 15 * MINUTE
const SMALL = { pages: 10, databases: 1, rowsPerDatabase: 4 }
/** Counting takes thirteen requests, as in a workspace of more than a thousand pages. */
const LARGE = { pages: 4, databases: 12, rowsPerDatabase: 2 }

describe('Notion: changes that search does not report', () => {
  it('edits of pages and rows that search misses are found by counting', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    const page = notion.state.create({ title: 'Shy page', parentId: idOf('Task 1.1') })
    for (const id of [page, idOf('Task 1.2')]) notion.state.hideFromSearch(id)
    await sync.run()
    sync.now += POLL
    await sync.run()
    sync.now += POLL
    notion.state.edit(page, { markdown: 'a\nedited in hiding' })
    notion.state.edit(idOf('Task 1.2'), { markdown: 'a\na hidden row edited' })
    const report = await sync.run()
    expect(report.ingested.toSorted()).toEqual([page, idOf('Task 1.2')].toSorted())
    expect(differences(notion, sync)).toEqual([])
    sync.now += POLL
    await sync.run()
    sync.now += POLL
    expect((await sync.run()).discovered).toBe(0)
  })

  it('finds edits in a later run if one run could not check an item', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    const page = notion.state.create({ title: 'Shy page', parentId: idOf('Task 1.1') })
    const table = notion.state.create({ title: 'Shy table', parentId: idOf('Task 1.1'), kind: 'data_source' })
    const hidden = [page, table, idOf('Task 1.2')]
    for (const id of hidden) notion.state.hideFromSearch(id)
    await sync.run()
    sync.now += POLL
    await sync.run()
    sync.now += POLL
    for (const id of hidden) notion.state.edit(id, { title: `Renamed ${id}`, markdown: 'a\nedited' })
    sync.now += POLL
    for (const id of hidden.slice(0, 2)) notion.faults.add({ path: `/${id}`, times: 5, status: 503 })
    expect((await sync.run()).failures).toHaveLength(2)
    for (let runs = 0; runs < 2; runs += 1) {
      sync.now += POLL
      await sync.run()
    }
    expect(differences(notion, sync)).toEqual([])
  })

  it('a page moved without an edit gets its new location, with everything in it', async () => {
    const { notion, sync } = await connect({ seed: SMALL })
    const area = notion.state.create({ title: 'Area' })
    const team = notion.state.create({ title: 'Team' })
    const plan = notion.state.create({ title: 'Plan', parentId: team })
    await sync.run()
    sync.now += POLL
    await sync.run()
    sync.now += POLL
    notion.state.set(team, { parentId: area })
    await sync.run()
    expect(sync.items.get(plan)?.metadata.folder).toBe('Area / Team')
    sync.now += POLL
    expect((await sync.run()).discovered).toBe(0)
  })

  it('a page published or unpublished without an edit is public or not, with everything in it', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    const area = notion.state.create({ title: 'Area' })
    const plan = notion.state.create({ title: 'Plan', parentId: area })
    const hidden = notion.state.create({ title: 'Shy page', parentId: area })
    notion.state.hideFromSearch(hidden)
    const all = [area, plan, hidden]
    const policies = () => all.map((id) => sync.items.get(id)?.metadata.accessPolicy)
    const isPublic = { visibility: 'public' }
    await sync.run()
    expect(policies()).toEqual([undefined, undefined, undefined])
    for (const isPublished of [true, false]) {
      sync.now += POLL
      notion.state.set(area, { isPublished })
      notion.state.set(idOf('Task 1.2'), { isPublished })
      await sync.run()
      expect(policies()).toEqual(all.map(() => (isPublished ? isPublic : undefined)))
      const row = sync.items.get(idOf('Task 1.2'))
      expect(row?.metadata.accessPolicy).toEqual(isPublished ? isPublic : undefined)
      sync.now += POLL
      expect((await sync.run()).discovered).toBe(0)
    }
  })

  it('a full resync reads again what search misses', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    const page = notion.state.create({ title: 'Shy', parentId: idOf('Task 1.1'), markdown: 'a\nb' })
    for (const id of [page, idOf('Task 1.2')]) notion.state.hideFromSearch(id)
    await sync.run()
    for (const item of sync.items.values()) item.body = 'spoilt'
    await sync.run({ fullResync: true })
    expect([...sync.items.values()].filter((item) => item.body === 'spoilt')).toEqual([])
  })
})

describe('Notion: missing objects', () => {
  it('are found by the next poll in a workspace of more than a thousand pages, even if shared', async () => {
    const { notion, sync, idOf } = await connect({ seed: LARGE })
    const [late = '', ...gone] = [1, 2, 3, 4, 5].map((number) => idOf(`Task ${number}.1`))
    notion.state.setShared(late, false)
    await sync.run()
    sync.now += POLL
    for (const id of gone) notion.state.setShared(id, false)
    notion.state.setShared(late, true)
    const report = await sync.run()
    expect(report.deleted.toSorted()).toEqual(gone.toSorted())
    expect(report.ingested).toEqual([late])
  })

  it('are found at once in the trash, though hundreds were trashed after their last edit', async () => {
    const { notion, sync, idOf } = await connect({ seed: LARGE })
    await sync.run()
    for (let i = 0; i < 330; i += 1) notion.state.trash(notion.state.create({ title: `Scrap ${i}` }))
    notion.state.trash(idOf('Task 1.1'))
    notion.requests.reset()
    expect((await sync.run()).deleted).toEqual([idOf('Task 1.1')])
    expect(notion.requests.byPath()).toEqual({ '/v1/search': 5 })
  })

  it('are checked a thousand at a time, resuming where the last run stopped or died', async () => {
    const { sync } = await connect({ seed: LARGE })
    await sync.run()
    sync.now += POLL
    const [item] = sync.items.values()
    const gone = Array.from({ length: 1100 }, (_unused, i) => `00000000-${String(i).padStart(4, '0')}`)
    if (item) for (const id of gone) sync.items.set(id, { ...item, externalId: id })
    await sync.run({ dieAfter: 1 })
    const left = gone.filter((id) => sync.items.has(id)).length
    expect(left).toBeGreaterThan(1000)
    expect(left).toBeLessThan(1100)
    expect((await sync.run()).deleted).toHaveLength(1000)
    expect((await sync.run()).deleted).toHaveLength(left - 1000)
    expect((await sync.run()).deleted).toEqual([])
  })

  it('are removed although another checked page always fails, and that page stays', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    await sync.run()
    const [broken, refused, gone] = [idOf('Task 1.1'), idOf('Task 1.2'), idOf('Task 1.3')]
    notion.faults.add({ path: '/query', status: 500 })
    for (const id of [broken, refused]) notion.state.hideFromSearch(id)
    notion.state.setShared(gone, false)
    notion.faults.add({ path: `/v1/pages/${broken}`, status: 500 })
    notion.faults.add({ path: `/v1/pages/${refused}`, ...notionRefusal(418, 'teapot') })
    const report = await sync.run()
    expect(report).toMatchObject({ deleted: [gone], complete: true })
    expect(report.failures.map((failure) => failure.externalId)).toEqual(
      expect.arrayContaining([broken, refused]),
    )
    expect(sync.items.has(broken) && sync.items.has(refused)).toBe(true)
  })
})

describe('Notion: counting', () => {
  it('requests an unreadable page once a run', async () => {
    const { notion, sync, idOf } = await connect({ seed: SMALL })
    const id = idOf('Task 1.1')
    for (const ending of ['markdown', 'children'])
      notion.faults.add({ path: `${id}/${ending}`, ...notionRefusal(400, 'validation_error') })
    for (let run = 0; run < 2; run += 1) {
      notion.requests.reset()
      expect((await sync.run()).failures).toMatchObject([{ externalId: id }])
      expect(notionRequests(notion, `${id}/children`)).toBe(1)
    }
  })

  it('pauses in large workspaces for three seconds per request, to leave most calls for reading', async () => {
    const { notion, sync } = await connect({ seed: LARGE })
    await sync.run()
    const requests = async () => {
      notion.requests.reset()
      await sync.run()
      return notion.requests.total
    }
    expect(await requests()).toBe(2)
    sync.now += 35_000
    expect(await requests()).toBe(2)
    sync.now += 5_000
    expect(await requests()).toBe(15)
  })

  it('keeps the children of a page that always fails, and ends', async () => {
    const { notion, sync } = await connect({ seed: SMALL })
    const parent = notion.state.create({ title: 'Broken' })
    const children = Array.from({ length: 5 }, (_unused, i) =>
      notion.state.create({ title: `Child ${i}`, parentId: parent, markdown: 'a\nb' }),
    )
    notion.state.hideFromSearch(parent)
    notion.faults.add({ path: parent, status: 500 })
    const report = await sync.run()
    expect(report.complete).toBe(true)
    expect(report.failures.map((failure) => failure.externalId).toSorted()).toEqual(children.toSorted())
    expect(notionRequests(notion, parent)).toBe(5)
    notion.faults.clear()
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })
})

describe('Notion: times rounded to the minute', () => {
  it('the next run misses no edit, whatever the seconds between edits and runs', async () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 3 * MINUTE }),
      page: fc.integer({ min: 0, max: 3 }),
      runs: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async (steps) => {
        const { notion, sync } = await connect({ seed: { pages: 4, databases: 0 } })
        const ids = [...notion.state.objects.keys()]
        for (const [index, { waitMs, page, runs }] of steps.entries()) {
          sync.now += waitMs
          notion.state.edit(ids[page] ?? '', { markdown: `a\nedit ${index}` })
          if (!runs) continue
          await sync.run()
          expect(differences(notion, sync)).toEqual([])
        }
        await notion.close()
      }),
      { numRuns: 15 },
    )
  })
})
