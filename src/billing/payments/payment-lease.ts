import { LeaseLost, renewLease } from '../../background/index.ts'
import type { Db } from '../../database/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { AppError } from '../../kernel/errors.ts'
import { unavailable } from '../../kernel/unavailable.ts'
import { toUpstreamError } from '../payment-processor.ts'
import {
  ensureAccount,
  LEASE_SECONDS,
  releasePaymentLease,
  acquirePaymentLease,
  type PaymentLease,
} from './accounts.ts'

export interface PaymentLeaseDependencies {
  db: Db
  clock: Clock
  sleep: (ms: number) => Promise<void>
}

const LEASE_WAIT_MS = 15_000
const LOOK_AGAIN_MS = 50

/**
 * Runs `run` while holding the organization's payment lease, outside transactions.
 * @throws AppError `overloaded`, `upstream_error`
 */
export async function withPaymentLease<T>(
  deps: PaymentLeaseDependencies,
  organizationId: string,
  run: (held: PaymentLease) => Promise<T>,
): Promise<T> {
  const { db, clock, sleep } = deps
  await ensureAccount(db, organizationId, clock.now())
  let held = await acquirePaymentLease(db, organizationId)
  for (let waited = 0; !held; waited += LOOK_AGAIN_MS) {
    if (waited >= LEASE_WAIT_MS) throw busy()
    await sleep(LOOK_AGAIN_MS)
    held = await acquirePaymentLease(db, organizationId)
  }
  try {
    return await run(held)
  } catch (error) {
    throw toUpstreamError(error)
  } finally {
    await releasePaymentLease(db, held, null)
  }
}

/** Renews the lease before an act that must not happen twice. @throws AppError `overloaded` */
export async function keepPaymentLease(db: Db, held: PaymentLease): Promise<void> {
  try {
    await renewLease(db, held.lease, { seconds: LEASE_SECONDS })
  } catch (error) {
    throw error instanceof LeaseLost ? busy() : error
  }
}

function busy(): AppError {
  return unavailable('overloaded', 'Another billing change is in progress in this workspace', 5)
}
