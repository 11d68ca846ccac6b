import { CompiledQuery, type LogEvent } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { nearestQuery } from '../../../test/support/nearest-query.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { hashEmbeddingModel } from '../../../test/support/hash-embedding-model.ts'
import { manyItems } from '../../../test/support/items.ts'
import { insertOrganization } from '../../../test/support/organizations.ts'
import { createItems, type NewItem } from '../../items/index.ts'
import { createModelRegistry, readModelState } from '../../models/index.ts'
import { testTerms } from '../../../test/support/term-weights.ts'
import { createFindNearest } from '../find-nearest.ts'
import type { NearestQuery } from '../nearest-query.ts'
import { createScanSource } from './from-scan.ts'

const Plan = z.array(z.object({ 'QUERY PLAN': z.string() }))
const clock = { now: () => new Date('2026-03-01T12:00:00.000Z') }
const model = hashEmbeddingModel({ dimensions: 48 })

let database: TestDatabase
let statements: LogEvent['query'][] = []

beforeAll(async () => {
  database = await createTestDatabase(({ query }) => void statements.push(query))
})
afterAll(() => database.close())

/** Asks a new organization with this many chunks for a word that all of them have. */
async function askedOf(chunks: number, values: Partial<NewItem> = {}): Promise<NearestQuery> {
  const { db } = database
  const organization = await insertOrganization(db)
  const models = createModelRegistry({ configured: model, builtin: async () => model })
  const items = manyItems(organization, chunks).map((item) => Object.assign(item, values))
  await createItems({ db, models, clock }).write(organization.id, items)
  const { active } = await readModelState(db, organization.id)
  if (active === null) throw new Error('nothing is stored')
  statements = []
  return nearestQuery({
    organizationId: organization.id,
    model: active,
    vector: await model.embedQuery('common'),
    seenRevision: 1,
  })
}

describe('a scan of the database', () => {
  it('sorts the keys of vectors, not vectors, which for the hybrid order do not fit into work_mem', async () => {
    const { db } = database
    await createScanSource(db, await askedOf(40), true).findCandidates(8)
    const [scan] = statements
    if (scan === undefined) throw new Error('nothing was asked')
    const explained = CompiledQuery.raw(`explain (verbose) ${scan.sql}`, [...scan.parameters])
    const plan = Plan.parse((await db.executeQuery(explained)).rows).map((row) => row['QUERY PLAN'])
    const at = plan.findIndex((line) => line.includes('Sort Key') && line.includes('<=>'))
    expect(plan[at - 1]).toMatch(/Output: .*e\.embedding <=>/)
    expect(plan[at - 1]).not.toMatch(/, e\.embedding(,|$)/)
  })

  it('reads the vectors for the hybrid order a few at a time, and none for the order of vectors', async () => {
    const { db } = database
    const query = await askedOf(300)
    const ranked = await createScanSource(db, query, true).findCandidates(8)
    expect(ranked?.candidates).toHaveLength(300)
    const sizes = await Promise.all(
      statements.slice(1).map(async (one) => (await db.executeQuery(one)).rows.length),
    )
    expect(sizes).toEqual([256, 44])
    statements = []
    const nearest = await createScanSource(db, query, false).findCandidates(8)
    expect(nearest?.candidates).toHaveLength(16)
    expect(statements).toHaveLength(1)
    expect(statements[0]?.sql).not.toContain('halfvec_send')
  })

  it('answers among hundreds of equal chunks, in the order of items, and reads only as many rows as it returns', async () => {
    const { db } = database
    const query = await askedOf(300, { title: 'chat', body: 'common thanks' })
    const nearest = await createFindNearest({ db, terms: testTerms }).nearest({ ...query, limit: 1 })
    const { id } = await db
      .selectFrom('source_items')
      .select('id')
      .where('organization_id', '=', query.organizationId)
      .orderBy('id')
      .executeTakeFirstOrThrow()
    expect(nearest).toMatchObject({ state: 'found', chunks: [{ sourceItemId: id }] })
    const reads = statements.filter(({ sql }) => sql.includes('found as materialized'))
    const sizes = await Promise.all(reads.map(async (one) => (await db.executeQuery(one)).rows.length))
    expect(sizes).toEqual([1, 1])
  })
})
