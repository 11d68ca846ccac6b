import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { testItem } from '../../test/support/items.ts'
import { insertOrganization, type TestOrganization } from '../../test/support/organizations.ts'
import { until } from '../../test/support/until.ts'
import { createModelRegistry, readModelState } from '../models/index.ts'
import { createItems, type Items } from '../items/index.ts'
import { changeItems } from '../item-changes/index.ts'
import { SavedSnapshots, createVectorMemory, type ItemScope, type VectorMemory } from './index.ts'
import { Readable } from '../kernel/viewer.ts'

const MINUTE = 60_000
const ROWS = 300
const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const model = hashEmbeddingModel()
const models = createModelRegistry({ configured: model, builtin: async () => model })
const SCOPES: readonly ItemScope[] = [
  { providers: null, readable: Readable.everything },
  { providers: ['slack'], readable: Readable.everything },
  { providers: null, readable: Readable.everything, filter: { authorName: 'Ada 3' } },
  { providers: null, readable: Readable.everything, filter: { sourceKinds: ['message'] } },
  { providers: null, readable: Readable.everything, filter: { metadata: { group: 4 } } },
  { providers: null, readable: Readable.everything, filter: { updatedAfter: '2026-02-10T00:00:00Z' } },
]

let database: TestDatabase
let items: Items
let organization: TestOrganization
let folder: string
const memories: VectorMemory[] = []
/** The number of pages read from the database. */
let pagesRead = 0
const said: string[] = []
const errors: unknown[] = []

beforeAll(async () => {
  database = await createTestDatabase(({ query }) => {
    if (query.sql.includes('halfvec_send')) pagesRead += 1
  })
  items = createItems({ db: database.db, models, clock })
})
afterAll(() => database.close())
beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'saved-')), 'vectors')
  organization = await insertOrganization(database.db)
  await items.write(
    organization.id,
    Array.from({ length: ROWS }, (_, number) => item(number)),
  )
  pagesRead = 0
  said.length = 0
  errors.length = 0
})
afterEach(async () => {
  await Promise.all(memories.splice(0).map((memory) => memory.close()))
  await rm(path.dirname(folder), { recursive: true, force: true })
})

function item(number: number, body = `common word${number} word${number % 7}`) {
  const provider = number % 3 === 0 ? 'slack' : 'notion'
  return testItem(organization, {
    externalId: `item-${number}`,
    provider,
    sourceKind: provider === 'slack' ? 'message' : 'document',
    body,
    authorName: number % 5 === 0 ? null : `Ada ${number % 5}`,
    sourceUpdatedAt: new Date(Date.UTC(2026, 1, 1 + (number % 20))),
    metadata: { group: number % 6, name: `n${number}` },
  })
}

async function remove(externalId: string): Promise<string> {
  return await changeItems(database.db, organization.id, async (tx, changes) => {
    const { id } = await tx
      .deleteFrom('source_items')
      .where('organization_id', '=', organization.id)
      .where('external_id', '=', externalId)
      .returning('id')
      .executeTakeFirstOrThrow()
    changes.add([id])
    return id
  })
}

/** Starts a process's memory. If `folder` is null, it saves nothing. */
function start(at: string | null = folder, { bytes = 64 * 2 ** 20, rowsSavedMin = 1 } = {}): VectorMemory {
  const log = (_fields: object, message?: string): void => void said.push(message ?? '')
  const memory = createVectorMemory({
    db: database.db,
    bytes,
    threads: 0,
    rowsSavedMin,
    waits: { loadMs: MINUTE, catchUpMs: MINUTE },
    onError: (error) => errors.push(error),
    ...(at === null ? {} : { saved: new SavedSnapshots({ folder: at, logger: { info: log, warn: log } }) }),
  })
  memories.push(memory)
  return memory
}

/** The results and counts of a memory in each scope. */
async function answers(memory: VectorMemory, of = organization): Promise<unknown> {
  const { active } = await readModelState(database.db, of.id)
  const snapshot = await memory.take({
    organizationId: of.id,
    modelId: active?.id ?? 0,
    dimensions: model.dimensions,
  })
  if (snapshot === null) return null
  await snapshot.catchUp()
  const found: unknown[] = []
  for (const scope of SCOPES) {
    const candidateSet = await snapshot.findCandidates(
      await model.embedQuery('word3 common word12'),
      10,
      scope,
      null,
    )
    const keys = candidateSet?.candidates.map(({ itemId, position }) => `${itemId} ${position}`).toSorted()
    const { restUpperBound, revision, count } = candidateSet ?? {}
    found.push({ keys, restUpperBound, revision, count })
  }
  snapshot.release()
  return found
}

