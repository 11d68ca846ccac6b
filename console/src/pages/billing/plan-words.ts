import type { Schemas } from '../../api/client.ts'
import type { Tone } from '../../ui/status.tsx'

type Billing = Schemas['Billing']
type Status = Billing['status']

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

/** Whether the payment processor has a subscription: the user changes it in the portal instead of buying again. */
export function isSubscribed({ status }: Pick<Billing, 'status'>): boolean {
  return ['trialing', 'active', 'past_due', 'unpaid', 'paused'].includes(status)
}

/** The notice about a payment that did not go through; null without one. */
export function paymentFault({
  status,
  tier,
  paymentMethodMissing,
}: Pick<Billing, 'status' | 'tier' | 'paymentMethodMissing'>): { title: string; text: string } | null {
  if (status === 'past_due')
    return {
      title: 'The last payment failed',
      text: 'Retrieval still works. Check the card, or open the invoice and confirm the payment if your bank asks for it.',
    }
  // Without a tier, nobody has chosen a plan yet.
  if (status === 'incomplete' && tier !== null)
    return {
      title: 'The first payment is not complete',
      text: 'Choose the plan again and finish the payment. Your bank may ask you to confirm it.',
    }
  if (status === 'unpaid')
    return {
      title: 'The plan is unpaid',
      text: 'Retrieval is refused until the open invoice is paid.',
    }
  if (isSubscribed({ status }) && paymentMethodMissing)
    return { title: 'There is no payment method', text: 'The next payment will fail without one.' }
  return null
}
