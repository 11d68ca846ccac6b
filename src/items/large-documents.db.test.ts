import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { slicedProcess, type SlicedProcess } from '../../test/support/sliced-process.ts'
import { until } from '../../test/support/until.ts'
import { createModelRegistry, ensureStoredModel } from '../embeddings/index.ts'
import { changeItems } from '../vector-memory/index.ts'
import type { NewItem } from './index.ts'
import { cleanItem } from './item.ts'
import { prepareItems } from './prepare-items.ts'
import { cutSlices, storeSlice } from './slices.ts'

/** Of a chunk each; with as many, several parts. */
const LARGE = 150
/** What a part has at most. */
const PART_CHUNKS = 48

let database: TestDatabase
let organization: TestOrganization
let here: SlicedProcess

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  organization = await insertOrganization(database.db)
  here = slicedProcess(database.db)
})

/** A text of so many chunks. */
const textOf = (word: string, chunks: number): string =>
  Array.from({ length: chunks }, (_, n) => `# ${word} ${n}\n\n${`${word}${n} `.repeat(130).trim()}.`).join(
    '\n\n',
  )

const page = (word: string, chunks: number, externalId = 'page'): NewItem =>
  testItem(organization, { externalId, title: 'Page', body: textOf(word, chunks) })

const ingest = (given: readonly NewItem[], { items }: SlicedProcess = here) =>
  items.ingest(organization.caller(), given.map(cleanItem), randomUUID())

interface Stored {
  external_id: string
  body: string
  hash: string
  contents: string[]
  /** Of all models. */
  vectors: number
}

async function stored(): Promise<Stored[]> {
  const { rows } = await sql<Stored>`
    select i.external_id, i.body, encode(i.content_sha256, 'hex') as hash,
      array(select c.content from chunks c
        where c.organization_id = i.organization_id and c.source_item_id = i.id order by c.position) as contents,
      (select count(*)::int from chunk_embeddings e
        where e.organization_id = i.organization_id and e.source_item_id = i.id) as vectors
    from source_items i where i.organization_id = ${organization.id} order by i.external_id`.execute(
    database.db,
  )
  return rows
}

/** What is stored are these, whole, with nothing of what was there before. */
async function expectStored(given: readonly NewItem[], models = 1): Promise<void> {
  const rows = await stored()
  expect(rows.map((row) => [row.external_id, row.hash, row.body])).toEqual(
    given.map((item) => [item.externalId, cleanItem(item).hash, item.body]),
  )
  for (const { contents, body, vectors } of rows) {
    expect(contents.join('\n\n')).toBe(body)
    expect(vectors).toBe(contents.length * models)
  }
}

/** How many transactions have told what they changed. */
const revisions = async (): Promise<number> => {
  const rows = await database.db
    .selectFrom('item_changes')
    .select('revision')
    .where('organization_id', '=', organization.id)
    .execute()
  return rows.length
}

const written = async (): Promise<number> => {
  const rows = await database.db
    .selectFrom('ingest_parts')
    .select('part')
    .where('organization_id', '=', organization.id)
    .execute()
  return rows.length
}

const someChunks = () => until('the first chunks', stored, (rows) => (rows[0]?.contents.length ?? 0) > 0)