/** The results of a memory that reads everything from the database. */
const answersAnew = (): Promise<unknown> => answers(start(null))

/** Searches, then shuts down, which saves. @returns the file */
async function searchAndStop(): Promise<string> {
  const memory = start()
  await answers(memory)
  await memory.close()
  pagesRead = 0
  return path.join(folder, `${organization.id}.vectors`)
}

const files = (): Promise<string[]> => readdir(folder).catch(() => [])

describe('saved snapshots', () => {
  it('give the same answers after a restart without rereading rows', async () => {
    const file = await searchAndStop()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    const answered = await answers(start())
    expect(pagesRead).toBe(0)
    expect(answered).toEqual(await answersAnew())
    expect(await files()).toEqual([])
  })

  it('include what background work has read, and stopping aborts that work', async () => {
    const memory = start()
    const { active } = await readModelState(database.db, organization.id)
    const snapshot = await memory.take({
      organizationId: organization.id,
      modelId: active?.id ?? 0,
      dimensions: model.dimensions,
    })
    snapshot?.inBackground(async () => await Promise.reject(new Error('the database is away for a moment')))
    await until(
      'the error',
      () => errors.length,
      (told) => told === 1,
    )
    // The snapshot is unchanged.
    expect(memory.held().organizations).toBe(1)
    snapshot?.inBackground(async (signal) => await sleep(MINUTE, undefined, { signal }))
    snapshot?.release()
    await memory.close()
    expect([await files(), errors.length]).toEqual([[`${organization.id}.vectors`], 1])
  })

  it('load fully after a start, even without searches, and leave no file', async () => {
    await searchAndStop()
    const [memory, expected] = [start(), await answersAnew()]
    pagesRead = 0
    memory.start()
    await until(
      'the snapshot',
      () => memory.held().organizations,
      (held) => held === 1,
    )
    expect(await answers(memory)).toEqual(expected)
    expect([pagesRead, await files()]).toEqual([0, []])
    // Saving a restored snapshot works too.
    await memory.close()
    expect(await answers(start())).toEqual(expected)
    expect(pagesRead).toBe(0)
  })

  it('serve a search that arrives while a start is restoring them', async () => {
    await searchAndStop()
    const memory = start()
    memory.start()
    const found = await Promise.all([answers(memory), answers(memory)])
    expect(pagesRead).toBe(0)
    expect(memory.held().organizations).toBe(1)
    const expected = await answersAnew()
    expect(found).toEqual([expected, expected])
  })

  it('apply what was stored, changed and deleted between the start and the first search', async () => {
    await searchAndStop()
    await items.write(organization.id, [item(3, 'common changed'), item(ROWS, 'word3 common new')])
    await remove('item-10')
    const answered = await answers(start())
    // Only the changed rows.
    expect(pagesRead).toBe(1)
    expect(answered).toEqual(await answersAnew())
  })

  it('are reread if more changed than is recorded', async () => {
    await searchAndStop()
    await items.write(organization.id, [item(3, 'common changed')])
    await database.db.deleteFrom('item_changes').where('organization_id', '=', organization.id).execute()
    await items.write(organization.id, [item(4, 'common changed')])
    expect(await answers(start())).toEqual(await answersAnew())
  })

  it('contain nothing deleted earlier and nothing of other organizations', async () => {
    const memory = start()
    await answers(memory)
    const gone = await remove('item-10')
    await memory.close()
    const file = path.join(folder, `${organization.id}.vectors`)
    const first = await readFile(file)
    expect(first.includes(gone)).toBe(false)
    // Free space must not contain old data: the file equals one in which the row was never used.
    const again = start()
    await answers(again)
    await again.close()
    expect((await readFile(file)).equals(first)).toBe(true)
  })

  it('are not written for an organization that is being removed', async () => {
    const memory = start()
    await answers(memory)
    await database.db
      .updateTable('organizations')
      .set({ removed_at: clock.now() })
      .where('id', '=', organization.id)
      .execute()
    await memory.close()
    expect(await files()).toEqual([])
  })

  it('are not written for small organizations', async () => {
    const memory = start(folder, { rowsSavedMin: 10_000 })
    await answers(memory)
    await memory.close()
    expect(await files()).toEqual([])
  })

  it('are discarded if the disk cannot be written, without delaying the stop', async () => {
    await writeFile(folder, 'in the way')
    const memory = start()
    await answers(memory)
    await memory.close()
    expect(said.join()).toMatch(/could not be saved/)
    expect(await readFile(folder, 'utf8')).toBe('in the way')
    expect(errors).toEqual([])
  })
})

