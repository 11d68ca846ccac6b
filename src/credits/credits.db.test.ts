import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../kernel/clock.ts'
import { aRetrieval, aSearch, reservedOrNull, refusalOf } from '../../test/support/credit-use.ts'
import { creditWorkspace } from '../../test/support/credit-workspace.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { NewSubscription } from '../billing/index.ts'
import type { OpenDatabase } from '../database/database.ts'
import { openPostgres } from '../database/drivers/postgres.ts'
import type { CreditReservation } from '../http/gates.ts'
import { createCredits, RESERVATION_MINUTES } from './credits.ts'

const START = new Date('2026-01-31T10:00:00.000Z')

let database: TestDatabase
let other: OpenDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  other = database.url === null ? database : await openPostgres({ url: database.url })
})
afterAll(async () => {
  if (other !== database) await other.close()
  await database.close()
})

const workspace = (subscription: Partial<NewSubscription> = {}) =>
  creditWorkspace({ database, other, start: START }, subscription)

describe('access to retrieval', () => {
  it.each(['trialing', 'active', 'past_due', 'internal'] as const)('is granted with %s', async (status) => {
    const { reserve, used } = await workspace({ status })
    await (await reserve()).settle(aRetrieval())
    expect(await used()).toBe(1)
  })

  it.each(['unpaid', 'canceled', 'incomplete', 'incomplete_expired', 'paused'] as const)(
    'is refused with %s: 402',
    async (status) => {
      const { reserve, used, reservations } = await workspace({ status })
      expect(await refusalOf(reserve())).toMatchObject({
        code: 'subscription_required',
        status: 402,
        details: { status },
      })
      expect([await used(), await reservations()]).toEqual([0, 0])
    },
  )

  it('is refused without a subscription: 402', async () => {
    const credits = createCredits({ db: database.db, clock: { now: () => START } })
    const refusal = await refusalOf(credits.reserve(aSearch(randomUUID()), randomUUID()))
    expect(refusal).toMatchObject({ code: 'subscription_required', details: { status: null } })
  })

  it('follows a changed status from the next request on', async () => {
    const { reserve, put } = await workspace()
    await (await reserve()).settle(aRetrieval())
    await put({ status: 'unpaid', tier: 'builder', creditsIncluded: null })
    expect(await refusalOf(reserve())).toMatchObject({ code: 'subscription_required' })
    await put({ status: 'active', tier: 'builder', creditsIncluded: null })
    await (await reserve()).settle(aRetrieval())
  })
})

describe('a hard cap', () => {
  it('serves call 5,000 of Builder and refuses call 5,001 with the numbers', async () => {
    const { organizationId, reserve, used } = await workspace()
    await database.db
      .updateTable('subscriptions')
      .set({ credits_used: 4_999 })
      .where('organization_id', '=', organizationId)
      .execute()
    await (await reserve()).settle(aRetrieval())
    const refusal = await refusalOf(reserve())
    expect(refusal).toMatchObject({ code: 'quota_exceeded', status: 429 })
    expect(refusal.details).toEqual({
      creditsUsed: 5_000,
      creditsIncluded: 5_000,
      resetAt: '2026-02-28T10:00:00.000Z',
    })
    expect(await used()).toBe(5_000)
  })

  it('keeps only the credit of a settled request, which can no longer be refunded', async () => {
    const { reserve, used, reservations } = await workspace()
    const held = await reserve()
    expect([await used(), await reservations()]).toEqual([1, 1])
    await held.settle(aRetrieval())
    await held.refund()
    expect([await used(), await reservations()]).toEqual([1, 0])
  })

  it('refunds a credit exactly once, however often and from wherever it is asked', async () => {
    const { reserve, used } = await workspace({ creditsIncluded: 3 })
    await (await reserve()).settle(aRetrieval())
    const held = await reserve()
    await Promise.all(Array.from({ length: 10 }, () => held.refund()))
    await held.refund()
    expect(await used()).toBe(1)
  })

  it('is the number that the operator set, when there is one', async () => {
    const { reserve } = await workspace({ tier: 'enterprise', creditsIncluded: 1 })
    await (await reserve()).settle(aRetrieval())
    expect((await refusalOf(reserve())).details).toMatchObject({ creditsUsed: 1, creditsIncluded: 1 })
  })

  it('leaves a workspace without a tier no credits', async () => {
    const { reserve } = await workspace({ tier: null })
    expect(await refusalOf(reserve())).toMatchObject({ code: 'quota_exceeded' })
  })

  it('is lifted by an upgrade at once, in the same period', async () => {
    const { reserve, put, read } = await workspace({ creditsIncluded: 1 })
    await (await reserve()).settle(aRetrieval())
    await refusalOf(reserve())
    const before = await read()
    await put({ status: 'active', tier: 'studio', creditsIncluded: null })
    await (await reserve()).settle(aRetrieval())
    expect(await read()).toEqual({
      ...before,
      tier: 'studio',
      agentsIncluded: 10,
      connectorsIncluded: null,
      creditsUsed: 2,
      creditsIncluded: 25_000,
      creditsRemaining: 24_998,
      overCap: 'metered',
      extraAnswerUsd: '0.015',
      isContract: false,
    })
  })
})

