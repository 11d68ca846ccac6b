import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { aRetrieval, aSearch } from '../../test/support/credit-use.ts'
import { createRouteServer } from '../../test/support/route-server.ts'
import { putSubscription, type NewSubscription } from '../billing/index.ts'
import type { CreditUse } from '../http/gates.ts'
import { HOUR_MS } from '../kernel/clock.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { createCredits } from '../credits/index.ts'
import { deleteExpiredDays } from './delete-expired.ts'
import { readDays } from './read-days.ts'
import { dailyUsageRoutes } from './routes.ts'
import { USAGE_KEPT_DAYS } from '../kernel/retention.ts'

const START = new Date('2026-03-31T22:00:00.000Z')

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** An organization with a key and a person, and the route that shows their charges. */
async function workspace(subscription: Partial<NewSubscription> | null = {}) {
  const { db } = database
  const [organizationId, keyId, userId] = [randomUUID(), randomUUID(), randomUUID()]
  const time = { now: START }
  const clock = { now: () => time.now }
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('organizations')
      .values({ id: organizationId, name: 'w', created_at: START })
      .execute()
    await tx
      .insertInto('users')
      .values({
        id: userId,
        issuer: 'i',
        subject: userId,
        email: 'ada@example.com',
        name: null,
        created_at: START,
      })
      .execute()
    await tx
      .insertInto('api_keys')
      .values({
        organization_id: organizationId,
        id: keyId,
        name: 'bot',
        prefix: 'svc_x',
        secret_sha256: Buffer.from(keyId),
        actor_type: 'agent',
        allowed_actions: ['search'],
        created_at: START,
        revoked_at: START,
      })
      .execute()
    if (subscription === null) return
    const full = { status: 'active', tier: 'builder', creditsIncluded: null, ...subscription } as const
    await putSubscription(tx, organizationId, full, START)
  })
  const person: ConsoleCaller = {
    kind: 'console',
    organizationId,
    userId,
    role: 'admin',
    allowedProviders: null,
  }
  const credits = createCredits({ db, clock })
  const periodStart = subscription === null ? undefined : { periodStart: START.toISOString() }
  const services = { db, clock, billing: { subscriptions: { read: async () => periodStart } } }
  const server = await createRouteServer(
    dailyUsageRoutes,
    services,
    new Map([
      ['admin', person],
      ['member', { ...person, role: 'member' as const }],
    ]),
  )
  return {
    organizationId,
    keyId,
    userId,
    byKey: aSearch(organizationId, keyId),
    byPerson: { caller: person, surface: 'ask', isMcp: true, uncappedAt: null } satisfies CreditUse,
    at: (moment: string | number) => {
      time.now = new Date(moment)
    },
    reserve: (use: CreditUse) => credits.reserve(use, randomUUID()),
    answer: async (use: CreditUse) => (await credits.reserve(use, randomUUID())).settle(aRetrieval()),
    async usage(query = '', role = 'admin') {
      const answer = await server.inject({
        url: `/v1/console/usage${query}`,
        headers: { authorization: `Bearer ${role}` },
      })
      return { status: answer.statusCode, body: answer.json() }
    },
  }
}

