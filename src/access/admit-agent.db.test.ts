import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalOf } from '../../test/support/credit-use.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { putSubscription, type NewSubscription } from '../billing/index.ts'
import type { AdmittedAgent } from '../http/gates.ts'
import { AppError } from '../kernel/errors.ts'
import { createCredits } from '../credits/index.ts'
import { createRateLimit } from '../rate-limits/index.ts'
import { changeItems } from '../item-changes/index.ts'
import { createAdmitAgent } from './admit-agent.ts'
import { newApiKeySecret } from './api-key-secret.ts'
import { insertApiKey } from './api-keys.ts'

const NOW = new Date('2026-03-01T12:00:30.000Z')
const INTERNAL: NewSubscription = { status: 'internal', tier: null, creditsIncluded: null }

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** A key of a new organization, and service instances that count its requests. */
async function keyOf({
  perMinute = 10,
  subscription = INTERNAL,
  allowedProviders = null,
}: {
  perMinute?: number
  subscription?: NewSubscription
  allowedProviders?: ('slack' | 'notion')[] | null
} = {}) {
  const { db } = database
  const organizationId = randomUUID()
  const secret = newApiKeySecret()
  const key = await db.transaction().execute(async (tx) => {
    await tx.insertInto('organizations').values({ id: organizationId, name: 'w', created_at: NOW }).execute()
    await putSubscription(tx, organizationId, subscription, NOW)
    return await insertApiKey(tx, {
      organizationId,
      secret,
      at: NOW,
      actor: null,
      key: { name: 'k', actorType: 'agent', allowedActions: ['search'], allowedProviders },
    })
  })
  const time = { now: NOW }
  const newInstance = () => {
    const rateLimit = createRateLimit({ db, limitPerMinute: perMinute })
    const admit = createAdmitAgent({ db, clock: { now: () => time.now }, rateLimit })
    return { rateLimit, admit }
  }
  const { rateLimit, admit } = newInstance()
  const bearer = `Bearer ${secret.secret}`
  return {
    organizationId,
    time,
    another: newInstance,
    search: (instance: { admit: typeof admit } = { admit }) =>
      instance.admit(bearer, { action: 'search', reach: undefined }),
    ask: (request: Parameters<typeof admit>[1]) => admit(bearer, request),
    remaining: async () => (await rateLimit.state({ organizationId, subjectId: key.id }, 'search')).remaining,
    lastUsedAt: async () =>
      (
        await db
          .selectFrom('api_keys')
          .select('last_used_at')
          .where('organization_id', '=', organizationId)
          .executeTakeFirstOrThrow()
      ).last_used_at,
    revoke: () =>
      db
        .updateTable('api_keys')
        .set({ revoked_at: NOW })
        .where('organization_id', '=', organizationId)
        .execute(),
  }
}

const codeOf = (outcome: object): string => (outcome instanceof AppError ? outcome.code : 'admitted')

const settled = async (asked: Promise<AdmittedAgent>) => {
  try {
    const { rateState, ...admitted } = await asked
    return rateState instanceof AppError ? rateState : { ...admitted, rateState }
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

describe('concurrent requests of one key', () => {
  it('get the revision that the items have when they are admitted', async () => {
    const { organizationId, search } = await keyOf()
    const seen = async () => (await search()).caller.seenRevision
    expect(await seen()).toBe(0)
    for (const revision of [1, 2]) {
      await changeItems(database.db, organizationId, async (_, changes) => changes.addNone())
      expect(await seen()).toBe(revision)
    }
    const [one, other] = await Promise.all([search(), search()])
    expect([one.caller.seenRevision, other.caller.seenRevision]).toEqual([2, 2])
  })

  it('are each counted, and admitted up to the limit over two instances', async () => {
    const { search, another, remaining } = await keyOf({ perMinute: 10 })
    const other = another()
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, n) => settled(n % 2 === 0 ? search() : search(other))),
    )
    const admitted = outcomes.flatMap((outcome) =>
      outcome instanceof AppError ? [] : [outcome.rateState?.remaining],
    )
    expect(admitted.toSorted((a = 0, b = 0) => b - a)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    expect(new Set(outcomes.map(codeOf))).toEqual(new Set(['admitted', 'rate_limited']))
    expect(await remaining()).toBe(0)
  })

  it('get the wait when none of them is admitted', async () => {
    const { search } = await keyOf({ perMinute: 1 })
    await search()
    const refused = await Promise.all([search(), search(), search()].map(settled))
    for (const refusal of refused) {
      if (!(refusal instanceof AppError)) throw new Error('it was admitted')
      expect(refusal.headers['X-RateLimit-Remaining']).toBe('0')
      expect(Number(refusal.headers['Retry-After'])).toBeGreaterThan(0)
    }
  })

  it('are all refused once the key is revoked', async () => {
    const { search, revoke } = await keyOf()
    await search()
    await revoke()
    const outcomes = await Promise.all([search(), search(), search()].map(settled))
    expect(outcomes.map(codeOf)).toEqual(['unauthenticated', 'unauthenticated', 'unauthenticated'])
  })
})

