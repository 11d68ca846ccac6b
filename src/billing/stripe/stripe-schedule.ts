import type { Stripe } from 'stripe'
import type { PlannedChange, SoldPlan } from '../payment-processor.ts'

/** The fields of a Stripe subscription that determine its next change. Times are seconds since the epoch. */
type Scheduled = Pick<Stripe.Subscription, 'cancel_at' | 'cancel_at_period_end' | 'ended_at'> & {
  schedule: string | Schedule | null
}

interface Schedule {
  status: string
  current_phase: { end_date: number } | null
  phases: readonly Phase[]
}

interface Phase {
  start_date: number
  items: readonly { price: string | { id: string } }[]
}

/** The ids of planned prices: a list of subscriptions does not include more. */
export function plannedPrices(subscriptions: readonly Pick<Scheduled, 'schedule'>[]): string[] {
  const ids = subscriptions.flatMap(({ schedule }) =>
    nextPhases(schedule).flatMap(({ items }) => items.map(({ price }) => idOf(price))),
  )
  return [...new Set(ids)]
}

/**
 * A subscription's next automatic change: its end, or the first phase with another plan. Null when that plan is not
 * among `plans` (by price id), or the subscription is over.
 * @param present its current plan; null: unknown
 */
export function plannedChange(
  { cancel_at: end, cancel_at_period_end: endsWithPeriod, ended_at: ended, schedule }: Scheduled,
  {
    present,
    periodEnd,
    plans,
  }: { present: SoldPlan | null; periodEnd: number; plans: ReadonlyMap<string, SoldPlan> },
): PlannedChange | null {
  if (ended !== null) return null
  const endsAt = end ?? (endsWithPeriod ? periodEnd : null)
  for (const { start_date: at, items } of nextPhases(schedule)) {
    if (endsAt !== null && endsAt <= at) break
    const plan = items.map(({ price }) => plans.get(idOf(price))).find((one) => one !== undefined)
    if (plan === undefined) break
    if (plan.tier !== present?.tier || plan.interval !== present.interval)
      return { at: new Date(at * 1000), plan }
  }
  return endsAt === null ? null : { at: new Date(endsAt * 1000), plan: null }
}

/** The coming phases of a schedule, in order. */
function nextPhases(schedule: Scheduled['schedule']): Phase[] {
  if (schedule === null || typeof schedule === 'string' || schedule.status !== 'active') return []
  const { current_phase: current, phases } = schedule
  if (current === null) return []
  return phases
    .filter((phase) => phase.start_date >= current.end_date)
    .toSorted((a, b) => a.start_date - b.start_date)
}

/** Stripe gives an object's ID where it was not asked to expand it. */
export function idOf(one: string | { id: string }): string {
  return typeof one === 'string' ? one : one.id
}
