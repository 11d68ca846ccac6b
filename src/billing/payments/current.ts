import type { CustomerReading, SubscriptionReading } from '../payment-processor.ts'
import type { SoldTier } from '../plans/plans.ts'

/** Best first: among several subscriptions the one that allows retrieval counts. */
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

type WithStatus = Pick<SubscriptionReading, 'status'>

/** The subscription of an organization; its tier is null when its price is unknown. */
export type Current = Omit<SubscriptionReading, 'tier'> & { tier: SoldTier | null; isLive: boolean }

/**
 * The subscription that counts: the best, and among equals the newest. One with an unknown price counts only if it
 * was the organization's before, so that a price change does not grant service forever.
 * @param mirroredId the subscription last read as the organization's; null: none
 */
export function currentOf(reading: CustomerReading, mirroredId: string | null): Current | undefined {
  const followed = reading.unknown.find(({ id }) => id === mirroredId)
  const candidates = [...reading.subscriptions, ...(followed ? [{ ...followed, tier: null }] : [])]
  const [best] = candidates.toSorted((a, b) => RANKS[a.status] - RANKS[b.status])
  return best && { ...best, isLive: isLive(best) }
}

/** Whether there is something to manage or to pay. */
export function isLive({ status }: WithStatus): boolean {
  return RANKS[status] <= LIVE_RANK_MAX
}

/** Whether a subscription has ended for good: no payment can revive it, and it is never charged again. */
export function isOver({ status }: WithStatus): boolean {
  return RANKS[status] === OVER_RANK
}
