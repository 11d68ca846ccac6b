import {
  type CustomerReading,
  type PaymentProcessor,
  ProcessorFailure,
  type ProcessorEvent,
  type SubscriptionReading,
} from '../../src/billing/payment-processor.ts'
import type { SoldTier } from '../../src/billing/plans/plans.ts'
import { periodAt } from '../../src/billing/subscriptions/period.ts'

/** What happens to the next report: `lost` arrives without an answer, `silent` arrives and is never answered. */
export type ReportFate = 'taken' | 'lost' | 'dropped' | 'refused' | 'silent'

/** An in-memory payment processor with one customer, for schedules of events and failures. */
export interface ModelProcessor extends PaymentProcessor {
  /** Its current answer. */
  readonly state: { status: SubscriptionReading['status']; tier: SoldTier; id: string }
  /** Its current period. */
  period(): { start: Date; end: Date }
  /** The period it will reach, however late it is. */
  truePeriod(): { start: Date; end: Date }
  /** Starts a new subscription. */
  resubscribe(): void
  /** How late it begins its periods. */
  lagMs: number
  fate: ReportFate
  /** How many readings fail before one succeeds. */
  failReads: number
  /** Answers by their report's identifier, with the time they were served. */
  readonly meter: ReadonlyMap<string, { answers: number; servedAt: Date }>
}

const NOT_ASKED = (): never => {
  throw new Error('no schedule asks for this')
}

/** @param delay how long a reading takes after it has read the state */
export function createModelProcessor(given: {
  customerId: string
  now: () => Date
  delay: () => Promise<void>
}): ModelProcessor {
  const { now, delay } = given
  const meter = new Map<string, { answers: number; servedAt: Date }>()
  let anchor = now()
  let subscriptions = 1
  const state: ModelProcessor['state'] = { status: 'active', tier: 'studio', id: 'sub_1' }
  const period = () =>
    periodAt(anchor, new Date(Math.max(anchor.getTime(), now().getTime() - processor.lagMs)))
  const reading = (): CustomerReading => ({
    subscriptions: [
      {
        ...state,
        interval: 'monthly',
        periodStart: period().start,
        periodEnd: period().end,
        isYear: false,
        trialEndsAt: null,
        cancelAtPeriodEnd: false,
        planned: null,
        paymentMethodMissing: false,
        hasMeter: true,
        remarks: [],
        createdAt: anchor,
      },
    ],
    lastCheckout: null,
    isDeleted: false,
  })
  const processor: ModelProcessor = {
    state,
    period,
    truePeriod: () => periodAt(anchor, now()),
    resubscribe() {
      anchor = now()
      subscriptions += 1
      state.id = `sub_${subscriptions}`
      state.status = 'active'
    },
    lagMs: 0,
    fate: 'taken',
    failReads: 0,
    meter,
    async readCustomer() {
      const told = reading()
      await delay()
      if (processor.failReads > 0) {
        processor.failReads -= 1
        throw new ProcessorFailure('unavailable', 'not now')
      }
      return told
    },
    async reportAnswers({ identifier, customerId, answers, servedAt }) {
      // It belongs to another schedule, which has ended.
      if (customerId !== given.customerId) return
      const { fate } = processor
      if (fate === 'refused') throw new ProcessorFailure('rate_limited', 'not now')
      if (fate !== 'dropped' && !meter.has(identifier)) meter.set(identifier, { answers, servedAt })
      if (fate === 'lost' || fate === 'dropped') throw new ProcessorFailure('unavailable', 'no answer')
      if (fate === 'silent') await new Promise(() => {})
    },
    readEvent: (rawBody): ProcessorEvent => ({
      id: rawBody.toString('utf8'),
      type: 'customer.subscription.updated',
      customerId: given.customerId,
      organizationId: null,
    }),
    createCustomer: NOT_ASKED,
    listOpenCheckouts: NOT_ASKED,
    openCheckout: NOT_ASKED,
    expireCheckout: NOT_ASKED,
    openPortal: NOT_ASKED,
    addMeter: NOT_ASKED,
    listInvoices: NOT_ASKED,
  }
  return processor
}
