import { NO_LEASE } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import { transact } from '../../database/retry-conflicts.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { CustomerReading, PaymentProcessor } from '../payment-processor.ts'
import { PLANS } from '../plans/plans.ts'
import { backOffMs } from '../back-off.ts'
import {
  releasePaymentLease,
  findAccount,
  lockAccount,
  acquirePaymentLease,
  type PaymentLease,
} from './accounts.ts'
import { applyReading, type Applied } from './apply-reading.ts'
import { currentOf } from './current.ts'
import { type Remarked, REMARKS } from './remarks.ts'
import type { Logger } from '../../kernel/logger.ts'

export interface RefreshDependencies {
  db: Db
  clock: Clock
  processor: PaymentProcessor
  logger: Logger
  sleep: (ms: number) => Promise<void>
  /** Called for a change that no event announced. */
  onUnannounced: () => void
}

/** The interval for polling a lease held by another process. */
const LOOK_AGAIN_MS = 25

/**
 * Reads an organization's state from the payment processor and stores it, until it includes all changes announced
 * so far. Does not throw: failures are logged and retried by `reconcile`.
 * @param waitMs how long to wait for a concurrent reader
 */
export type Refresh = (organizationId: string, waitMs: number) => Promise<void>

/** Stores the payment processor's state. One process reads at a time, so that no older reading replaces a newer one. */
export function createRefresh(deps: RefreshDependencies): Refresh {
  const { db, logger, sleep } = deps
  return async (organizationId, waitMs) => {
    try {
      const asked = await findAccount(db, organizationId)
      if (!asked) return
      for (let waited = 0; ;) {
        const held = await acquirePaymentLease(db, organizationId)
        if (held) {
          if (!(await readWithLease(deps, held))) return
        } else if (waited >= waitMs) return
        else {
          await sleep(LOOK_AGAIN_MS)
          waited += LOOK_AGAIN_MS
        }
        const now = await findAccount(db, organizationId)
        if (now && now.notices_read >= asked.notices && now.read_at !== null) return
      }
    } catch (err) {
      logger.error(
        { organizationId, err },
        'a subscription could not be compared with the payment processor; will retry',
      )
    }
  }
}

/** @returns whether a reading was stored. */
async function readWithLease(deps: RefreshDependencies, held: PaymentLease): Promise<boolean> {
  const { db, clock, logger } = deps
  const { organizationId } = held
  try {
    const applied =
      held.customerId === null ? await skip(deps, held) : await readAndApply(deps, held, held.customerId)
    if (applied) tell(deps, organizationId, applied)
    return applied !== null
  } catch (err) {
    const waitMs = backOffMs(held.attempts, err)
    logger.warn({ organizationId, err, waitMs }, 'the payment processor could not be read; will retry')
    await releasePaymentLease(db, held, { notBefore: new Date(clock.now().getTime() + waitMs), error: err })
    return false
  }
}

async function readAndApply(
  deps: RefreshDependencies,
  held: PaymentLease,
  customerId: string,
): Promise<Applied | null> {
  const { db, clock, processor, logger } = deps
  const { organizationId } = held
  const reading = await processor.readCustomer(customerId)
  const lacking = lackingMeter(reading)
  const found: Remarked[] = []
  // The change triggers a Stripe event, whose reading will include it.
  if (lacking !== undefined)
    await processor.addMeter(lacking).catch((err: unknown) => {
      found.push({ remark: 'extra_answers_missing', fields: { subscriptions: [lacking] } })
      logger.error(
        { organizationId, err },
        'a subscription lacks the price of extra answers, which could not be added',
      )
    })
  return await transact(db, (tx) => applyReading(tx, held, reading, { now: clock.now(), found }))
}

/** The current subscription, if its plan is metered but it lacks the price of extra answers. */
function lackingMeter(reading: CustomerReading): string | undefined {
  const current = currentOf(reading, null)
  if (!current?.isLive || current.hasMeter || current.tier === null) return undefined
  return PLANS[current.tier].overCap === 'metered' ? current.id : undefined
}

/** Without a customer there is nothing to read. */
async function skip({ db, clock }: RefreshDependencies, held: PaymentLease): Promise<Applied | null> {
  return await transact(db, async (tx) => {
    if (!(await lockAccount(tx, held))) return null
    await tx
      .updateTable('payment_accounts')
      .set({ notices_read: held.notices, read_at: clock.now(), ...NO_LEASE })
      .where('organization_id', '=', held.organizationId)
      .execute()
    return { before: null, after: null, isAnnounced: true, remarks: [] }
  })
}

/** The audit trail names a person or a key, so it cannot record a change that no member made. */
function tell(
  { logger, onUnannounced }: RefreshDependencies,
  organizationId: string,
  { before, after, isAnnounced, remarks }: Applied,
): void {
  if (after) {
    const fields = { organizationId, before, after }
    logger.info(fields, 'a subscription was updated from the payment processor')
    if (!isAnnounced) {
      onUnannounced()
      logger.warn(
        { organizationId },
        'no event announced the change; if this happens often, check the webhook endpoint at the payment processor',
      )
    }
  }
  for (const { remark, fields } of remarks)
    logger.warn({ organizationId, remark, ...fields }, REMARKS[remark])
}
