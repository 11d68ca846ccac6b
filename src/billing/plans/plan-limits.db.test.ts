import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import type { Tx } from '../../database/database.ts'
import { type Action, ACTIONS, isAgent } from '../../kernel/actions.ts'
import { AppError } from '../../kernel/errors.ts'
import { checkConnectorLimit, checkKeyLimit } from './plan-limits.ts'
import { putSubscription, type NewSubscription } from '../subscriptions/subscriptions.ts'

const AT = new Date('2026-03-01T00:00:00.000Z')

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

async function workspace(subscription?: Omit<NewSubscription, 'creditsIncluded'>): Promise<string> {
  const id = randomUUID()
  await database.db.transaction().execute(async (tx) => {
    await tx.insertInto('organizations').values({ id, name: 'w', created_at: AT }).execute()
    if (subscription) await putSubscription(tx, id, { ...subscription, creditsIncluded: null }, AT)
  })
  return id
}

async function insertKey(tx: Tx, organizationId: string, actions: Action[]): Promise<void> {
  await tx
    .insertInto('api_keys')
    .values({
      organization_id: organizationId,
      id: randomUUID(),
      name: 'k',
      prefix: 'svc_',
      secret_sha256: Buffer.alloc(32),
      actor_type: 'application',
      allowed_actions: actions,
      created_at: AT,
    })
    .execute()
}

const mint = (organizationId: string, actions: Action[] = ['search']): Promise<void> =>
  database.db.transaction().execute(async (tx) => {
    await checkKeyLimit(tx, organizationId, actions)
    await insertKey(tx, organizationId, actions)
  })

const connect = (organizationId: string, pushOnly = false): Promise<void> =>
  database.db.transaction().execute(async (tx) => {
    await checkConnectorLimit(tx, organizationId)
    await tx
      .insertInto('sources')
      .values({
        organization_id: organizationId,
        id: randomUUID(),
        provider: 'slack',
        push_only: pushOnly,
        status: 'disabled',
        display_name: 's',
        external_account_id: randomUUID(),
        created_at: AT,
        updated_at: AT,
      })
      .execute()
  })

/** How many of these concurrent attempts succeeded. */
async function passed(attempts: number, act: () => Promise<void>): Promise<number> {
  const outcomes = await Promise.allSettled(Array.from({ length: attempts }, act))
  for (const outcome of outcomes) {
    const refusal: unknown = outcome.status === 'rejected' ? outcome.reason : undefined
    if (refusal && !(refusal instanceof AppError && refusal.code === 'plan_limit_reached')) throw refusal
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

/** How many of 11 agents and 3 connectors a workspace accepts. */
const room = async (id: string): Promise<[agents: number, connectors: number]> => [
  await passed(11, () => mint(id)),
  await passed(3, () => connect(id)),
]

describe('the plan limits', () => {
  it("refuse the agent beyond the tier's limit, with the numbers", async () => {
    const id = await workspace({ status: 'active', tier: 'builder' })
    await mint(id)
    await mint(id)
    await expect(mint(id)).rejects.toMatchObject({
      code: 'plan_limit_reached',
      status: 402,
      details: { resource: 'agents', tier: 'builder', used: 2, limit: 2 },
    })
  })

  it.each(['search', 'context', 'ask'] as const)('count live keys with %s as agents', async (action) => {
    const id = await workspace({ status: 'active', tier: 'builder' })
    await mint(id, ['admin', action])
    await mint(id, [action])
    await expect(mint(id, ['ingest', action])).rejects.toMatchObject({ code: 'plan_limit_reached' })
    await database.db
      .updateTable('api_keys')
      .set({ revoked_at: AT })
      .where('organization_id', '=', id)
      .execute()
    expect(await passed(3, () => mint(id))).toBe(2)
  })

  it('never count a key without any of them', async () => {
    const id = await workspace({ status: 'active', tier: 'builder' })
    const others = ACTIONS.filter((action) => !isAgent([action]))
    for (let n = 0; n < 3; n += 1) await mint(id, others)
    expect(await passed(3, () => mint(id))).toBe(2)
    await mint(id, others)
  })

  it('refuse the connector beyond the limit, counting disabled ones but no push-only source', async () => {
    const id = await workspace({ status: 'trialing', tier: 'builder' })
    for (let n = 0; n < 3; n += 1) await connect(id, true)
    await connect(id)
    await connect(id)
    await expect(connect(id)).rejects.toMatchObject({
      code: 'plan_limit_reached',
      details: { resource: 'connectors', tier: 'builder', used: 2, limit: 2 },
    })
  })

  it('follow the tier, and do not limit an internal workspace', async () => {
    expect(await room(await workspace({ status: 'active', tier: 'studio' }))).toEqual([10, 3])
    expect(await room(await workspace({ status: 'active', tier: 'scale' }))).toEqual([11, 3])
    expect(await room(await workspace({ status: 'active', tier: 'enterprise' }))).toEqual([11, 3])
    expect(await room(await workspace({ status: 'internal', tier: null }))).toEqual([11, 3])
    expect(await room(await workspace({ status: 'incomplete', tier: null }))).toEqual([2, 2])
    expect(await room(await workspace())).toEqual([2, 2])
  })

  it("follow the operator's numbers, if set", async () => {
    const own = { agents_included: 3, connectors_included: 1 }
    const id = await workspace({ status: 'active', tier: 'enterprise' })
    await database.db.updateTable('subscriptions').set(own).where('organization_id', '=', id).execute()
    expect(await room(id)).toEqual([3, 1])
    await expect(connect(id)).rejects.toMatchObject({ details: { tier: 'enterprise', used: 1, limit: 1 } })
  })

  it('hold under concurrent requests', async () => {
    const id = await workspace({ status: 'active', tier: 'builder' })
    expect(await passed(20, () => mint(id))).toBe(2)
    expect(await passed(20, () => connect(id))).toBe(2)
  })

  it('return not_found for an organization that does not exist', async () => {
    await expect(mint(randomUUID())).rejects.toMatchObject({ code: 'not_found' })
  })
})
