import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../src/config.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aText, aTime } from '../support/shapes.ts'

let first: TestService
let second: TestService
let organization: TestOrganization
let key: string

beforeAll(async () => {
  const environment = { API_RATE_LIMIT_PER_MIN: String(readSettings({}).API_RATE_LIMIT_PER_MIN) }
  first = await startTestService({ environment })
  second = await startTestService({ environment, database: first.database })
})
beforeEach(async () => {
  organization = await first.organization({ status: 'active', tier: 'builder' })
  key = (await organization.mint()).secret
})
afterAll(async () => {
  await second.close()
  await first.close()
})

const retrieve = (path: '/v1/search' | '/v1/context', on = first) =>
  on.call('POST', path, { key, body: { query: 'x' } })
const times = <T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => act(at)))
const statuses = (answers: { status: number }[]): Record<number, number> =>
  Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, same]) => [status, same.length]),
  )

describe('the rate limit', () => {
  it('is 60 a minute for each action: 50 and 50 pass, and the 61st of one does not [RATE-1, RATE-4]', async () => {
    expect(statuses(await times(50, () => retrieve('/v1/search')))).toEqual({ 200: 50 })
    expect(statuses(await times(50, () => retrieve('/v1/context')))).toEqual({ 200: 50 })
    expect(statuses(await times(11, () => retrieve('/v1/search')))).toEqual({ 200: 10, 429: 1 })
    expect((await retrieve('/v1/context')).status).toBe(200)
    const other = await organization.mint()
    const asOther = await first.call('POST', '/v1/search', { key: other.secret, body: { query: 'x' } })
    expect(asOther.status).toBe(200)
  })

  it('is shared by all instances, exactly, under concurrency [RATE-3]', async () => {
    const answers = await times(80, (at) => retrieve('/v1/search', at % 2 ? first : second))
    expect(statuses(answers)).toEqual({ 200: 60, 429: 20 })
  })

  it('says when a refused caller may retry, in headers and body [RATE-5]', async () => {
    await times(60, () => retrieve('/v1/search'))
    const { status, headers, body } = await retrieve('/v1/search')
    expect(status).toBe(429)
    expect(body).toEqual({
      error: aText,
      code: 'rate_limited',
      documentation: `${first.url}/errors#rate_limited`,
      action: 'search',
      limit: 60,
      retryAfterSeconds: expect.any(Number),
      resetAt: aTime,
    })
    expect(Object.fromEntries(headers)).toMatchObject({
      'retry-after': String(body.retryAfterSeconds),
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': body.resetAt,
    })
    expect(body.retryAfterSeconds).toBeGreaterThan(0)
    expect(body.retryAfterSeconds).toBeLessThanOrEqual(60)
  })

  it('slides: requests older than a minute and refused ones do not count [RATE-2, RATE-7]', async () => {
    await times(60, () => retrieve('/v1/search'))
    expect(statuses(await times(20, () => retrieve('/v1/search')))).toEqual({ 429: 20 })
    // The oldest 10 entries leave the minute and 50 or fewer remain: simultaneous requests share an entry.
    const left = await sql<{ requests: number }>`update rate_windows set admitted_at =
        (select array_agg(t - case when n <= 10 then interval '60 seconds' else interval '20 seconds' end order by n)
         from unnest(admitted_at) with ordinality u (t, n))
        where organization_id = ${organization.id} and action = 'search'
        returning (select sum(n)::int from unnest(admitted_count[:10]) n) as requests`.execute(
      first.database.db,
    )
    const requests = left.rows[0]?.requests ?? 0
    expect(requests).toBeGreaterThanOrEqual(10)
    const answers = await times(requests + 2, () => retrieve('/v1/search'))
    expect(statuses(answers)).toEqual({ 200: requests, 429: 2 })
  })

  it('appears in the headers of every answer to a key, even refused ones [RATE-6]', async () => {
    const searcher = (await organization.mint({ actions: ['search'] })).secret
    const call = (method: string, path: string, body?: unknown) =>
      first.call(method, path, { key: searcher, body })
    const standing = async (answer: ReturnType<typeof call>) => {
      const { status, headers } = await answer
      expect(headers.get('x-ratelimit-reset')).toEqual(aTime)
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]
    }
    const missing = '/v1/source-items/00000000-0000-4000-8000-000000000000'
    expect(await standing(call('POST', '/v1/search', { query: 'x' }))).toEqual([200, '60', '59'])
    expect(await standing(call('POST', '/v1/search', { query: '' }))).toEqual([400, '60', '58'])
    expect(await standing(call('GET', missing))).toEqual([404, '60', '57'])
    expect(await standing(call('POST', '/v1/context', { query: 'x' }))).toEqual([403, '60', '60'])
    await first.database.db
      .updateTable('subscriptions')
      .set({ status: 'unpaid' })
      .where('organization_id', '=', organization.id)
      .execute()
    expect(await standing(call('POST', '/v1/search', { query: 'x' }))).toEqual([402, '60', '56'])
  })

  it('follows API_RATE_LIMIT_PER_MIN [RATE-1]', async () => {
    const service = await startTestService({
      environment: { API_RATE_LIMIT_PER_MIN: '2' },
      database: first.database,
    })
    try {
      expect(statuses(await times(3, () => retrieve('/v1/search', service)))).toEqual({ 200: 2, 429: 1 })
    } finally {
      await service.close()
    }
  })
})

describe('the order of checks', () => {
  it('is 401, 403, 429 for rate, 400, 402, 429 for credits [ERR-13]', async () => {
    const strict = await startTestService({
      environment: { API_RATE_LIMIT_PER_MIN: '3' },
      database: first.database,
    })
    try {
      const subscription = (values: object) =>
        first.database.db
          .updateTable('subscriptions')
          .set(values)
          .where('organization_id', '=', organization.id)
          .execute()
      await subscription({ status: 'unpaid', credits_included: 0 })
      const wrong = { query: '', unknown: true }
      const call = async (bearer: string | undefined, body: unknown = wrong, path = '/v1/search') => {
        const answer = await strict.call('POST', path, { key: bearer, body })
        return [answer.status, answer.body.code]
      }
      const searcher = (await organization.mint({ actions: ['search'] })).secret
      expect(await call(undefined)).toEqual([401, 'unauthenticated'])
      expect(await call(searcher, wrong, '/v1/context')).toEqual([403, 'action_not_allowed'])
      expect(await call(searcher)).toEqual([400, 'validation_failed'])
      expect(await call(searcher, { query: 'x' })).toEqual([402, 'subscription_required'])
      await subscription({ status: 'active' })
      expect(await call(searcher, { query: 'x' })).toEqual([429, 'quota_exceeded'])
      expect(await call(searcher)).toEqual([429, 'rate_limited'])
    } finally {
      await strict.close()
    }
  })
})