describe('a large document', () => {
  it('is stored in transactions of a part each while others wait, counted as one, and told when it is whole', async () => {
    const transactions = vi.spyOn(database.db, 'transaction')
    expect(await ingest([page('one', LARGE)])).toEqual({ ingested: 1, skipped: 0 })
    // One decides it, and its row is a part of its own.
    expect(transactions).toHaveBeenCalledTimes(2 + Math.ceil(LARGE / PART_CHUNKS))
    transactions.mockRestore()
    await expectStored([page('one', LARGE)])
    expect(await revisions()).toBe(1)
    expect(await written()).toBe(0)
    expect(await ingest([page('one', LARGE)])).toEqual({ ingested: 0, skipped: 1 })
  })

  it('is stored in one transaction where nobody waits', async () => {
    await ingest([page('one', LARGE)], slicedProcess(database.db, { isAwaited: () => false }))
    await expectStored([page('one', LARGE)])
    expect(await revisions()).toBe(1)
  })

  it.each([
    ['a longer one', 2 * LARGE],
    ['a shorter one', PART_CHUNKS + 10],
    ['a small one', 1],
  ])('is replaced by %s, of which all is there and nothing else', async (_kind, chunks) => {
    await ingest([page('one', LARGE)])
    const before = await revisions()
    expect(await ingest([page('two', chunks)])).toEqual({ ingested: 1, skipped: 0 })
    await expectStored([page('two', chunks)])
    // What goes is gone in parts too.
    expect((await revisions()) - before).toBe(1 + Math.ceil(Math.max(LARGE, chunks) / PART_CHUNKS))
  })

  it('is stored among others, before and after it in their order', async () => {
    const given = ['a', 'b', 'c', 'd', 'e'].map((name, n) => page(name, n % 2 === 0 ? 3 : LARGE, name))
    expect(await ingest(given)).toEqual({ ingested: 5, skipped: 0 })
    await expectStored(given)
    const changed = given.map((item, n) => (n < 2 ? page('new', 60, item.externalId) : item))
    expect(await ingest(changed)).toEqual({ ingested: 2, skipped: 3 })
    await expectStored(changed)
  })

  it('leaves nothing of a longer one that was stored when it was cut into parts already', async () => {
    const embedding = hashEmbeddingModel()
    const models = createModelRegistry({ configured: embedding, builtin: async () => embedding })
    const { id: organizationId } = organization
    await ingest([page('zero', 1)])
    const items = [cleanItem(page('two', LARGE))]
    const prepared = await prepareItems(database.db, models, { organizationId, items })
    const slices = await cutSlices(database.db, prepared, prepared.stored)
    await ingest([page('one', 3 * LARGE)])
    for (const slice of slices)
      await changeItems(database.db, organizationId, (tx, changes) =>
        storeSlice(tx, changes, slice, new Date()),
      )
    await expectStored([page('two', LARGE)])
  })

  it('that the canvas has read between two parts is not to be read again', async () => {
    const reading = until('the first part', stored, (rows) => rows.length > 0).then(() =>
      database.db
        .updateTable('source_items')
        .set(({ ref }) => ({ canvas_sha256: ref('content_sha256') }))
        .where('organization_id', '=', organization.id)
        .execute(),
    )
    await ingest([page('one', 4 * LARGE)])
    await reading
    const { rows } = await sql<{ is_read: boolean }>`
      select canvas_sha256 = content_sha256 as is_read from source_items
      where organization_id = ${organization.id}`.execute(database.db)
    expect(rows).toEqual([{ is_read: true }])
  })

  it('beside which a move to another model begins is stored with the vectors of both', async () => {
    const target = hashEmbeddingModel({ id: 'builtin-9' })
    const { id } = await ensureStoredModel(database.db, target)
    const move = {
      organization_id: organization.id,
      id: randomUUID(),
      embedding_model_id: id,
      status: 'running' as const,
      started_at: new Date(),
    }
    const moving = someChunks().then(() => database.db.insertInto('reembeddings').values(move).execute())
    const beside = slicedProcess(database.db, { target })
    expect(await ingest([page('one', 4 * LARGE)], beside)).toEqual({ ingested: 1, skipped: 0 })
    await moving
    // What was prepared for one model is prepared anew for both, from the first part on.
    await expectStored([page('one', 4 * LARGE)], 2)
  })
})

describe('a process that dies in a large document', () => {
  it.each([1, 2, 3])('when %i of its parts are stored: the next start stores all of it', async (parts) => {
    await ingest([page('one', 2 * LARGE)])
    const given = [page('two', LARGE), page('small', 2, 'small')]
    await expect(ingest(given, slicedProcess(database.db, { slices: parts + 1 }))).rejects.toThrow('died')
    const next = slicedProcess(database.db.withoutPlugins())
    await next.sliced.start()
    await expectStored(given)
    expect([await written(), next.errors]).toEqual([0, []])
    expect(await ingest(given, next)).toEqual({ ingested: 0, skipped: 2 })
    await next.sliced.stop()
  })

  it('that fills what is written down at once: the next start stores all of it', async () => {
    const given = [page('one', 400)]
    expect(given[0]?.body.length).toBeGreaterThan(256_000)
    await expect(ingest(given, slicedProcess(database.db, { slices: 2 }))).rejects.toThrow('died')
    const next = slicedProcess(database.db.withoutPlugins())
    await next.sliced.start()
    await expectStored(given)
    expect([await written(), next.errors]).toEqual([0, []])
    await next.sliced.stop()
  })

  it('before any is: nothing has happened', async () => {
    await ingest([page('one', LARGE)])
    const dying = slicedProcess(database.db, { slices: 0 })
    await expect(ingest([page('two', LARGE)], dying)).rejects.toThrow('died')
    await expectStored([page('one', LARGE)])
    expect(await written()).toBe(0)
  })
})

