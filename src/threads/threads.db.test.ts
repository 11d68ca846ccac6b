import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { addMember } from '../organizations/index.ts'
import { createThreads } from './threads.ts'

const AT = new Date('2026-03-02T09:00:00Z')
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

async function personIn(organizationId: string): Promise<ConsoleCaller> {
  const userId = randomUUID()
  await database.db
    .insertInto('users')
    .values({ id: userId, issuer: 'i', subject: userId, created_at: AT })
    .execute()
  await addMember(database.db, { organizationId, userId, role: 'member', at: AT })
  return { kind: 'console', organizationId, userId, role: 'member', allowedProviders: null }
}

it('keeps the newest turns of a thread that fit into 4 MiB', async () => {
  const { db } = database
  const caller = await personIn((await insertOrganization(db)).id)
  const threads = createThreads({ db, clock: { now: () => AT }, findReadable: async () => new Set() })
  const citations = Array.from({ length: 25 }, (_, at) => ({
    index: at + 1,
    title: '"'.repeat(1_000),
    url: '"'.repeat(4_096),
    sourceItemId: randomUUID(),
  }))
  const { thread } = await threads.create(caller, { question: '0', answer: '', citations })
  for (let n = 1; n <= 17; n++)
    await threads.add(caller, thread.id, { question: `${n}`, answer: '', citations })
  const { content, turn_count: turnCount } = await db
    .selectFrom('threads')
    .select(['content', 'turn_count'])
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(content).length).toBeLessThan(4.1 * 2 ** 20)
  expect(content).toMatchObject({
    turns: Array.from({ length: turnCount }, (_, at) => ({ question: `${18 - turnCount + at}` })),
  })
  await threads.removeAll(caller)
})

it('stores no thread of a person who left the workspace while the request was on its way', async () => {
  const { db } = database
  const { id: organizationId } = await insertOrganization(db)
  const userId = randomUUID()
  const threads = createThreads({ db, clock: { now: () => AT }, findReadable: async () => new Set() })
  const caller: ConsoleCaller = {
    kind: 'console',
    organizationId,
    userId,
    role: 'member',
    allowedProviders: null,
  }
  await expect(threads.create(caller, { question: 'q', answer: 'a', citations: [] })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await db.selectFrom('threads').selectAll().execute()).toEqual([])
})
