import type { Schemas } from '../../api/client.ts'
import type { PagePath } from '../../app/navigation.ts'
import { describeSubscription } from '../billing/plan-words.ts'

/** Something to mend, and the page where that is done. */
export interface Concern {
  id: string
  title: string
  text: string
  to: PagePath
  action: string
}

/** A source that syncs is polled every quarter of an hour; after this long something is amiss. */
const STALE_MS = 24 * 60 * 60_000
const CREDITS_LOW = 0.8

/** What needs somebody, the most pressing first. `now` in epoch milliseconds. */
export function findConcerns(
  sources: readonly Schemas['Source'][],
  billing: Schemas['Billing'] | undefined,
  now: number,
): Concern[] {
  return [
    ...(billing === undefined ? [] : billingConcerns(billing)),
    ...sources.flatMap((source) => sourceConcerns(source, now)),
  ]
}

function billingConcerns(billing: Schemas['Billing']): Concern[] {
  const { word, isServed } = describeSubscription(billing.status)
  const { creditsUsed, creditsIncluded } = billing
  const concerns: Concern[] = []
  const add = (id: string, title: string, text: string, action: string): void => {
    concerns.push({ id, title, text, to: '/billing', action })
  }
  if (!isServed) add('subscription', word, 'Questions are refused until there is a plan.', 'Choose a plan')
  else if (billing.status === 'past_due')
    add(
      'payment',
      word,
      'Questions are answered meanwhile. See that the payment goes through.',
      'See billing',
    )
  else if (billing.paymentMethodMissing)
    add('card', 'No payment method', 'The plan ends with its trial unless there is one.', 'Add one')
  if (isServed && creditsIncluded !== null && creditsUsed >= creditsIncluded * CREDITS_LOW)
    add(
      'credits',
      creditsUsed >= creditsIncluded ? 'The included credits are used up' : 'Few credits are left',
      `${creditsUsed} of ${creditsIncluded} are used.`,
      'See billing',
    )
  return concerns
}

function sourceConcerns(
  { id, displayName, status, errorMessage, lastSyncedAt }: Schemas['Source'],
  now: number,
): Concern[] {
  const to = '/sources' as const
  if (status === 'error')
    return [
      {
        id,
        title: `${displayName} cannot be synced`,
        text: errorMessage ?? 'Its last run failed.',
        to,
        action: 'Look at it',
      },
    ]
  if (status === 'active' && lastSyncedAt !== null && now - Date.parse(lastSyncedAt) > STALE_MS)
    return [
      {
        id,
        title: `${displayName} is out of date`,
        text: 'It has not been synced for over a day.',
        to,
        action: 'Sync it',
      },
    ]
  return []
}