describe('no hard cap', () => {
  it('serves a metered tier beyond its credits, and internal and enterprise without limit', async () => {
    for (const subscription of [
      { tier: 'studio', creditsIncluded: 1 },
      { tier: 'scale', creditsIncluded: 1 },
      { tier: 'enterprise' },
      { tier: 'builder', status: 'internal', creditsIncluded: 1 },
    ] as const) {
      const { reserve, read, charged } = await workspace(subscription)
      for (let n = 0; n < 3; n += 1) await (await reserve()).settle(aRetrieval())
      expect(await charged(START.toISOString())).toBe(3)
      const unlimited = subscription.tier === 'enterprise' || subscription.tier === 'builder'
      expect(await read()).toMatchObject({
        creditsUsed: 3,
        creditsIncluded: unlimited ? null : 1,
        creditsRemaining: unlimited ? null : 0,
      })
    }
  })

  it('counts successful requests and nothing else', async () => {
    const { reserve, used, reservations } = await workspace({ tier: 'studio' })
    const held = await reserve()
    expect([await used(), await reservations()]).toEqual([0, 0])
    await held.refund()
    expect(await used()).toBe(0)
  })
})

describe('periods', () => {
  it('are whole months from the anchor, and a 31st does not drift', async () => {
    const { reserve, at, read } = await workspace()
    const boundaries = [
      '2026-01-31T10:00:00.000Z',
      '2026-02-28T10:00:00.000Z',
      '2026-03-31T10:00:00.000Z',
      '2026-04-30T10:00:00.000Z',
      '2026-05-31T10:00:00.000Z',
    ]
    for (const [n, periodStart] of boundaries.slice(0, -1).entries()) {
      const periodEnd = boundaries[n + 1] ?? ''
      at(periodStart)
      expect(await read()).toMatchObject({ creditsUsed: 0, periodStart, periodEnd })
      await (await reserve()).settle(aRetrieval())
      at(Date.parse(periodEnd) - 1)
      await (await reserve()).settle(aRetrieval())
      expect(await read()).toMatchObject({ creditsUsed: 2, periodStart, periodEnd })
    }
  })

  it('are skipped when nothing was used', async () => {
    const { reserve, at, read } = await workspace({ tier: 'studio' })
    at('2028-02-29T09:59:59.999Z')
    await (await reserve()).settle(aRetrieval())
    const last = { periodStart: '2028-01-31T10:00:00.000Z', periodEnd: '2028-02-29T10:00:00.000Z' }
    expect(await read()).toMatchObject({ creditsUsed: 1, ...last })
  })

  it('start with all credits, and never take back a credit of the previous period', async () => {
    const { reserve, at, used } = await workspace({ creditsIncluded: 2 })
    const early = await reserve()
    await reserve()
    await refusalOf(reserve())
    at('2026-02-28T10:00:00.000Z')
    await (await reserve()).settle(aRetrieval())
    await early.refund()
    expect(await used()).toBe(1)
    await (await reserve()).settle(aRetrieval())
    await refusalOf(reserve())
  })

  it('do not move back for an instance whose clock is behind', async () => {
    const { reserve, at, read } = await workspace({ creditsIncluded: 5 })
    at('2026-02-28T10:00:00.000Z')
    await (await reserve()).settle(aRetrieval())
    at('2026-02-28T09:59:59.000Z')
    await (await reserve()).settle(aRetrieval())
    expect(await read()).toMatchObject({ creditsUsed: 2, periodStart: '2026-02-28T10:00:00.000Z' })
  })
})