describe('the limits of a key', () => {
  it('refuse a request without counting it, and log the key', async () => {
    const { ask, remaining } = await keyOf()
    const outcome = await ask({ action: 'admin', reach: undefined })
    expect(outcome).toMatchObject({ caller: { allowedActions: ['search'] }, rateState: null })
    expect(await remaining()).toBe(10)
  })

  it.each([
    { reach: undefined, may: true },
    { reach: [], may: true },
    { reach: ['slack' as const], may: true },
    { reach: ['slack' as const, 'gmail' as const], may: false },
    { reach: null, may: false },
  ])('let a key of two providers reach $reach: $may', async ({ reach, may }) => {
    const { ask, remaining } = await keyOf({ allowedProviders: ['slack', 'notion'] })
    const { rateState } = await ask({ action: 'search', reach })
    expect([rateState !== null, await remaining()]).toEqual([may, may ? 9 : 10])
  })

  it('let a key of every provider reach all', async () => {
    const { ask } = await keyOf()
    expect((await ask({ action: 'search', reach: null })).rateState).not.toBeNull()
  })
})

describe('an admission', () => {
  it('records when the key was used, to the minute', async () => {
    const { search, time, lastUsedAt } = await keyOf()
    await search()
    expect(await lastUsedAt()).toEqual(new Date('2026-03-01T12:00:00.000Z'))
    time.now = new Date('2026-03-01T12:01:59.999Z')
    await search()
    expect(await lastUsedAt()).toEqual(new Date('2026-03-01T12:01:00.000Z'))
  })

  it.each<[string, NewSubscription, boolean]>([
    ['internal', INTERNAL, true],
    ['enterprise', { status: 'active', tier: 'enterprise', creditsIncluded: null }, true],
    ['enterprise with a number', { status: 'active', tier: 'enterprise', creditsIncluded: 5 }, false],
    ['builder', { status: 'active', tier: 'builder', creditsIncluded: null }, false],
    ['canceled', { status: 'canceled', tier: 'enterprise', creditsIncluded: null }, false],
  ])('%s: reports whether a hard cap applies', async (_name, subscription, isUncapped) => {
    const { search, time } = await keyOf({ subscription })
    expect((await search()).uncappedAt).toEqual(isUncapped ? NOW : null)
    // The period is over.
    time.now = new Date('2027-03-01T12:00:30.000Z')
    expect((await search()).uncappedAt).toBeNull()
  })

  it("trusts its read of the subscription for a second, if the request's body has arrived by then", async () => {
    const { search, time, organizationId } = await keyOf()
    const { caller, uncappedAt } = await search()
    const use = { caller, surface: 'search', isMcp: false, uncappedAt } as const
    await database.db.transaction().execute(async (tx) => {
      const canceled = { status: 'canceled', tier: 'builder', creditsIncluded: null } as const
      await putSubscription(tx, organizationId, canceled, NOW)
    })
    const credits = createCredits({ db: database.db, clock: { now: () => time.now } })
    time.now = new Date(NOW.getTime() + 1_000)
    await (await credits.reserve(use, randomUUID())).refund()
    time.now = new Date(NOW.getTime() + 1_001)
    expect(await refusalOf(credits.reserve(use, randomUUID()))).toMatchObject({
      code: 'subscription_required',
    })
    expect((await search()).uncappedAt).toBeNull()
  })
})
