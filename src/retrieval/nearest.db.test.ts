import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, insertSource, type TestOrganization } from '../../test/support/organizations.ts'
import { rounds } from '../../test/support/random.ts'
import { testTerms } from '../../test/support/term-weights.ts'
import type { Db, OpenDatabase } from '../database/database.ts'
import { openPostgres } from '../database/drivers/postgres.ts'
import { isForeignKeyViolation } from '../database/retry-conflicts.ts'
import { createModelRegistry, readModelState } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { createItems, type Items } from '../items/index.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import { createModelMove, type ModelMove } from '../models/index.ts'
import { PROVIDERS } from '../providers/index.ts'
import { createRemovals, type Removals } from '../sources/index.ts'
import { changeItems } from '../item-changes/index.ts'
import { createVectorMemory, type VectorMemory } from '../vector-memory/index.ts'
import { createFindNearest, type FindNearest } from './find-nearest.ts'
import type { Nearest, NearestQuery, SearchPath } from './nearest-query.ts'
import type { SearchFilter } from '../vector-memory/index.ts'
import { Readable } from '../kernel/viewer.ts'

/** One process of the service. */
interface Instance {
  db: Db
  memory: VectorMemory
  find: FindNearest
  items: Items
  moveTo: (model: EmbeddingModel) => ModelMove
  removals: Removals
}

const MODELS = ['first', 'second'].map((id) => hashEmbeddingModel({ id, dimensions: 48 }))
const WORDS = 'apple bridge candle desert engine forest garden harbour island jungle'.split(' ')
const AUTHORS = ['Ana', 'Ben', null]
const DAYS = 5
/** The number of ranked candidates, fewer than there are chunks. */
const ORDERED = 8
const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }

let database: TestDatabase
let other: OpenDatabase
let organization: TestOrganization
let instances: Instance[]
const paths: SearchPath[] = []
const errors: unknown[] = []

const find = async (name: string) => MODELS.find((model) => model.id === name) ?? null
const modelOf = (name: string): EmbeddingModel => {
  const found = MODELS.find((model) => model.id === name)
  if (!found) throw new Error(`no model ${name}`)
  return found
}

function newInstance({ db }: OpenDatabase, inlineRowsMax: number): Instance {
  const [configured] = MODELS
  if (!configured) throw new Error('there are no models')
  const stored = { load: find, dropUnused: async () => {} }
  const models = createModelRegistry({ configured, builtin: find, stored })
  const onError = (error: unknown): void => void errors.push(error)
  const memory = createVectorMemory({
    db,
    bytes: 64 * 2 ** 20,
    threads: 2,
    inlineRowsMax,
    waits: { loadMs: 60_000, catchUpMs: 60_000 },
    onError,
  })
  const onSearched = (path: SearchPath): void => void paths.push(path)
  const logger = { info: () => {}, warn: () => {}, error: (fields: object) => void errors.push(fields) }
  return {
    db,
    memory,
    find: createFindNearest({ db, memory, onSearched, terms: testTerms }),
    items: createItems({ db, models, clock }),
    moveTo: (model) =>
      createModelMove({
        db,
        models: createModelRegistry({ configured: model, builtin: find, stored }),
        clock,
        logger,
        works: true,
      }),
    removals: createRemovals({ db, clock, endRuns: async () => {}, onError }),
  }
}

beforeAll(async () => {
  database = await createTestDatabase()
  other = database.url === null ? database : await openPostgres({ url: database.url })
})
afterAll(async () => {
  if (other !== database) await other.close()
  await database.close()
})
beforeEach(async () => {
  organization = await insertOrganization(database.db)
  // The second instance scans only on threads.
  instances = [newInstance(database, 1_000), newInstance(other, 0)]
  paths.length = 0
  errors.length = 0
})
afterEach(async () => {
  await Promise.all(instances.map(({ memory }) => memory.close()))
})

interface Asked {
  words: string
  limit: number
  providers: readonly ProviderId[] | null
  filter: SearchFilter
}

