import { randomUUID } from 'node:crypto'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { OpenDatabase } from '../database/database.ts'
import { openPostgres } from '../database/drivers/postgres.ts'
import { AppError } from '../kernel/errors.ts'
import { createRateLimit, type RateLimit, type RateSubject } from './rate-limit.ts'

const START = Date.parse('2026-03-01T12:00:00.000Z')
const TEST_TIME = '(select at from test_clock)'

let database: TestDatabase
let other: OpenDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  other = database.url === null ? database : await openPostgres({ url: database.url })
  await sql`create table test_clock as select now() as at`.execute(database.db)
})
afterAll(async () => {
  if (other !== database) await other.close()
  await database.close()
})

const newSubject = (): RateSubject => ({ organizationId: randomUUID(), subjectId: randomUUID() })

async function setTime(microseconds: number): Promise<void> {
  const start = new Date(START)
  await sql`update test_clock set at = ${start}::timestamptz + ${`${microseconds} microseconds`}::interval`.execute(
    database.db,
  )
}

async function refusalOf(limit: RateLimit, subject: RateSubject, action = 'search'): Promise<AppError> {
  const outcome = await limit.admit(subject, action).catch((error: unknown) => error)
  if (!(outcome instanceof AppError)) throw new Error('the request was admitted')
  return outcome
}

async function isAdmitted(limit: RateLimit, subject: RateSubject): Promise<boolean> {
  try {
    await limit.admit(subject, 'search')
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited') return false
    throw error
  }
}

function limitAt(limitPerMinute: number, exactUpTo?: number): RateLimit {
  return createRateLimit({
    db: database.db,
    limitPerMinute,
    databaseNow: TEST_TIME,
    ...(exactUpTo === undefined ? {} : { exactUpTo }),
  })
}