describe('a large document that a run brings', () => {
  const write = (item: NewItem, within: () => Promise<void> = async () => {}) =>
    here.items.write(organization.id, [item], within)

  it('is told with each of its parts, and counts with the last', async () => {
    const seen: { items: string[]; ingested: number; isLast: boolean }[] = []
    const given = [page('one', LARGE), page('small', 1, 'small')]
    const all = await here.items.write(organization.id, given, async (_tx, { items, counts, isLast }) => {
      seen.push({ items: items.map(({ externalId }) => externalId), ingested: counts.ingested, isLast })
    })
    expect(all).toEqual({ ingested: 2, skipped: 0 })
    expect(seen.map(({ items }) => items)).toEqual([
      ['page'],
      ['page'],
      ['page'],
      ['page'],
      ['page'],
      ['small'],
    ])
    expect(seen.map(({ ingested }) => ingested)).toEqual([0, 0, 0, 0, 1, 1])
    expect(seen.map(({ isLast }) => isLast)).toEqual([false, false, false, false, false, true])
    await expectStored(given)
    // Whoever stops in between leaves nothing that is not told; its row alone has nothing that could be found.
    expect(await revisions()).toBe(seen.length - 1)
  })

  it('is stored from its beginning where it was deleted, or pushed otherwise, between two parts', async () => {
    for (const change of [
      () => here.items.remove(organization.caller(), { provider: 'notion', externalId: 'page' }),
      () => ingest([page('pushed', 1)]),
    ]) {
      let parts = 0
      let changing: Promise<unknown> | undefined
      await write(page('one', LARGE), async () => {
        parts += 1
        if (parts === 2) changing = change()
      })
      await changing
      expect(parts).toBeGreaterThan(1 + Math.ceil(LARGE / PART_CHUNKS))
      await expectStored([page('one', LARGE)])
      await here.items.remove(organization.caller(), { provider: 'notion', externalId: 'page' })
    }
  })

  it('is found to differ where a process died in it, and is stored anew', async () => {
    const transaction = database.db.transaction.bind(database.db)
    let transactions = 0
    const dying = vi.spyOn(database.db, 'transaction').mockImplementation(() => {
      transactions += 1
      if (transactions > 2) throw new Error('died')
      return transaction()
    })
    await expect(write(page('one', LARGE))).rejects.toThrow('died')
    dying.mockRestore()
    const [row] = await stored()
    expect(row?.contents.length).toBeGreaterThan(0)
    expect(row?.contents.length).toBeLessThan(LARGE)
    expect(await write(page('one', LARGE))).toEqual({ ingested: 1, skipped: 0 })
    await expectStored([page('one', LARGE)])
  })

  /** All of a document is there, and nothing else; it is stored anew, and counted, when it comes again. */
  async function expectWholeAndUncounted(item: NewItem): Promise<void> {
    const rows = await stored()
    expect(rows.map(({ external_id, body }) => [external_id, body])).toEqual([[item.externalId, item.body]])
    expect(rows[0]?.contents.join('\n\n')).toBe(item.body)
    expect(await write(item)).toEqual({ ingested: 1, skipped: 0 })
    await expectStored([item])
  }

  it.each([2, 3, 4])('is whole, and all that is stored, where the run is stopped at part %i', async (at) => {
    await write(page('one', 2 * LARGE))
    let parts = 0
    const stopped = here.items.write(
      organization.id,
      [page('two', LARGE), page('small', 1, 'small')],
      async () => {
        parts += 1
        if (parts === at) throw new Error('paused')
      },
    )
    await expect(stopped).rejects.toThrow('paused')
    expect(parts).toBe(at)
    await expectWholeAndUncounted(page('two', LARGE))
  })

  it('is as it was where the run is stopped before it, and whole where the process stops within', async () => {
    await write(page('one', LARGE))
    const refused = write(page('two', LARGE), () => Promise.reject(new Error('paused')))
    await expect(refused).rejects.toThrow('paused')
    await expectStored([page('one', LARGE)])
    const stop = new AbortController()
    const stopped = here.items.write(
      organization.id,
      [page('three', LARGE)],
      async () => stop.abort(new Error('stops')),
      { signal: stop.signal },
    )
    await expect(stopped).rejects.toThrow('stops')
    await expectWholeAndUncounted(page('three', LARGE))
  })
})
