import { CompiledQuery } from 'kysely'
import type { Db, Tx } from '../database/database.ts'
import type { SubscriptionStatus, Tier } from '../database/schema.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { periodAt } from './period.ts'
import { stateAt, SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscription-state.ts'

export interface SubscriptionView {
  status: SubscriptionStatus
  tier: Tier | null
  /** Credits taken in the current period, those of requests in flight included. */
  creditsUsed: number
  /** null: unlimited. */
  creditsIncluded: number | null
  /** Never below 0, over the cap of a metered tier either; null: unlimited. */
  creditsRemaining: number | null
  periodStart: string
  periodEnd: string
}

export interface NewSubscription {
  status: SubscriptionStatus
  tier: Tier | null
  /** Credits of a period; null: the tier's own number. */
  creditsIncluded: number | null
}

export interface Subscriptions {
  /** The subscription as it is now; undefined for a workspace that has none. */
  read(organizationId: string): Promise<SubscriptionView | undefined>
  /**
   * Sets status, tier and credits, which hold from the very next request; the running period and what was used of it
   * stay as they are.
   * @throws AppError `not_found` when there is no such organization.
   */
  put(organizationId: string, subscription: NewSubscription): Promise<SubscriptionView>
}

/** Reads and sets what a workspace's plan is. */
export function createSubscriptions({ db, clock }: { db: Db; clock: Clock }): Subscriptions {
  const read = async (on: Db, organizationId: string): Promise<SubscriptionView | undefined> => {
    const { rows } = await on.executeQuery<SubscriptionRow>(CompiledQuery.raw(READ, [organizationId]))
    return rows[0] && toSubscriptionView(rows[0], clock.now())
  }
  return {
    read: (organizationId) => read(db, organizationId),
    put: (organizationId, subscription) =>
      db.transaction().execute(async (tx) => {
        await putSubscription(tx, organizationId, subscription, clock.now())
        const view = await read(tx, organizationId)
        if (!view) throw new Error('the subscription that was just written is not there')
        return view
      }),
  }
}

const READ = `select ${SUBSCRIPTION_COLUMNS} from subscriptions where organization_id = $1`

/**
 * Writes a workspace's subscription; a new one begins its first period, of one month in UTC, at `at`.
 * @throws AppError `not_found` when there is no such organization.
 */
export async function putSubscription(
  tx: Tx,
  organizationId: string,
  { status, tier, creditsIncluded }: NewSubscription,
  at: Date,
): Promise<void> {
  const organization = await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .executeTakeFirst()
  if (!organization) throw new AppError('not_found', 'There is no such organization')
  const settings = { status, tier, credits_included: creditsIncluded, updated_at: at }
  await tx
    .insertInto('subscriptions')
    .values({
      ...settings,
      organization_id: organizationId,
      period_anchor: at,
      period_started_at: at,
      period_ends_at: periodAt(at, at).end,
    })
    .onConflict((conflict) => conflict.column('organization_id').doUpdateSet(settings))
    .execute()
}

/** A subscription as the API shows it at `now`. */
export function toSubscriptionView(row: SubscriptionRow, now: Date): SubscriptionView {
  const { used, included, start, end } = stateAt(row, now)
  return {
    status: row.status,
    tier: row.tier,
    creditsUsed: used,
    creditsIncluded: included,
    creditsRemaining: included === null ? null : Math.max(0, included - used),
    periodStart: start.toISOString(),
    periodEnd: end.toISOString(),
  }
}
