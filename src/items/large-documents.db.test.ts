import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { journaledProcess, type JournaledProcess } from '../../test/support/journaled-process.ts'
import { until } from '../../test/support/until.ts'
import { createModelRegistry, ensureStoredModel } from '../models/index.ts'
import type { NewItem } from './index.ts'
import { cleanItem } from './item.ts'
import { prepareItems } from './prepare-items.ts'
import { cutSteps, storeAllSteps } from './store-steps.ts'

/** This many chunks take several steps. */
const LARGE = 150
/** Chunks per step at most. */
const STEP_CHUNKS = 48

let database: TestDatabase
let organization: TestOrganization
let here: JournaledProcess

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  organization = await insertOrganization(database.db)
  here = journaledProcess(database.db)
})

/** A text of this many chunks. */
const textOf = (word: string, chunks: number): string =>
  Array.from({ length: chunks }, (_, n) => `# ${word} ${n}\n\n${`${word}${n} `.repeat(130).trim()}.`).join(
    '\n\n',
  )

const page = (word: string, chunks: number, externalId = 'page'): NewItem =>
  testItem(organization, { externalId, title: 'Page', body: textOf(word, chunks) })

const ingest = (given: readonly NewItem[], { items }: JournaledProcess = here) =>
  items.ingest(organization.caller(), given.map(cleanItem), randomUUID())

interface Stored {
  external_id: string
  body: string
  hash: string
  contents: string[]
  /** Vectors of all models. */
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

/** Exactly these items are stored, complete, with nothing of their earlier versions. */
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

/** The number of transactions that reported changes. */
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
  it('uses one transaction per step while other requests wait, counts once, and is reported once it is complete', async () => {
    const transactions = vi.spyOn(database.db, 'transaction')
    expect(await ingest([page('one', LARGE)])).toEqual({ ingested: 1, skipped: 0 })
    // One transaction commits the ingest, one writes the row, and the last one writes the hash.
    expect(transactions).toHaveBeenCalledTimes(3 + Math.ceil(LARGE / STEP_CHUNKS))
    transactions.mockRestore()
    await expectStored([page('one', LARGE)])
    expect(await revisions()).toBe(1)
    expect(await written()).toBe(0)
    expect(await ingest([page('one', LARGE)])).toEqual({ ingested: 0, skipped: 1 })
  })

  it('uses one transaction when no other request waits', async () => {
    await ingest([page('one', LARGE)], journaledProcess(database.db, { isAwaited: () => false }))
    await expectStored([page('one', LARGE)])
    expect(await revisions()).toBe(1)
  })

  it.each([
    ['a longer one', 2 * LARGE],
    ['a shorter one', STEP_CHUNKS + 10],
    ['a small one', 1],
  ])('is replaced by %s completely', async (_kind, chunks) => {
    await ingest([page('one', LARGE)])
    const before = await revisions()
    expect(await ingest([page('two', chunks)])).toEqual({ ingested: 1, skipped: 0 })
    await expectStored([page('two', chunks)])
    // Old chunks are deleted in steps too.
    expect((await revisions()) - before).toBe(1 + Math.ceil(Math.max(LARGE, chunks) / STEP_CHUNKS))
  })

  it('is stored between other documents', async () => {
    const given = ['a', 'b', 'c', 'd', 'e'].map((name, n) => page(name, n % 2 === 0 ? 3 : LARGE, name))
    expect(await ingest(given)).toEqual({ ingested: 5, skipped: 0 })
    await expectStored(given)
    const changed = given.map((item, n) => (n < 2 ? page('new', 60, item.externalId) : item))
    expect(await ingest(changed)).toEqual({ ingested: 2, skipped: 3 })
    await expectStored(changed)
  })

  it('leaves no chunk of a longer version stored after the steps were cut', async () => {
    const embedding = hashEmbeddingModel()
    const models = createModelRegistry({ configured: embedding, builtin: async () => embedding })
    const { id: organizationId } = organization
    await ingest([page('zero', 1)])
    const items = [cleanItem(page('two', LARGE))]
    const prepared = await prepareItems(database.db, models, { organizationId, items, by: 'push' })
    const { storage } = here.journaled
    const steps = await cutSteps(storage, prepared)
    await ingest([page('one', 3 * LARGE)])
    await storeAllSteps(storage, prepared, steps)
    await expectStored([page('two', LARGE)])
  })