/** The query as the service creates it; null while nothing is stored. */
async function queryOf({ words, ...asked }: Asked): Promise<NearestQuery | null> {
  const { active } = await readModelState(database.db, organization.id)
  if (active === null) return null
  const vector = await modelOf(active.name).embedQuery(words)
  const { rows } = await sql<{
    revision: number
  }>`select item_revision(${organization.id}) as revision`.execute(database.db)
  const seenRevision = rows[0]?.revision ?? null
  const organizationId = organization.id
  const whole = { meaning: null, entityIds: null, readable: Readable.everything }
  return { ...asked, ...whole, organizationId, model: active, vector, seenRevision }
}

const byDatabase = (db: Db): FindNearest => createFindNearest({ db, terms: testTerms })

async function contentOf(nearest: Nearest): Promise<unknown> {
  if (nearest.state !== 'found') return nearest
  return { chunks: nearest.chunks, compared: await nearest.countCompared() }
}

/** Later repetitions use caches instead of statements. */
const TIMES_ASKED = 3

/** Expects both instances to return the same chunks, order, scores, and count as a scan in SQL. */
async function expectSqlAnswer(asked: Asked): Promise<void> {
  const query = await queryOf(asked)
  if (query === null) return
  const expected = await contentOf(await byDatabase(database.db).nearest(query))
  for (const instance of instances)
    for (let time = 1; time <= TIMES_ASKED; time++)
      expect(await contentOf(await instance.find.nearest(query))).toEqual(expected)
}

/** Expects both instances to return the same order and relevance as a ranking that reads all texts. */
async function expectSameOrder(asked: Asked): Promise<void> {
  const nearest = await queryOf(asked)
  if (nearest === null) return
  const query = { ...nearest, limit: ORDERED, meaning: { from: 0, length: 16 } }
  const wanted = { words: asked.words, limit: asked.limit }
  const expected = await contentOf(await byDatabase(database.db).ranked(query, wanted))
  for (const instance of instances)
    for (let time = 1; time <= TIMES_ASKED; time++)
      expect(await contentOf(await instance.find.ranked(query, wanted))).toEqual(expected)
}

type Command =
  | {
      act: 'write'
      item: number
      words: readonly string[]
      provider: ProviderId
      author: number
      day: number
    }
  | { act: 'delete'; items: readonly number[] }
  | { act: 'remove source'; provider: ProviderId; ends: boolean }
  | { act: 'move'; model: number }

const provider = fc.constantFrom(...PROVIDERS)
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
const item = fc.nat({ max: 11 })
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('write' as const),
      item,
      words,
      provider,
      author: fc.nat({ max: AUTHORS.length - 1 }),
      day: fc.nat({ max: DAYS }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('delete' as const), items: fc.array(item) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('remove source' as const), provider, ends: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('move' as const), model: fc.nat({ max: 1 }) }) },
)
const filter: fc.Arbitrary<SearchFilter> = fc.record(
  {
    sourceKinds: fc.constant(['document', 'message'] as ('document' | 'message')[]),
    authorName: fc.constantFrom('Ana', 'Ben', 'Nobody'),
    updatedAfter: fc.nat({ max: DAYS }).map(dayOf),
    updatedBefore: fc.nat({ max: DAYS }).map(dayOf),
    metadata: fc.oneof(
      fc.record({ day: fc.nat({ max: DAYS }) }),
      fc.record({ author: fc.constantFrom('Ana', null), odd: fc.boolean() }),
    ),
  },
  { requiredKeys: [] },
)
const asked: fc.Arbitrary<Asked> = fc.record({
  words: words.map((list) => list.join(' ')),
  limit: fc.constantFrom(1, 3, 25, 200),
  providers: fc.option(fc.uniqueArray(provider, { minLength: 1, maxLength: 3 })),
  filter: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: filter }),
})

function dayOf(day: number): string {
  return `2026-02-0${day + 1}T00:00:00.000Z`
}

