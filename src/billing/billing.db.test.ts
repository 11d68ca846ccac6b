import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { formatUsd, parseUsd } from './plans/money.ts'
import { TIERS } from '../database/schema-words.ts'
import { PLANS } from './plans/plans.ts'
import { createServer } from '../http/create-server.ts'
import type { Role } from '../kernel/roles.ts'
import { billingRoutes, createBilling, putSubscription, type NewSubscription } from './index.ts'
import { Readable } from '../kernel/viewer.ts'

const START = new Date('2026-05-10T08:00:00.000Z')

let database: TestDatabase
/** The console's billing routes on the real server. */
let server: FastifyInstance
let visitor: Visitor

beforeAll(async () => {
  database = await createTestDatabase()
  const rateState = { limit: 60, remaining: 59, resetAt: START }
  const clock = { now: () => visitor.now ?? START }
  server = await createServer({
    publicUrl: () => 'http://127.0.0.1',
    routes: billingRoutes,
    services: {
      billing: createBilling({
        db: database.db,
        clock,
        logger: pino({ level: 'silent' }),
        processor: null,
        publicUrl: () => 'http://127.0.0.1',
        sleep: async () => {},
        onReportAttempt: () => {},
        onUnannounced: () => {},
      }),
    },
    gates: {
      authenticateAgent: noGate,
      admitAgent: noGate,
      admitMessage: () => {},
      admitScim: noGate,
      authenticateConsole: async () => ({
        kind: 'console',
        organizationId: visitor.organizationId,
        userId: randomUUID(),
        role: visitor.role ?? 'admin',
        allowedProviders: null,
      }),
      reenter: noGate,
      authenticateUser: noGate,
      authenticateOperator: noGate,
      admit: async () => rateState,
      rateState: async () => rateState,
      viewerOf: async (caller) => ({ ...caller, readable: Readable.everything }),
      requireRoom: async () => {},
      reserveCredit: noGate,
    },
    logger: pino({ level: 'silent' }),
  })
})
afterAll(async () => {
  await server.close()
  await database.close()
})

async function workspace(subscription?: NewSubscription, creditsUsed = 0): Promise<string> {
  const id = randomUUID()
  await database.db.transaction().execute(async (tx) => {
    await tx.insertInto('organizations').values({ id, name: 'w', created_at: START }).execute()
    if (!subscription) return
    await putSubscription(tx, id, subscription, START)
    await tx
      .updateTable('subscriptions')
      .set({ credits_used: creditsUsed })
      .where('organization_id', '=', id)
      .execute()
  })
  return id
}

function noGate(): never {
  throw new Error('the billing routes have no use for this gate')
}

interface Visitor {
  organizationId: string
  role?: Role
  now?: Date
}

/** Sends a request as a member of the organization, `admin` by default. */
async function call(
  method: 'GET' | 'POST',
  path: string,
  as: Visitor,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  visitor = as
  const response = await server.inject({ method, url: path, ...(body ? { payload: body } : {}) })
  return { status: response.statusCode, body: response.json() }
}

async function billingOf(organizationId: string): Promise<unknown> {
  return (await call('GET', '/v1/console/billing', { organizationId })).body
}

