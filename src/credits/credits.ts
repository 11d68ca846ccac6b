import { recordRetrievals, retrievalValues } from '../audit/index.ts'
import { stateAt, type SubscriptionRow, type SubscriptionState } from '../billing/index.ts'
import type { Db } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { countUse, useValues } from '../daily-usage/index.ts'
import type { CreditReservation, CreditUse } from '../http/gates.ts'
import { MINUTE_MS } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { unavailable } from '../kernel/unavailable.ts'
import { countInBatches, type Ledger } from './counted-credits.ts'
import { startPeriod, subscriptionRequired } from './period.ts'

/** How long a reservation outlives its request; well over the longest request. */
export const RESERVATION_MINUTES = 5
/** How long a read of the subscription is valid. It is read again for a request whose body arrives slowly. */
const LOOK_MS = 1_000
const RETRY_AFTER_SECONDS = 5

export interface Credits {
  /**
   * Takes a credit for a request. Under a hard cap it is reserved first, so that requests in flight cannot exceed the
   * cap. Without a cap it is counted when the request succeeds, and a failed one never appears. The statement that
   * settles the charge also counts it on its day and writes the audit event.
   * @throws AppError `subscription_required`; `quota_exceeded` with `creditsUsed`, `creditsIncluded`, `resetAt`
   */
  reserve(use: CreditUse, requestId: string): Promise<CreditReservation>
  /** Refunds expired reservations, whose processes died. Returns how many. */
  refundExpired(now: Date): Promise<number>
}

/** Exact over all instances on one database. */
export function createCredits({ db, clock }: Ledger): Credits {
  const holdCounted = countInBatches({ db, clock })
  return {
    async reserve(use, requestId) {
      const { organizationId } = use.caller
      const now = clock.now()
      if (use.uncappedAt !== null && now.getTime() - use.uncappedAt.getTime() <= LOOK_MS)
        return holdCounted(use)
      let row = await take(db, organizationId, requestId, now)
      if (row?.retrieves && stateAt(row, now).over) {
        await startPeriod(db, organizationId, stateAt(row, now), now)
        row = await take(db, organizationId, requestId, now)
      }
      if (row?.held) return reservedCredit({ db, clock }, use, requestId)
      if (!row?.retrieves) throw subscriptionRequired(row)
      if (row.blocks_over_cap && row.credit_limit !== null) throw quotaExceeded(stateAt(row, now))
      return holdCounted(use)
    },
    refundExpired: (now) => refundExpired(db, now),
  }
}

// The update reads the row as it is under its lock, whatever the statement's snapshot. The last select reads the
// snapshot, which is recent enough to explain why nothing was held.
const takeCredit = prepare<SubscriptionRow & { held: boolean }>(`
  with held as (
    update subscriptions set credits_used = credits_used + 1
    where organization_id = $1 and period_ends_at > $2
      and retrieves and blocks_over_cap and credits_used < credit_limit
    returning organization_id, period_started_at
  ), reserved as (
    insert into credit_reservations (organization_id, id, period_started_at, expires_at)
    select organization_id, $3, period_started_at, $4 from held
  )
  select status, tier, credits_used, overage_answers, period_anchor, period_started_at, period_ends_at,
    retrieves, credit_limit, blocks_over_cap, exists (select from held) as held
  from subscriptions where organization_id = $1`)

/** Reserves a credit under a hard cap, if one is left, and returns the subscription. */
async function take(
  db: Db,
  organizationId: string,
  requestId: string,
  now: Date,
): Promise<(SubscriptionRow & { held: boolean }) | undefined> {
  const expiresAt = new Date(now.getTime() + RESERVATION_MINUTES * MINUTE_MS)
  const { rows } = await takeCredit(db, [organizationId, now, requestId, expiresAt])
  return rows[0]
}

const endReservation = prepare(`
  with charged as (
    delete from credit_reservations where organization_id = $1 and id = $2
    returning organization_id, period_started_at
  ), used as (${countUse('charged', 3)}
  ), recorded as (${recordRetrievals('charged', 9)}
  )
  select organization_id from charged`)

const giveBack = prepare(`
  with released as (
    delete from credit_reservations where organization_id = $1 and id = $2
    returning organization_id, period_started_at
  )
  update subscriptions s set credits_used = s.credits_used - 1
  from released
  where s.organization_id = released.organization_id and s.period_started_at = released.period_started_at`)

/** The statement that deletes the reservation decides whether the credit is charged or refunded. */
function reservedCredit({ db, clock }: Ledger, use: CreditUse, requestId: string): CreditReservation {
  const { organizationId } = use.caller
  return {
    async settle(retrieved) {
      const at = clock.now()
      const values = [
        organizationId,
        requestId,
        ...useValues(use, at),
        ...retrievalValues(use, [retrieved], at),
      ]
      const { rows } = await endReservation(db, values)
      if (rows.length === 0) throw reservationExpired()
    },
    async refund() {
      await giveBack(db, [organizationId, requestId])
    },
  }
}

const findExpired = prepare<{ organization_id: string }>(
  `select distinct organization_id from credit_reservations where expires_at <= $1`,
)

const giveBackExpired = prepare<{ refunded: number }>(`
  with expired as (
    select organization_id, id from credit_reservations
    where organization_id = $1 and expires_at <= $2
    for update skip locked
  ), released as (
    delete from credit_reservations r using expired
    where r.organization_id = expired.organization_id and r.id = expired.id
    returning r.organization_id, r.period_started_at
  ), given_back as (
    update subscriptions s set credits_used = s.credits_used - counted.credits
    from (
      select organization_id, period_started_at, count(*)::int as credits from released group by 1, 2
    ) counted
    where s.organization_id = counted.organization_id and s.period_started_at = counted.period_started_at
  )
  select count(*)::int as refunded from released`)

/** One organization per statement, so that two processes never each hold a subscription that the other waits for. */
async function refundExpired(db: Db, now: Date): Promise<number> {
  const organizations = await findExpired(db, [now])
  let total = 0
  for (const { organization_id } of organizations.rows) {
    const { rows } = await giveBackExpired(db, [organization_id, now])
    total += rows[0]?.refunded ?? 0
  }
  return total
}

function quotaExceeded({ used, included, end }: SubscriptionState): AppError {
  // The snapshot can be older than the refusal; other requests then took the rest.
  const creditsUsed = Math.max(used, included ?? 0)
  const resetAt = end.toISOString()
  return new AppError(
    'quota_exceeded',
    `All ${included ?? 0} credits of this period are used; upgrade, or wait until ${resetAt}`,
    { details: { creditsUsed, creditsIncluded: included, resetAt } },
  )
}

function reservationExpired(): AppError {
  const message = `The request took over ${RESERVATION_MINUTES} minutes and its credit was returned`
  return unavailable('overloaded', message, RETRY_AFTER_SECONDS)
}