/** Creates a new source if the old one was removed. */
async function sourceOf(of: ProviderId): Promise<string> {
  const found = await database.db
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organization.id)
    .where('provider', '=', of)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return found?.id ?? (await insertSource(database.db, organization.id, { provider: of }))
}

const nameOf = (number: number): string => `item-${number}`

async function perform({ items, db, moveTo, removals }: Instance, given: Command): Promise<void> {
  switch (given.act) {
    case 'write': {
      const author = AUTHORS[given.author] ?? null
      const writing = items.write(organization.id, [
        testItem(organization, {
          externalId: nameOf(given.item),
          provider: given.provider,
          sourceId: await sourceOf(given.provider),
          sourceKind: given.item % 2 === 0 ? 'document' : 'file',
          title: 'a title',
          // Some items have several chunks, and many are equally near.
          body: Array.from({ length: 1 + (given.item % 3) * 150 }, () => given.words.join(' ')).join('\n\n'),
          authorName: author,
          sourceUpdatedAt: given.day === 0 ? null : new Date(dayOf(given.day)),
          metadata: { day: given.day, author, odd: given.day % 2 === 1, list: [given.day] },
        }),
      ])
      // The item's source may be removed in the meantime, with all its items.
      await writing.catch((error: unknown) => {
        if (!isForeignKeyViolation(error)) throw error
      })
      return
    }
    case 'delete': {
      const names = new Set(given.items.map(nameOf))
      const stored = await db
        .selectFrom('source_items')
        .select(['id', 'external_id'])
        .where('organization_id', '=', organization.id)
        .execute()
      for (const { id } of stored.filter((row) => names.has(row.external_id)))
        await items.remove(organization.caller(), { id }).catch(() => {})
      return
    }
    case 'remove source': {
      const source = { organizationId: organization.id, sourceId: await sourceOf(given.provider) }
      await changeItems(db, organization.id, (tx, changes) => removals.mark(tx, changes, source))
      if (given.ends) await removals.finish(source)
      return
    }
    case 'move': {
      const model = MODELS[given.model]
      if (!model) return
      const move = moveTo(model)
      await move.start(organization.caller()).catch(() => {})
      await move.resume()
      await move.stop()
    }
  }
}