  it('is not reread by the canvas after a reading between two steps', async () => {
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

  it('is stored with the vectors of both models when a move to another model begins', async () => {
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
    const beside = journaledProcess(database.db, { target })
    expect(await ingest([page('one', 4 * LARGE)], beside)).toEqual({ ingested: 1, skipped: 0 })
    await moving
    // It is prepared again for both models, starting over.
    await expectStored([page('one', 4 * LARGE)], 2)
  })
})

describe('a process that dies during a large document', () => {
  it.each([1, 2, 3])('after %i of its steps: the next start stores all of it', async (steps) => {
    await ingest([page('one', 2 * LARGE)])
    const given = [page('two', LARGE), page('small', 2, 'small')]
    await expect(ingest(given, journaledProcess(database.db, { steps: steps + 1 }))).rejects.toThrow('died')
    const next = journaledProcess(database.db.withoutPlugins())
    await next.journaled.start()
    await expectStored(given)
    expect([await written(), next.errors]).toEqual([0, []])
    expect(await ingest(given, next)).toEqual({ ingested: 0, skipped: 2 })
    await next.journaled.stop()
  })

  it('that fills a part of the journal: the next start stores all of it', async () => {
    const given = [page('one', 400)]
    expect(given[0]?.body.length).toBeGreaterThan(256_000)
    await expect(ingest(given, journaledProcess(database.db, { steps: 2 }))).rejects.toThrow('died')
    const next = journaledProcess(database.db.withoutPlugins())
    await next.journaled.start()
    await expectStored(given)
    expect([await written(), next.errors]).toEqual([0, []])
    await next.journaled.stop()
  })

  it('before its first step: nothing is stored', async () => {
    await ingest([page('one', LARGE)])
    const dying = journaledProcess(database.db, { steps: 0 })
    await expect(ingest([page('two', LARGE)], dying)).rejects.toThrow('died')
    await expectStored([page('one', LARGE)])
    expect(await written()).toBe(0)
  })
})

describe('a large document of a sync run', () => {
  const write = (item: NewItem, within: () => Promise<void> = async () => {}) =>
    here.items.write(organization.id, [item], within)

  it('runs the work of its write with its row and with its last step, where it counts', async () => {
    const seen: { items: string[]; ingested: number; isLast: boolean }[] = []
    const given = [page('one', LARGE), page('small', 1, 'small')]
    const all = await here.items.write(organization.id, given, async (_tx, { items, counts, isLast }) => {
      seen.push({ items: items.map(({ externalId }) => externalId), ingested: counts.ingested, isLast })
    })
    expect(all).toEqual({ ingested: 2, skipped: 0 })
    expect(seen).toEqual([
      { items: ['page'], ingested: 0, isLast: false },
      { items: ['page'], ingested: 1, isLast: false },
      { items: ['small'], ingested: 1, isLast: true },
    ])
    await expectStored(given)
    expect(await revisions()).toBe(2)
  })

  it('makes other changes of the items wait until it is complete', async () => {
    for (const [change, left] of [
      [() => here.items.remove(organization.caller(), { provider: 'notion', externalId: 'page' }), []],
      [() => ingest([page('pushed', 1)]), [page('pushed', 1)]],
    ] as const) {
      let changing: Promise<unknown> | undefined
      await write(page('one', LARGE), async () => {
        changing ??= change()
      })
      await changing
      await expectStored(left)
    }
  })

  it('is stored again after a process died during it', async () => {
    const transaction = database.db.transaction.bind(database.db)
    let transactions = 0
    const dying = vi.spyOn(database.db, 'transaction').mockImplementation(() => {
      transactions += 1
      // The first transaction stores the access policy of the source's items.
      if (transactions > 3) throw new Error('died')
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

  /** Asserts that the document is complete, and is stored and counted again when it arrives again. */
  async function expectWholeAndUncounted(item: NewItem): Promise<void> {
    const rows = await stored()
    expect(rows.map(({ external_id, body }) => [external_id, body])).toEqual([[item.externalId, item.body]])
    expect(rows[0]?.contents.join('\n\n')).toBe(item.body)
    expect(await write(item)).toEqual({ ingested: 1, skipped: 0 })
    await expectStored([item])
  }

  it('is complete when its run is stopped between its row and its last step', async () => {
    await write(page('one', 2 * LARGE))
    let parts = 0
    const stopped = here.items.write(
      organization.id,
      [page('two', LARGE), page('small', 1, 'small')],
      async () => {
        parts += 1
        if (parts === 2) throw new Error('paused')
      },
    )
    await expect(stopped).rejects.toThrow('paused')
    expect(parts).toBe(2)
    await expectWholeAndUncounted(page('two', LARGE))
  })

  it('keeps its former version if its run is stopped before it, and is complete if the process stops during it', async () => {
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
