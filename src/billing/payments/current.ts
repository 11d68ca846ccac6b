import type { CustomerReading, SubscriptionReading } from '../payment-processor.ts'

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

/** The subscription of an organization. */
export type Current = SubscriptionReading & { isLive: boolean }

/**
 * The subscription that counts: the best, and among equals the newest with a known price. One with an unknown price
 * counts only if it was the organization's before, so that a price change does not grant service forever.
 * @param mirroredId the subscription last read as the organization's; null: none
 */
export function currentOf(
  { subscriptions }: CustomerReading,
  mirroredId: string | null,
): Current | undefined {
  const [best] = subscriptions
    .filter((one) => !isUnknown(one) || one.id === mirroredId)
    .toSorted((a, b) => RANKS[a.status] - RANKS[b.status] || Number(isUnknown(a)) - Number(isUnknown(b)))
  return best && { ...best, isLive: isLive(best) }
}

/** Whether its price belongs to no tier. */
function isUnknown({ tier }: SubscriptionReading): boolean {
  return tier === null
}

/** Whether there is something to manage or to pay. */
export function isLive({ status }: WithStatus): boolean {
  return RANKS[status] <= LIVE_RANK_MAX
}

/** Whether a subscription has ended for good: no payment can revive it, and it is never charged again. */
export function isOver({ status }: WithStatus): boolean {
  return RANKS[status] === OVER_RANK
}
