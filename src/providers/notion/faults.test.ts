import * as fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import {
  closeNotion,
  connectNotion as connect,
  notionDifferences as differences,
} from '../../../test/support/notion.ts'

afterEach(closeNotion)

const SMALL = { pages: 30, databases: 1, rowsPerDatabase: 10 }

describe('Notion: faults', () => {
  it('a run interrupted at any page and resumed gives the result of an uninterrupted run', async () => {
    const whole = await connect({ seed: SMALL })
    await whole.sync.run()
    const expected = new Map([...whole.sync.items].toSorted())
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 }),
        fc.boolean(),
        async (cuts, losePage) => {
          const { notion, sync } = await connect({ seed: SMALL, objectsPerPage: 4 })
          for (const dieAfter of cuts) await sync.run({ dieAfter, losePage })
          await sync.run()
          expect(new Map([...sync.items].toSorted())).toEqual(expected)
          await notion.close()
        },
      ),
      { numRuns: 15 },
    )
  })

  it('an edit of a page that an interrupted run had read is found, even if a later edit came before it resumed', async () => {
    const { notion, sync } = await connect({ seed: SMALL, objectsPerPage: 1 })
    await sync.run()
    sync.now += 3_600_000
    const pages = ['One', 'Two'].map((title) => notion.state.create({ title, markdown: 'a\nas created' }))
    sync.now += 120_000
    const { ingested } = await sync.run({ dieAfter: 1 })
    expect(pages).toContain(ingested[0])
    sync.now += 60_000
    notion.state.edit(ingested[0] ?? '', { markdown: 'a\nas edited' })
    sync.now += 1_200_000
    notion.state.create({ title: 'Three', markdown: 'a\nas created' })
    for (let runs = 0; runs < 2; runs += 1) {
      await sync.run()
      sync.now += 3_600_000
    }
    expect(differences(notion, sync)).toEqual([])
  })

  it('a search cursor that Notion rejects restarts the search without reading anything twice', async () => {
    const { notion, sync } = await connect({ seed: { pages: 150, databases: 0 }, objectsPerPage: 20 })
    await sync.run({ dieAfter: 6 })
    notion.requests.reset()
    const invalid = {
      object: 'error',
      status: 400,
      code: 'validation_error',
      message: 'The start_cursor provided is invalid.',
    }
    notion.faults.add({ path: '/v1/search', contains: 'start_cursor', times: 1, status: 400, body: invalid })
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
    const markdowns = Object.entries(notion.requests.byPath()).filter(([path]) => path.endsWith('/markdown'))
    expect(markdowns.length).toBeLessThan(60)
  })

  it.each([
    ['seconds', '20', 429],
    ['an HTTP date', new Date(Date.UTC(2026, 0, 20) + 60_000).toUTCString(), 529],
  ])('a series of refusals with a waiting time in %s is waited out', async (_name, retryAfter, status) => {
    const { notion, sync } = await connect({ seed: SMALL })
    const code = status === 429 ? 'rate_limited' : 'service_overload'
    const body = { object: 'error', status, code, message: 'slow down' }
    notion.faults.add({
      path: '/v1/',
      every: 4,
      times: 20,
      status,
      headers: { 'retry-after': retryAfter },
      body,
    })
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
    expect(sync.waitedMs).toBeGreaterThanOrEqual(20_000)
  })

  it('a page that always fails is recorded, keeps its stored version, and is read once it answers', async () => {
    const { notion, sync, idOf } = await connect()
    await sync.run()
    const id = idOf('Task 1.1')
    sync.now += 3600_000
    notion.state.edit(id, { markdown: 'a\nbroken for now' })
    notion.faults.add({ path: `${id}/markdown`, status: 500 })
    notion.faults.add({ path: `${id}/children`, status: 500 })
    const report = await sync.run()
    expect(report.failures).toMatchObject([{ externalId: id }])
    expect(sync.items.has(id)).toBe(true)
    sync.now += 24 * 3600_000
    expect((await sync.run()).failures).toMatchObject([{ externalId: id }])
    notion.faults.clear()
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })

  it('pages that always fail, however many, end no run while Notion answers', async () => {
    const { notion, sync } = await connect()
    for (const path of ['/markdown', '/children']) notion.faults.add({ path, status: 500 })
    const report = await sync.run()
    expect(report).toMatchObject({ complete: true })
    expect(report.failures.length).toBeGreaterThan(3)
    notion.faults.clear()
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
  })

  it('an answer that is too slow or not from the provider is requested again', async () => {
    const { notion, sync } = await connect({ harness: { limits: { requestTimeoutMs: 500 } } })
    notion.faults.add({ path: '/v1/search', times: 1, delayMs: 20_000 })
    notion.faults.add({ path: '/v1/search', times: 1, status: 502, body: '<html>Bad gateway</html>' })
    await sync.run()
    expect(differences(notion, sync)).toEqual([])
    expect(sync.waitedMs).toBeGreaterThan(0)
  })

  it('a run that must stop stops at once, with its own reason', async () => {
    const stop = new AbortController()
    const { notion, sync } = await connect({ harness: { signal: stop.signal } })
    notion.faults.add({ path: '/v1/search', delayMs: 20_000 })
    const run = sync.run()
    setTimeout(() => stop.abort(new Error('drained')), 50)
    await expect(run).rejects.toThrow('drained')
  })

  it("a clock hours fast or slow changes nothing: edits are compared by Notion's clock", async () => {
    for (const skew of [-7_200_000, 7_200_000]) {
      const server = { now: Date.UTC(2026, 0, 20) }
      const { notion, sync, idOf } = await connect({ now: () => server.now })
      sync.now = server.now + skew
      await sync.run()
      server.now += 3600_000
      notion.state.edit(idOf('Task 1.1'), { markdown: 'a\nfirst' })
      await sync.run()
      server.now += 20_000
      notion.state.edit(idOf('Task 1.1'), { markdown: 'a\nsecond' })
      await sync.run()
      expect(differences(notion, sync)).toEqual([])
    }
  })
})