describe('a request whose process died', () => {
  const expiry = START.getTime() + RESERVATION_MINUTES * MINUTE_MS

  it('gets its credit back once, when its reservation has expired', async () => {
    const { reserve, first, second, used } = await workspace()
    await reserve()
    await reserve()
    await first.refundExpired(new Date(expiry - 1))
    expect(await used()).toBe(2)
    await Promise.all(
      [first, second, first, second].map((credits) => credits.refundExpired(new Date(expiry))),
    )
    expect(await used()).toBe(0)
  })

  it('is refused rather than served for free when it was only slow', async () => {
    const { reserve, first, used } = await workspace()
    const held = await reserve()
    await first.refundExpired(new Date(expiry))
    expect(await refusalOf(held.settle(aRetrieval()))).toMatchObject({
      code: 'overloaded',
      headers: { 'Retry-After': '5' },
    })
    await held.refund()
    expect(await used()).toBe(0)
  })

  it('refunds no credit of the previous period into this one', async () => {
    const { reserve, at, first, used, reservations } = await workspace()
    await reserve()
    at('2026-02-28T10:00:00.000Z')
    await (await reserve()).settle(aRetrieval())
    await first.refundExpired(new Date('2026-02-28T10:00:00.000Z'))
    expect([await used(), await reservations()]).toEqual([1, 0])
  })

  it('is refunded over all organizations, and counted by one of several processes', async () => {
    const { first, second } = await workspace()
    await first.refundExpired(new Date('2100-01-01'))
    const spaces = await Promise.all([workspace(), workspace(), workspace()])
    for (const space of spaces) await Promise.all([space.reserve(), space.reserve()])
    const refunded = await Promise.all(
      [first, second, second].map((credits) => credits.refundExpired(new Date(expiry))),
    )
    expect(refunded.reduce((sum, n) => sum + n, 0)).toBe(6)
    for (const space of spaces) expect(await space.used()).toBe(0)
  })
})