describe('search in memory', () => {
  it('answers as a scan in SQL does, on two instances, through writes, deletions, removals and moves at once', async () => {
    const sequences = fc.array(
      fc.record({
        commands: fc.array(fc.tuple(fc.nat({ max: 1 }), command), { minLength: 1, maxLength: 4 }),
        asked: fc.array(asked, { minLength: 1, maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    await fc.assert(
      fc.asyncProperty(sequences, async (given) => {
        organization = await insertOrganization(database.db)
        for (const { commands, asked: questions } of given) {
          const searching = (async () => {
            const query = questions[0] && (await queryOf(questions[0]))
            if (query)
              await Promise.all(
                instances.flatMap((instance) => [
                  instance.find.nearest(query),
                  instance.find.ranked(query, { words: WORDS.join(' '), limit: 3 }),
                ]),
              )
          })()
          await Promise.all(
            commands.map(async ([on, one]) => {
              const instance = instances[on]
              if (instance) await perform(instance, one)
            }),
          )
          await searching
          for (const question of questions) {
            await expectSqlAnswer(question)
            await expectSameOrder(question)
          }
        }
      }),
      { numRuns: rounds(8), endOnFailure: true },
    )
    expect(errors).toEqual([])
    expect(paths.filter((path) => path === 'memory').length).toBeGreaterThan(paths.length / 2)
  })

  it('orders by the current words of an item, however often it was found with its former words', async () => {
    const writes = fc.record({
      act: fc.constant('write' as const),
      item,
      words,
      provider: fc.constant('notion' as const),
      author: fc.constant(0),
      day: fc.constant(1),
    })
    const sequences = fc.array(fc.record({ on: fc.nat({ max: 1 }), write: writes, words }), {
      minLength: 12,
      maxLength: 24,
    })
    await fc.assert(
      fc.asyncProperty(sequences, async (given) => {
        organization = await insertOrganization(database.db)
        for (const { on, write, words: query } of given) {
          const instance = instances[on]
          if (instance) await perform(instance, write)
          await expectSameOrder({ words: query.join(' '), limit: 8, providers: null, filter: {} })
        }
      }),
      { numRuns: rounds(2), endOnFailure: true },
    )
    expect(errors).toEqual([])
  })

  it.each(['vector', 'hybrid'] as const)(
    'answers as a scan in SQL does though others write before each of its statements, in the order of %s',
    async (rank) => {
      const [instance] = instances
      if (!instance) throw new Error('there is no instance')
      const writer = other === database ? database.db.withoutPlugins() : other.db
      const items = createItems({
        db: writer,
        models: createModelRegistry({ configured: modelOf('first'), builtin: find }),
        clock,
      })
      let written = 0
      const write = async (body: string): Promise<void> => {
        const externalId = `page-${written++ % 12}`
        await items.write(organization.id, [testItem(organization, { externalId, body })])
      }
      for (const word of WORDS) await write(`apple ${word}`)
      await expectSqlAnswer({ words: 'apple', limit: 3, providers: null, filter: {} })
      paths.length = 0
      const send = instance.db.executeQuery.bind(instance.db)
      // Writes before each statement, so that the last read follows the last write.
      const sending = vi.spyOn(instance.db, 'executeQuery').mockImplementation(async (statement, ...rest) => {
        if (/nearest as materialized|log as materialized/.test('sql' in statement ? statement.sql : ''))
          await write(`apple ${WORDS[written % WORDS.length]}`)
        return await send(statement, ...rest)
      })
      try {
        for (let time = 0; time < 5; time++) {
          await write(`apple ${WORDS[time]}`)
          const query = await queryOf({ words: 'apple', limit: 8, providers: null, filter: {} })
          if (query === null) throw new Error('nothing is stored')
          if (rank === 'hybrid') await instance.find.ranked(query, { words: 'apple', limit: 3 })
          else
            expect(await contentOf(await instance.find.nearest(query))).toEqual(
              await contentOf(await byDatabase(writer).nearest(query)),
            )
        }
      } finally {
        sending.mockRestore()
      }
      await expectSqlAnswer({ words: 'apple garden', limit: 8, providers: null, filter: {} })
      expect([...new Set(paths)]).toEqual(['memory'])
    },
  )

  it('counts the chunks in scope as a scan in SQL does, of items with too much metadata for a snapshot', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key${n}`, n]))
    const page = testItem(organization, { externalId: 'page', metadata })
    await instances[0]?.items.write(organization.id, [page])
    await expectSqlAnswer({ words: 'apple', limit: 3, providers: null, filter: { metadata: { key9: 8 } } })
  })

  it('orders by the current words of a chunk that has changed since it was last found', async () => {
    const [instance] = instances
    if (!instance) throw new Error('there is no instance')
    for (const [n, word] of WORDS.entries()) {
      const bodies = [word, WORDS[n - 1] ?? word, 'jungle']
      await instance.items.write(
        organization.id,
        bodies.map((body, at) => testItem(organization, { externalId: nameOf(at), body: `common ${body}` })),
      )
      await expectSameOrder({ words: `common ${word}`, limit: 3, providers: null, filter: {} })
    }
  })

  it('answers as a scan in SQL does after the change log is pruned', async () => {
    const [instance] = instances
    if (!instance) throw new Error('there is no instance')
    const write = (externalId: string) =>
      instance.items.write(organization.id, [testItem(organization, { externalId, body: 'apple' })])
    await write('before')
    await expectSqlAnswer({ words: 'apple', limit: 8, providers: null, filter: {} })
    await write('unseen')
    await database.db.deleteFrom('item_changes').where('organization_id', '=', organization.id).execute()
    await write('seen')
    await expectSqlAnswer({ words: 'apple', limit: 8, providers: null, filter: {} })
    expect([...new Set(paths)]).toEqual(['memory'])
  })
})