describe('GET /v1/console/billing', () => {
  const period = { periodStart: START.toISOString(), periodEnd: '2026-06-10T08:00:00.000Z' }

  it("returns the current period's credits and the plan's limits [PAY-34]", async () => {
    const organizationId = await workspace(
      { status: 'active', tier: 'builder', creditsIncluded: null },
      1_200,
    )
    expect(await call('GET', '/v1/console/billing', { organizationId })).toEqual({
      status: 200,
      body: {
        creditsUsed: 1_200,
        creditsIncluded: 5_000,
        creditsRemaining: 3_800,
        tier: 'builder',
        status: 'active',
        ...period,
        interval: null,
        trialEndsAt: null,
        cancelAtPeriodEnd: false,
        plannedChange: null,
        overageAnswers: 0,
        overageCostUsd: '0.00',
        paymentMethodMissing: false,
        agentsUsed: 0,
        agentsIncluded: 2,
        connectorsUsed: 0,
        connectorsIncluded: 2,
        trialDays: 0,
        cardRequired: false,
      },
    })
  })

  it('returns a new period from its first moment, before any use', async () => {
    const organizationId = await workspace(
      { status: 'active', tier: 'builder', creditsIncluded: null },
      5_000,
    )
    const view = await call('GET', '/v1/console/billing', { organizationId, now: new Date(period.periodEnd) })
    expect(view.body).toMatchObject({
      creditsUsed: 0,
      creditsRemaining: 5_000,
      periodStart: period.periodEnd,
      periodEnd: '2026-07-10T08:00:00.000Z',
    })
  })

  it('returns null for unlimited values, and never a negative number over the cap', async () => {
    const internal = await workspace({ status: 'internal', tier: null, creditsIncluded: null }, 7)
    const over = await workspace({ status: 'past_due', tier: 'studio', creditsIncluded: null }, 25_010)
    const unpaid = await workspace({ status: 'incomplete', tier: null, creditsIncluded: null })
    expect(await billingOf(internal)).toMatchObject({
      creditsUsed: 7,
      creditsIncluded: null,
      creditsRemaining: null,
    })
    expect(await billingOf(over)).toMatchObject({
      creditsUsed: 25_010,
      creditsIncluded: 25_000,
      creditsRemaining: 0,
    })
    expect(await billingOf(unpaid)).toMatchObject({ creditsIncluded: 0, creditsRemaining: 0, tier: null })
  })

  it('returns 402 without a subscription', async () => {
    const view = await call('GET', '/v1/console/billing', { organizationId: await workspace() })
    expect(view).toMatchObject({ status: 402, body: { code: 'subscription_required' } })
  })

  it('requires the role admin', async () => {
    const organizationId = await workspace({ status: 'active', tier: 'builder', creditsIncluded: null })
    for (const [role, status] of [
      ['owner', 200],
      ['admin', 200],
      ['member', 403],
    ] as const)
      expect((await call('GET', '/v1/console/billing', { organizationId, role })).status).toBe(status)
  })
})

describe('checkout and portal without a payment processor', () => {
  it('return 503 and name the missing settings [PAY-33]', async () => {
    const caller = { organizationId: await workspace() }
    const checkout = { tier: 'studio', interval: 'annual' }
    for (const answer of [
      await call('POST', '/v1/console/billing/checkout', caller, checkout),
      await call('POST', '/v1/console/billing/portal', caller),
    ]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'not_configured' } })
      expect(JSON.stringify(answer.body)).toMatch(/STRIPE_SECRET_KEY.*STRIPE_WEBHOOK_SECRET/)
    }
  })

  it('validate the body first', async () => {
    const caller = { organizationId: await workspace() }
    for (const body of [
      {},
      { tier: 'enterprise', interval: 'monthly' },
      { tier: 'studio', interval: 'weekly' },
    ])
      expect((await call('POST', '/v1/console/billing/checkout', caller, body)).status).toBe(400)
  })
})

describe('the plans', () => {
  it('match the API document [PAY-32]', () => {
    const table = Object.values(PLANS).map((plan) => [
      plan.name,
      plan.monthlyPriceUsd,
      plan.annualPriceUsd,
      plan.agents,
      plan.connectors,
      plan.creditsPerMonth,
      plan.overCap,
      plan.extraAnswerMicroUsd,
    ])
    expect(table).toEqual([
      ['Builder', 99, 950, 2, 2, 5_000, 'block', null],
      ['Studio', 299, 2_870, 10, null, 25_000, 'metered', 15_000],
      ['Scale', 799, 7_670, null, null, 100_000, 'metered', 15_000],
      ['Enterprise', null, null, null, null, null, 'block', null],
    ])
  })

  it("match the database's limits", async () => {
    const { db } = database
    for (const tier of TIERS) {
      const id = await workspace({ status: 'active', tier, creditsIncluded: null })
      const row = await db
        .selectFrom('subscriptions')
        .select(['credit_limit', 'blocks_over_cap', 'retrieves'])
        .where('organization_id', '=', id)
        .executeTakeFirstOrThrow()
      const { creditsPerMonth, overCap } = PLANS[tier]
      expect(row).toEqual({
        credit_limit: creditsPerMonth,
        blocks_over_cap: overCap === 'block',
        retrieves: true,
      })
    }
  })

  it('price an answer to a millionth of a dollar, without rounding', () => {
    expect([0n, 15_000n, 15_000_000n, 1n, 123_456_789n].map(formatUsd)).toEqual([
      '0.00',
      '0.015',
      '15.00',
      '0.000001',
      '123.456789',
    ])
    expect(['0.015', '1', '99.999999'].map(parseUsd)).toEqual([15_000, 1_000_000, 99_999_999])
  })
})
