import type { Schemas } from '../../api/client.ts'
import type { Tone } from '../../ui/status.tsx'

type Status = Schemas['Billing']['status']

const STATES: Record<Status, { tone: Tone; word: string; isServed: boolean }> = {
  internal: { tone: 'good', word: 'Everything included', isServed: true },
  active: { tone: 'good', word: 'Active', isServed: true },
  trialing: { tone: 'good', word: 'On trial', isServed: true },
  past_due: { tone: 'waiting', word: 'Payment overdue', isServed: true },
  unpaid: { tone: 'bad', word: 'Unpaid', isServed: false },
  canceled: { tone: 'bad', word: 'Canceled', isServed: false },
  incomplete: { tone: 'bad', word: 'No plan yet', isServed: false },
  incomplete_expired: { tone: 'bad', word: 'Payment never completed', isServed: false },
  paused: { tone: 'off', word: 'Paused', isServed: false },
}

/** A subscription's state and tone. `isServed`: the service answers questions in that state. */
export function describeSubscription(status: Status): { tone: Tone; word: string; isServed: boolean } {
  return STATES[status]
}

export function planName(tier: Schemas['Billing']['tier']): string {
  return tier === null ? 'No plan' : tier.slice(0, 1).toUpperCase() + tier.slice(1)
}