describe('concurrent requests on two instances', () => {
  it('are served exactly up to the cap, and every failed one is refunded', async () => {
    const { organizationId, first, second, used, charged, reservations } = await workspace({
      creditsIncluded: 50,
    })
    let served = 0
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const held = await reservedOrNull(
          (n % 2 ? first : second).reserve(aSearch(organizationId), randomUUID()),
        )
        if (!held) return 'refused'
        if (n % 3 === 0) {
          await held.refund()
          return 'failed'
        }
        served += 1
        await held.settle(aRetrieval())
        return 'served'
      }),
    )
    expect(served).toBeLessThanOrEqual(50)
    expect(outcomes.filter((outcome) => outcome === 'served')).toHaveLength(served)
    expect([await used(), await charged(START.toISOString()), await reservations()]).toEqual([
      served,
      served,
      0,
    ])
    const rest = await Promise.all(
      Array.from({ length: 60 }, () => reservedOrNull(first.reserve(aSearch(organizationId), randomUUID()))),
    )
    expect(rest.filter((held) => held !== null)).toHaveLength(50 - served)
  })

  it('roll a period over once', async () => {
    const { organizationId, first, second, at, reserve, read } = await workspace({ creditsIncluded: 20 })
    for (let n = 0; n < 20; n += 1) await (await reserve()).settle(aRetrieval())
    at('2026-02-28T10:00:00.000Z')
    const held = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        reservedOrNull((n % 2 ? first : second).reserve(aSearch(organizationId), randomUUID())),
      ),
    )
    expect(held.filter((one) => one !== null)).toHaveLength(20)
    expect(await read()).toMatchObject({ creditsUsed: 20, periodStart: '2026-02-28T10:00:00.000Z' })
  })

  it('are all counted without a cap', async () => {
    const { organizationId, first, second, used, charged, recorded } = await workspace({
      tier: 'studio',
      creditsIncluded: 10,
    })
    await Promise.all(
      Array.from({ length: 100 }, async (_, n) =>
        (await (n % 2 ? first : second).reserve(aSearch(organizationId), randomUUID())).settle(aRetrieval()),
      ),
    )
    expect([await used(), await charged(START.toISOString()), await recorded()]).toEqual([100, 100, 100])
  })

  it('can end while others refund the credits of dead ones', async () => {
    const { organizationId, first, second, at, used, charged, reservations } = await workspace({
      creditsIncluded: 100,
    })
    for (let n = 0; n < 30; n += 1) await first.reserve(aSearch(organizationId), randomUUID())
    at(START.getTime() + MINUTE_MS)
    const live = await Promise.all(
      Array.from({ length: 30 }, () => second.reserve(aSearch(organizationId), randomUUID())),
    )
    const expired = new Date(START.getTime() + RESERVATION_MINUTES * MINUTE_MS)
    await Promise.all([
      first.refundExpired(expired),
      ...live.map((held, n) => (n % 2 ? held.settle(aRetrieval()) : held.refund())),
      second.refundExpired(expired),
    ])
    await first.refundExpired(expired)
    expect([await used(), await charged(START.toISOString()), await reservations()]).toEqual([15, 15, 0])
  })
})

describe('the ledger', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('reserve' as const) }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle' as const), which: fc.nat() }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('refund' as const), which: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('wait' as const),
          minutes: fc.constantFrom(1, 4, 5, 6, 60 * 24 * 12, 60 * 24 * 31),
        }),
      },
    ),
    { minLength: 1, maxLength: 30 },
  )

  it('balances after any sequence: used credits are the settled ones, which equal the sum of the days, plus those in flight', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (cap, list) => {
        const own = await workspace({ creditsIncluded: cap })
        const { first, reserve, at, read, charged, recorded, reservations } = own
        let time = START.getTime()
        let settled: string[] = []
        let recordings = 0
        let flying: { held: CreditReservation; period: string; expires: number }[] = []
        for (const step of list) {
          const picked = 'which' in step ? flying[step.which % flying.length] : undefined
          if (step.kind === 'wait') {
            time += step.minutes * MINUTE_MS
            at(time)
          } else if (step.kind === 'expire') {
            await first.refundExpired(new Date(time))
            flying = flying.filter(({ expires }) => expires > time)
          } else if (step.kind === 'reserve') {
            const { periodStart: period } = await read()
            const full = [...settled, ...flying.map((one) => one.period)].filter((its) => its === period)
            const held = await reservedOrNull(reserve())
            if ((held !== null) !== full.length < cap)
              throw new Error(`held with ${full.length} of ${cap} taken`)
            if (held) flying.push({ held, period, expires: time + RESERVATION_MINUTES * MINUTE_MS })
          } else if (picked) {
            if (step.kind === 'settle') {
              await picked.held.settle(aRetrieval())
              settled.push(picked.period)
              recordings += 1
            } else await picked.held.refund()
            flying = flying.filter((one) => one !== picked)
          }
          const { creditsUsed, periodStart } = await read()
          const taken = [...settled, ...flying.map(({ period }) => period)]
          expect(creditsUsed).toBe(taken.filter((period) => period === periodStart).length)
          expect(await reservations()).toBe(flying.length)
          expect(await recorded()).toBe(recordings)
          expect(await charged(periodStart)).toBe(settled.filter((period) => period === periodStart).length)
          settled = settled.filter((period) => period === periodStart)
        }
      }),
      { numRuns: 20 },
    )
  })
})
