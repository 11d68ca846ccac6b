import { CompiledQuery, type LogEvent } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import { manyItems } from '../../../test/support/items.ts'
import { insertOrganization } from '../../../test/support/organizations.ts'
import { createItems } from '../../items/index.ts'
import { Readable } from '../../kernel/viewer.ts'
import { createModelRegistry, readModelState } from '../../models/index.ts'
import { createScanSource } from './from-scan.ts'

const Plan = z.array(z.object({ 'QUERY PLAN': z.string() }))
const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const model = hashEmbeddingModel({ dimensions: 48 })

let database: TestDatabase
let last: LogEvent['query'] | undefined

beforeAll(async () => {
  database = await createTestDatabase(({ query }) => void (last = query))
})
afterAll(() => database.close())

describe('a scan of the database', () => {
  it('sorts the keys of vectors, not vectors, which for the hybrid order do not fit into work_mem', async () => {
    const { db } = database
    const organization = await insertOrganization(db)
    const models = createModelRegistry({ configured: model, builtin: async () => model })
    await createItems({ db, models, clock }).write(organization.id, manyItems(organization, 40))
    const { active } = await readModelState(db, organization.id)
    if (active === null) throw new Error('nothing is stored')
    const query = {
      organizationId: organization.id,
      model: active,
      vector: await model.embedQuery('apple bridge'),
      limit: 8,
      meaning: null,
      providers: null,
      readable: Readable.everything,
      filter: {},
      entityIds: null,
      seenRevision: 1,
    }
    await createScanSource(db, query, true).findCandidates(8)
    if (last === undefined) throw new Error('nothing was asked')
    const explained = CompiledQuery.raw(`explain (verbose) ${last.sql}`, [...last.parameters])
    const plan = Plan.parse((await db.executeQuery(explained)).rows).map((row) => row['QUERY PLAN'])
    const at = plan.findIndex((line) => line.includes('Sort Key') && line.includes('<=>'))
    expect(plan[at - 1]).toMatch(/Output: .*e\.embedding <=>/)
    expect(plan[at - 1]).not.toMatch(/, e\.embedding(,|$)/)
  })
})
