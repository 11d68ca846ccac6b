import { releaseAllLeases } from '../../src/background/index.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBilling, putSubscription } from '../../src/billing/index.ts'
import { periodAt } from '../../src/billing/subscriptions/period.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { createCredits } from '../../src/credits/index.ts'
import { aRetrieval, aSearch } from '../support/credit-use.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { createModelProcessor, type ReportFate } from '../support/model-processor.ts'

const START = new Date('2026-03-10T12:00:00.000Z')
const DAY_MS = 86_400_000
/** Credits of a period, whatever the tier. */
const INCLUDED = 3

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const fate = fc.constantFrom<ReportFate>('taken', 'lost', 'lost', 'dropped', 'refused', 'silent')
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), count: fc.integer({ min: 1, max: 6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('die while answering' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('plan' as const),
      tier: fc.constantFrom('builder', 'studio', 'scale', 'scale'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      status: fc.constantFrom('active', 'active', 'active', 'past_due', 'unpaid', 'canceled', 'paused'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resubscribe' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('lag' as const), hours: fc.constantFrom(0, 48) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.constantFrom(0.001, 1, 9, 20, 31) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('deliver' as const),
      which: fc.nat(),
      copies: fc.integer({ min: 1, max: 3 }),
      failReads: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lose' as const), which: fc.nat() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('report' as const), fate }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** The expected stored state: the last reading, and the answers since. */
interface Model {
  status: string
  tier: string
  id: string
  start: Date
  end: Date
  used: number
  overage: number
  /** Answers to charge, by the start of the period in which they were served. */
  bill: Map<string, number>
}

async function play(steps: readonly Step[]): Promise<void> {
  const organizationId = randomUUID()
  const customerId = `cus_${organizationId}`
  let time = START.getTime()
  const clock = { now: () => new Date(time) }
  const { db } = database
  const processor = createModelProcessor({ customerId, now: clock.now, delay: () => sleep(1) })
  const billing = createBilling({
    db,
    clock,
    processor,
    logger: { info() {}, warn() {}, error() {} },
    publicUrl: () => 'http://127.0.0.1',
    sleep: (ms) => sleep(ms),
    onReportAttempt: () => {},
    onUnannounced: () => {},
  })
  const credits = createCredits({ db, clock })
  await db.transaction().execute(async (tx) => {
    await tx
      .insertInto('organizations')
      .values({ id: organizationId, name: 'w', created_at: START })
      .execute()
    await putSubscription(
      tx,
      organizationId,
      { status: 'incomplete', tier: null, creditsIncluded: null },
      START,
    )
    await tx
      .updateTable('subscriptions')
      .set({ credits_included: INCLUDED })
      .where('organization_id', '=', organizationId)
      .execute()
    await tx
      .insertInto('payment_accounts')
      .values({ organization_id: organizationId, customer_id: customerId, created_at: START })
      .execute()
  })
  const first = periodAt(START, START)
  const model: Model = {
    status: 'incomplete',
    tier: '',
    id: '',
    ...first,
    used: 0,
    overage: 0,
    bill: new Map(),
  }
  let pending: string[] = ['first']
  let events = 0
  const known = new Set<string>()
  /** An event was received whose effect could not be read yet. */
  let isUnread = true
  let readAt = 0
  const announce = (): void => void pending.push(`evt_${(events += 1)}`)

  /** The stored state now equals the processor's. */
  const applied = (): void => {
    const { start, end } = processor.period()
    const { status, tier, id } = processor.state
    const isOlder = id === model.id && start < model.start
    if (!isOlder && start.getTime() !== model.start.getTime()) Object.assign(model, { used: 0, overage: 0 })
    if (!isOlder) Object.assign(model, { start, end })
    Object.assign(model, { status, tier, id })
  }
  const answer = async (isServed: boolean): Promise<void> => {
    const blocks = model.tier === 'builder' || model.tier === ''
    const outcome = await credits.reserve(aSearch(organizationId), randomUUID()).catch((error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    })
    const retrieves = ['active', 'past_due'].includes(model.status)
    if (retrieves && clock.now() >= model.end) {
      const { start, end } = periodAt(model.end, clock.now())
      Object.assign(model, { start, end, used: 0, overage: 0 })
    }
    if (!retrieves) return expect(outcome).toBe('subscription_required')
    if (blocks && model.used >= INCLUDED) return expect(outcome).toBe('quota_exceeded')
    if (typeof outcome === 'string') throw new Error(`it was refused: ${outcome}`)
    if (!isServed) {
      // Its process has died; reserved credits are released.
      await credits.refundExpired(new Date(time + DAY_MS))
      return
    }
    await outcome.settle(aRetrieval())
    model.used += 1
    if (blocks || model.used <= INCLUDED) return
    model.overage += 1
    const period = processor.truePeriod().start.toISOString()
    model.bill.set(period, (model.bill.get(period) ?? 0) + 1)
  }
  const read = (): void => {
    applied()
    isUnread = false
    readAt = time
  }
  const report = async (how: ReportFate): Promise<void> => {
    // Past every wait after a failure.
    time += 400_000
    processor.fate = 'refused'
    await billing.settle()
    if (isUnread || time - readAt >= 3_600_000) read()
    time += 400_000
    processor.fate = how
    const settled = billing.settle()
    if (how === 'silent') {
      await Promise.race([settled, sleep(150)])
      // Kills the process that waited for the answer.
      await releaseAllLeases(db)
    } else await settled
    if (time - readAt >= 3_600_000) read()
    processor.fate = 'taken'
  }
  const act = async (one: Step): Promise<void> => {
    switch (one.kind) {
      case 'answer':
        for (let n = 0; n < one.count; n += 1) await answer(true)
        return
      case 'die while answering':
        return await answer(false)
      case 'plan':
        processor.state.tier = one.tier
        return announce()
      case 'status':
        processor.state.status = one.status
        return announce()
      case 'resubscribe':
        // Answers in the same five seconds are indistinguishable.
        time = Math.ceil((time + 10_000) / 5_000) * 5_000
        processor.resubscribe()
        return announce()
      case 'lag':
        processor.lagMs = one.hours * 3_600_000
        return
      case 'wait':
        time += one.days * DAY_MS
        return
      case 'lose':
        if (pending.length > 0) pending.splice(one.which % pending.length, 1)
        return
      case 'deliver': {
        const event = pending[one.which % Math.max(1, pending.length)] ?? 'first'
        pending = pending.filter((id) => id !== event)
        processor.failReads = one.failReads
        const copies = Array.from({ length: one.copies }, async () =>
          billing.payments?.receiveWebhook({ rawBody: Buffer.from(event), signature: undefined }),
        )
        await Promise.all(copies)
        processor.failReads = 0
        if (known.has(event)) return
        known.add(event)
        isUnread = true
        return one.failReads === 0 ? read() : undefined
      }
      case 'report':
        return await report(one.fate)
    }
  }

  await act({ kind: 'deliver', which: 0, copies: 1, failReads: 0 })
  for (const one of steps) await act(one)

  // Despite all losses, an hour later the state matches the processor, and its meter has everything.
  pending = []
  processor.lagMs = 0
  time += 3_700_000
  await report('taken')
  // The operator resolves what was uncertain for a day by the meter.
  for (const { id, isUncertain } of await billing.overage.listWaiting(500))
    if (isUncertain) await billing.overage.resolve({ organizationId, id, arrived: processor.meter.has(id) })
  await report('taken')
  const view = await billing.subscriptions.read(organizationId)
  expect(view).toMatchObject({
    status: model.status,
    tier: model.tier,
    creditsUsed: model.used,
    overageAnswers: model.overage,
    periodStart: model.start.toISOString(),
    periodEnd: model.end.toISOString(),
  })
  const bill = new Map<string, number>()
  const starts = [...model.bill.keys()].toSorted()
  for (const { answers, servedAt } of processor.meter.values()) {
    const period = starts.findLast((start) => new Date(start) <= servedAt) ?? 'before any period'
    bill.set(period, (bill.get(period) ?? 0) + answers)
  }
  expect(new Map([...bill].toSorted())).toEqual(new Map([...model.bill].toSorted()))
  await billing.stop()
}

describe('any schedule of changes, events, answers and crashes', () => {
  it(
    'ends with the credits, state and bill of a model [PAY-21, PAY-28, PAY-31]',
    { timeout: 240_000 },
    async () => {
      await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }), play), {
        numRuns: 15,
      })
    },
  )
})