describe('an unusable snapshot file', () => {
  const damaged = (change: (bytes: Buffer) => Buffer) => async (file: string) =>
    await writeFile(file, change(await readFile(file)))
  const flipped = (at: (bytes: Buffer) => number) =>
    damaged((bytes) => {
      const index = at(bytes)
      return Buffer.concat([
        bytes.subarray(0, index),
        Buffer.from([(bytes[index] ?? 0) ^ 1]),
        bytes.subarray(index + 1),
      ])
    })
  /** A changed head with a matching checksum. */
  const saying = (from: string, to: string) =>
    damaged((bytes) => {
      const length = bytes.readUInt32LE(0)
      const head = Buffer.from(bytes.toString('utf8', 8, 8 + length).replace(from, to))
      expect(head.includes(to)).toBe(true)
      const front = Buffer.alloc(8)
      front.writeUInt32LE(head.length, 0)
      front.writeUInt32LE(crc32(head), 4)
      return Buffer.concat([front, head, bytes.subarray(8 + length)])
    })

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['is empty', damaged(() => Buffer.alloc(0))],
    ['ends within a block', damaged((bytes) => bytes.subarray(0, bytes.length - 1_000))],
    ['has no end', damaged((bytes) => bytes.subarray(0, bytes.length - 8))],
    ['has a changed length', flipped(() => 3)],
    ['has a changed head', flipped(() => 40)],
    ['has a changed item', flipped((bytes) => bytes.indexOf('Ada'))],
    ['has a changed block', flipped((bytes) => bytes.length - 5_000)],
    ['is no file of this service', damaged(() => Buffer.from('something else altogether'))],
    ['is a folder', async (file) => await rm(file).then(() => mkdir(file))],
    ['is of another format', saying('"format":', '"format":9')],
    ['is of another version', saying('"service":"', '"service":"9.')],
    ['is of another model', saying('"modelId":', '"modelId":9')],
    ['is of another organization', saying('"organizationId":"', '"organizationId":"0')],
    ['has blocks of another size', saying('"blockBytes":', '"blockBytes":1')],
    [
      'is of another database',
      async () => {
        // The same change and revision, in another transaction.
        await sql`update item_changes set item_ids = item_ids where organization_id = ${organization.id}`.execute(
          database.db,
        )
      },
    ],
  ])('is removed because it %s, and the rows are reread', async (_, change) => {
    for (const isStarted of [false, true]) {
      await change(await searchAndStop())
      const memory = start()
      if (isStarted) {
        memory.start()
        await until('an empty folder', files, (names) => names.length === 0)
      }
      expect(await answers(memory)).toEqual(await answersAnew())
      expect(await files()).toEqual([])
      await memory.close()
      expect(errors).toEqual([])
    }
  })

  it('is removed without other effects if another version wrote it, its organization is deleted or memory is full', async () => {
    const file = await searchAndStop()
    await rename(file, path.join(folder, `${crypto.randomUUID()}.vectors`))
    await writeFile(path.join(folder, `${organization.id}.vectors.part`), 'half')
    await mkdir(path.join(folder, 'other'))
    const memory = start(folder, { bytes: 0 })
    memory.start()
    await until('an empty folder', files, (names) => names.length === 0)
    expect([memory.held().organizations, pagesRead, errors]).toEqual([0, 0, []])
    expect(await files()).toEqual([])
    await searchAndStop()
    const small = start(folder, { bytes: 0 })
    small.start()
    await until('an empty folder', files, (names) => names.length === 0)
    expect([small.held().organizations, pagesRead, errors]).toEqual([0, 0, []])
  })
})