describe('a rolling minute', () => {
  it('counts down, and refuses the next request with everything a caller needs to wait', async () => {
    const limit = limitAt(3)
    const subject = newSubject()
    await setTime(0)
    expect(await limit.admit(subject, 'search')).toEqual({
      limit: 3,
      remaining: 2,
      resetAt: new Date(START + 60_000),
    })
    await setTime(10_500_000)
    expect(await limit.admit(subject, 'search')).toMatchObject({ remaining: 1 })
    expect(await limit.admit(subject, 'search')).toMatchObject({ remaining: 0 })
    const refusal = await refusalOf(limit, subject)
    const resetAt = new Date(START + 60_000).toISOString()
    expect(refusal).toMatchObject({ code: 'rate_limited', status: 429 })
    expect(refusal.details).toEqual({ action: 'search', limit: 3, retryAfterSeconds: 50, resetAt })
    expect(refusal.headers).toEqual({
      'Retry-After': '50',
      'X-RateLimit-Limit': '3',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': resetAt,
    })
  })

  it('rolls: each request leaves exactly one minute after it came', async () => {
    const limit = limitAt(2)
    const subject = newSubject()
    await setTime(0)
    await limit.admit(subject, 'search')
    await setTime(30_000_000)
    await limit.admit(subject, 'search')
    await setTime(59_999_999)
    expect((await refusalOf(limit, subject)).details).toMatchObject({ retryAfterSeconds: 1 })
    await setTime(60_000_000)
    expect(await limit.admit(subject, 'search')).toMatchObject({ remaining: 0 })
    await setTime(89_999_999)
    await refusalOf(limit, subject)
    await setTime(90_000_000)
    await limit.admit(subject, 'search')
  })

  it('admits at the moment that a refusal names', async () => {
    const limit = limitAt(2)
    const subject = newSubject()
    await setTime(123)
    await limit.admit(subject, 'search')
    await setTime(7_654_321)
    await limit.admit(subject, 'search')
    const { resetAt } = (await refusalOf(limit, subject)).details
    await setTime((Date.parse(String(resetAt)) - START) * 1000)
    expect(await isAdmitted(limit, subject)).toBe(true)
  })

  it('does not count a refused request', async () => {
    const limit = limitAt(1)
    const subject = newSubject()
    await setTime(0)
    await limit.admit(subject, 'search')
    for (let second = 1; second < 60; second += 7) {
      await setTime(second * 1_000_000)
      await refusalOf(limit, subject)
    }
    await setTime(60_000_000)
    expect(await isAdmitted(limit, subject)).toBe(true)
  })

  it('has a separate bucket for each action, key and organization', async () => {
    const limit = limitAt(1)
    const subject = newSubject()
    await setTime(0)
    await limit.admit(subject, 'search')
    await refusalOf(limit, subject)
    const full = { remaining: 0 }
    expect(await limit.admit(subject, 'context')).toMatchObject(full)
    expect(await limit.admit({ ...subject, subjectId: randomUUID() }, 'search')).toMatchObject(full)
    expect(await limit.admit({ ...subject, organizationId: randomUUID() }, 'search')).toMatchObject(full)
  })

  it('reports the state without counting', async () => {
    const limit = limitAt(2)
    const subject = newSubject()
    await setTime(5_000_000)
    const untouched = { limit: 2, remaining: 2, resetAt: new Date(START + 5_000) }
    expect(await limit.state(subject, 'search')).toEqual(untouched)
    expect(await limit.state(subject, 'search')).toEqual(untouched)
    await limit.admit(subject, 'search')
    await setTime(6_000_000)
    expect(await limit.state(subject, 'search')).toEqual({
      limit: 2,
      remaining: 1,
      resetAt: new Date(START + 65_000),
    })
  })

  it('lists the windows of given subjects, fullest first, each equal to its state', async () => {
    const limit = limitAt(3)
    const [one, another] = [newSubject(), newSubject()]
    const same = { ...another, organizationId: one.organizationId }
    await setTime(0)
    await limit.admit(one, 'ask')
    await setTime(30_000_000)
    for (const action of ['search', 'search', 'search', 'context']) await limit.admit(same, action)
    await limit.admit({ ...newSubject(), organizationId: one.organizationId }, 'search')
    await limit.admit(another, 'search')
    const listed = async () =>
      (await limit.windows(one.organizationId, [one.subjectId, same.subjectId])).map(
        ({ subjectId, action, used }) => [subjectId, action, used],
      )
    const later = [
      [same.subjectId, 'search', 3],
      [same.subjectId, 'context', 1],
    ]
    expect(await listed()).toHaveLength(3)
    expect(await listed()).toEqual(expect.arrayContaining([...later, [one.subjectId, 'ask', 1]]))
    const [fullest] = await limit.windows(one.organizationId, [same.subjectId])
    expect(fullest?.state).toEqual(await limit.state(same, 'search'))
    await setTime(60_000_000)
    expect(await listed()).toEqual(later)
    await setTime(90_000_000)
    expect(await listed()).toEqual([])
    expect(await limit.windows(one.organizationId, [])).toEqual([])
  })

  it('waits for enough requests to leave after the limit was lowered', async () => {
    const subject = newSubject()
    for (let second = 0; second < 5; second += 1) {
      await setTime(second * 1_000_000)
      await limitAt(5).admit(subject, 'search')
    }
    const lowered = limitAt(2)
    expect(await lowered.state(subject, 'search')).toMatchObject({
      remaining: 0,
      resetAt: new Date(START + 63_000),
    })
    await setTime(62_999_999)
    await refusalOf(lowered, subject)
    await setTime(63_000_000)
    expect(await isAdmitted(lowered, subject)).toBe(true)
  })

  it('admits exactly what counting every request would, for any times', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.nat(90_000_000),
        fc.nat(3_000_000),
        fc.constantFrom(0, 1, 1_000, 59_999_999, 60_000_000, 60_000_001),
      ),
      { minLength: 1, maxLength: 25 },
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (perMinute, gaps) => {
        const limit = limitAt(perMinute)
        const subject = newSubject()
        let time = 0
        let admitted: number[] = []
        for (const gap of gaps) {
          time += gap
          await setTime(time)
          admitted = admitted.filter((at) => at > time - 60_000_000)
          const expected = admitted.length < perMinute
          expect(await isAdmitted(limit, subject)).toBe(expected)
          if (expected) admitted.push(time)
          expect(await limit.state(subject, 'search')).toMatchObject({
            remaining: perMinute - admitted.length,
          })
        }
      }),
      { numRuns: 25 },
    )
  })

  it('in slots never admits too many in any minute, and refuses only when a minute and a slot are full', async () => {
    const slot = 600_000
    const gaps = fc.array(
      fc.oneof(fc.nat(100_000), fc.nat(9_000_000), fc.constantFrom(0, slot, 60_000_000)),
      {
        minLength: 1,
        maxLength: 40,
      },
    )
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 8 }), gaps, async (perMinute, list) => {
        const limit = limitAt(perMinute, 0)
        const subject = newSubject()
        let time = 0
        const admitted: number[] = []
        const since = (start: number): number => admitted.filter((at) => at > start).length
        for (const gap of list) {
          time += gap
          await setTime(time)
          const inMinute = since(time - 60_000_000)
          const inMinuteAndSlot = since(time - 60_000_000 - slot - 1)
          const passed = await isAdmitted(limit, subject)
          if (passed) admitted.push(time)
          expect(passed ? inMinute < perMinute : inMinuteAndSlot >= perMinute).toBe(true)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('stores at most a hundred and one entries at a large limit', async () => {
    const limit = limitAt(1_000_000)
    const subject = newSubject()
    for (let n = 0; n < 500; n += 1) {
      if (n % 2 === 0) await setTime(n * 200_000)
      await limit.admit(subject, 'search')
    }
    const row = await database.db
      .selectFrom('rate_windows')
      .select(['admitted_count', 'admitted_at'])
      .where('subject_id', '=', subject.subjectId)
      .executeTakeFirstOrThrow()
    expect(row.admitted_at.length).toBeLessThanOrEqual(101)
    expect(row.admitted_count).toHaveLength(row.admitted_at.length)
    expect(await limit.state(subject, 'search')).toMatchObject({
      remaining: 1_000_000 - row.admitted_count.reduce((sum, count) => sum + count, 0),
    })
  })
})