describe('the usage of a workspace', () => {
  it('is grouped by UTC day, caller, kind of answer and channel, with names of revoked keys and of people', async () => {
    const { keyId, userId, byKey, byPerson, at, answer, usage } = await workspace()
    await answer(byKey)
    at('2026-03-31T23:59:59.999Z')
    await answer(byKey)
    at('2026-04-01T00:00:00.000Z')
    await answer(byPerson)
    await answer(byKey)
    await answer({ ...byKey, isMcp: true })
    await answer({ ...byKey, surface: 'context' })
    const one = { requests: 1, credits: 1, isMcp: false }
    const ofKey = { apiKeyId: keyId, userId: null, name: 'bot' }
    expect(await usage()).toEqual({
      status: 200,
      body: {
        from: '2026-03-31',
        to: '2026-04-01',
        days: [
          {
            ...one,
            date: '2026-04-01',
            apiKeyId: null,
            userId,
            name: 'ada@example.com',
            surface: 'ask',
            isMcp: true,
          },
          { ...one, ...ofKey, date: '2026-04-01', surface: 'context' },
          { ...one, ...ofKey, date: '2026-04-01', surface: 'search' },
          { ...one, ...ofKey, date: '2026-04-01', surface: 'search', isMcp: true },
          { ...one, ...ofKey, date: '2026-03-31', surface: 'search', requests: 2, credits: 2 },
        ],
        totals: { requests: 6, credits: 6 },
        isCapped: false,
      },
    })
    expect((await usage('?from=2026-04-01&to=2026-04-01')).body.totals).toEqual({ requests: 4, credits: 4 })
    expect((await usage('?to=2026-03-31')).body).toMatchObject({
      from: '2026-03-02',
      totals: { requests: 2, credits: 2 },
    })
  })

  it('excludes requests that failed, are in flight, were refused or whose process died', async () => {
    const { byKey, reserve, usage } = await workspace({ creditsIncluded: 2 })
    await (await reserve(byKey)).refund()
    await reserve(byKey)
    await reserve(byKey)
    await expect(reserve(byKey)).rejects.toMatchObject({ code: 'quota_exceeded' })
    const credits = createCredits({ db: database.db, clock: { now: () => START } })
    await credits.refundExpired(new Date(START.getTime() + HOUR_MS))
    expect((await usage()).body).toMatchObject({ days: [], totals: { requests: 0, credits: 0 } })
  })

  it('covers exactly the current period by default, even one that began within a day', async () => {
    const { organizationId, byKey, answer, usage } = await workspace()
    await answer(byKey)
    const row = rowOf(organizationId, START, new Date(START.getTime() - HOUR_MS))
    await database.db.insertInto('daily_usage').values(row).execute()
    expect((await usage()).body.totals).toEqual({ requests: 1, credits: 1 })
    // A day includes the credits of both periods.
    expect((await usage('?from=2026-03-31')).body.totals).toEqual({ requests: 8, credits: 8 })
  })

  it('counts a credit taken in one period and settled in the next in the first one', async () => {
    const { byKey, at, reserve, answer, usage } = await workspace()
    const held = await reserve(byKey)
    at('2026-05-01T00:00:00.000Z')
    await answer(byKey)
    await held.settle(aRetrieval())
    const { body } = await usage('?from=2026-05-01')
    expect(body.totals).toEqual({ requests: 2, credits: 2 })
    // The day has a row for each period but is one line.
    expect(body.days).toHaveLength(1)
  })

  it('includes internal workspaces, and answers over the credits of a metered plan', async () => {
    for (const subscription of [
      { status: 'internal', tier: null },
      { tier: 'studio', creditsIncluded: 1 },
    ] as const) {
      const { byKey, answer, usage } = await workspace(subscription)
      for (let n = 0; n < 3; n += 1) await answer(byKey)
      expect((await usage()).body.totals).toEqual({ requests: 3, credits: 3 })
    }
  })

  it('covers the last 30 days when there is no plan', async () => {
    const { usage } = await workspace(null)
    expect((await usage()).body).toMatchObject({ from: '2026-03-02', to: '2026-03-31', days: [] })
  })

  it('excludes other workspaces', async () => {
    const [one, other] = [await workspace(), await workspace()]
    await one.answer(one.byKey)
    expect((await other.usage()).body.days).toEqual([])
  })

  it('limits the number of lines, and includes the omitted ones in the totals', async () => {
    const { organizationId, byKey, byPerson, answer } = await workspace()
    await answer(byKey)
    await answer(byPerson)
    const range = { from: '2026-03-31', to: '2026-03-31', period: null }
    expect(await readDays(database.db, organizationId, range, 1)).toMatchObject({
      days: [{ surface: 'ask' }],
      totals: { requests: 2, credits: 2 },
      isCapped: true,
    })
    expect(await readDays(database.db, organizationId, range, 2)).toMatchObject({ isCapped: false })
  })

  it.each([
    '?from=2026-04-02&to=2026-04-01',
    '?from=2026-04-01',
    '?from=2026-01-01&to=2026-04-03',
    '?from=2026-02-30',
    '?from=0000-01-01',
    '?to=1999-12-31',
    '?to=10000-01-01',
    '?from=2026-03-01T00:00:00Z',
    '?since=2026-03-01',
  ])('is refused for %s', async (query) => {
    const { usage } = await workspace()
    expect(await usage(query)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('is shown for 92 days, to admins only', async () => {
    const { usage } = await workspace()
    expect((await usage('?from=2026-01-01&to=2026-04-02')).status).toBe(200)
    expect((await usage('?to=2000-01-01')).status).toBe(200)
    expect(await usage('', 'member')).toMatchObject({ status: 403, body: { code: 'role_required' } })
  })
})

describe('days of use', () => {
  it(`are deleted after ${USAGE_KEPT_DAYS} days, for every workspace`, async () => {
    const spaces = [await workspace(), await workspace()]
    const today = new Date('2030-01-01T12:00:00.000Z')
    const ago = (days: number): Date => new Date(today.getTime() - days * 24 * HOUR_MS)
    for (const { organizationId } of spaces) {
      for (const days of [0, USAGE_KEPT_DAYS - 1, USAGE_KEPT_DAYS, USAGE_KEPT_DAYS + 1]) {
        await database.db
          .insertInto('daily_usage')
          .values(rowOf(organizationId, ago(days), START))
          .execute()
      }
    }
    await Promise.all([deleteExpiredDays(database.db, today), deleteExpiredDays(database.db, today)])
    for (const { organizationId } of spaces) {
      const { days } = await readDays(database.db, organizationId, {
        from: '2026-01-01',
        to: '2030-01-01',
        period: null,
      })
      expect(days.map(({ date }) => date)).toEqual(
        [0, USAGE_KEPT_DAYS - 1].map((n) => ago(n).toISOString().slice(0, 10)),
      )
    }
  })
})

/** Seven searches on a day, by a deleted key. */
function rowOf(organizationId: string, day: Date, periodStart: Date) {
  return {
    organization_id: organizationId,
    day: day.toISOString().slice(0, 10),
    period_started_at: periodStart,
    subject_id: organizationId,
    is_user: false,
    surface: 'search' as const,
    is_mcp: false,
    requests: 7,
    credits: 7,
  }
}
