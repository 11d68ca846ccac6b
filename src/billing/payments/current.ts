import type { CustomerReading, SubscriptionReading } from '../payment-processor.ts'
import type { SoldTier } from '../plans/plans.ts'

/** Best first: of several subscriptions the one that lets the organization retrieve is theirs. */
const RANKS: Record<SubscriptionReading['status'], number> = {
  active: 0,
  trialing: 0,
  past_due: 1,
  unpaid: 2,
  paused: 2,
  incomplete: 3,
  canceled: 4,
  incomplete_expired: 4,
}
const LIVE_RANK_MAX = 2
const OVER_RANK = 4

type Standing = Pick<SubscriptionReading, 'status'>

/** The subscription of an organization; its tier is null where its price is one that this service does not know. */
export type Current = Omit<SubscriptionReading, 'tier'> & { tier: SoldTier | null; isLive: boolean }

/**
 * The subscription that counts: the best, and of equals the newest. One of an unknown price counts where the organization has had it
 * with a price that was known: so it is not served for ever when that changes.
 * @param mirroredId the subscription that was last read as the organization's; null: none
 */
export function currentOf(reading: CustomerReading, mirroredId: string | null): Current | undefined {
  const followed = reading.unknown.find(({ id }) => id === mirroredId)
  const candidates = [...reading.subscriptions, ...(followed ? [{ ...followed, tier: null }] : [])]
  const [best] = candidates.toSorted((a, b) => RANKS[a.status] - RANKS[b.status])
  return best && { ...best, isLive: isLive(best) }
}

/** Whether there is something to manage or to pay. */
export function isLive({ status }: Standing): boolean {
  return RANKS[status] <= LIVE_RANK_MAX
}

/** Whether a subscription is over for good: nothing is charged for it any more, whatever is paid or done. */
export function isOver({ status }: Standing): boolean {
  return RANKS[status] === OVER_RANK
}