describe('concurrent requests', () => {
  it('are admitted exactly up to the limit, over two instances on one database', async () => {
    const instances = [database, other].map(({ db }) => createRateLimit({ db, limitPerMinute: 60 }))
    for (let round = 0; round < 3; round += 1) {
      const subject = newSubject()
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, async (_, n) => {
          const instance = instances[n % 2]
          if (!instance) throw new Error('there are two instances')
          return await isAdmitted(instance, subject)
        }),
      )
      expect(outcomes.filter(Boolean)).toHaveLength(60)
      const row = await database.db
        .selectFrom('rate_windows')
        .select('admitted_at')
        .where('subject_id', '=', subject.subjectId)
        .executeTakeFirstOrThrow()
      expect(row.admitted_at).toEqual(row.admitted_at.toSorted((a, b) => a.getTime() - b.getTime()))
    }
  })

  it('get a wait of at most a minute, by the real clock', async () => {
    const limit = createRateLimit({ db: database.db, limitPerMinute: 1 })
    const subject = newSubject()
    await limit.admit(subject, 'search')
    const refusal = await refusalOf(limit, subject)
    expect(refusal.details.retryAfterSeconds).toBeGreaterThanOrEqual(1)
    expect(refusal.details.retryAfterSeconds).toBeLessThanOrEqual(60)
  })
})

describe('the deletion of empty windows', () => {
  it('removes windows without counted requests, and no others', async () => {
    const limit = createRateLimit({
      db: database.db,
      limitPerMinute: 5,
      databaseNow: TEST_TIME,
      deletedAtOnce: 2,
    })
    await setTime(-3_600_000_000)
    await limit.deleteEmptyWindows()
    const old = Array.from({ length: 5 }, newSubject)
    for (const subject of old) await limit.admit(subject, 'search')
    const used = newSubject()
    await limit.admit(used, 'search')
    await setTime(-3_600_000_000 + 100_000_000)
    await limit.admit(used, 'search')
    await setTime(-3_600_000_000 + 121_000_000)
    expect(await limit.deleteEmptyWindows()).toBe(5)
    expect(await limit.deleteEmptyWindows()).toBe(0)
    expect((await limit.state(used, 'search')).remaining).toBe(4)
    for (const subject of old) expect((await limit.admit(subject, 'search')).remaining).toBe(4)
  })
})
