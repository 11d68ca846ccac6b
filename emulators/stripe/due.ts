import type { Account } from './account.ts'
import { DAY, HOUR } from './clock.ts'
import { expireSession } from './checkout.ts'
import { attemptPayment, finalise } from './invoices.ts'
import { renew } from './subscriptions.ts'
import { expireIncomplete } from './subscription-status.ts'

const INCOMPLETE_SECONDS = 23 * HOUR
const TRIAL_NOTICE_SECONDS = 3 * DAY

interface Due {
  at: number
  run: () => void
}

/** Runs everything that is due, in the order of its times. */
export function settle(account: Account): void {
  const until = account.clock.now()
  for (let due = nextDue(account); due !== null && due.at <= until; due = nextDue(account)) {
    account.clock.asOf(due.at, due.run)
  }
}

/** When the next automatic event happens; null: none is scheduled. */
export function nextDueAt(account: Account): number | null {
  return nextDue(account)?.at ?? null
}

/** Invoices come before renewals at the same time, so that a payment is requested before the next begins. */
function nextDue(account: Account): Due | null {
  let next: Due | null = null
  for (const due of allDue(account)) if (next === null || due.at < next.at) next = due
  return next
}

function* allDue(account: Account): Generator<Due> {
  for (const invoice of account.invoices.values()) {
    if (invoice.status === 'draft' && invoice.automatically_finalizes_at !== null)
      yield { at: invoice.automatically_finalizes_at, run: () => finalise(account, invoice) }
    if (invoice.status === 'open' && invoice.next_payment_attempt !== null)
      yield { at: invoice.next_payment_attempt, run: () => attemptPayment(account, invoice) }
  }
  for (const subscription of account.subscriptions.values()) {
    switch (subscription.status) {
      case 'incomplete':
        yield {
          at: subscription.created + INCOMPLETE_SECONDS,
          run: () => expireIncomplete(account, subscription),
        }
        break
      case 'trialing':
      case 'active':
      case 'past_due':
      case 'unpaid': {
        const { trial_end, items, id } = subscription
        if (subscription.status === 'trialing' && trial_end !== null && !account.announcedTrials.has(id))
          yield {
            at: Math.max(subscription.created, trial_end - TRIAL_NOTICE_SECONDS),
            run: () => {
              account.announcedTrials.add(id)
              account.emit('customer.subscription.trial_will_end', subscription)
            },
          }
        const ends = items.data.map((item) => item.current_period_end)
        if (ends.length > 0) yield { at: Math.min(...ends), run: () => renew(account, subscription) }
        break
      }
      case 'canceled':
      case 'incomplete_expired':
      case 'paused':
    }
  }
  for (const session of account.checkoutSessions.values()) {
    if (session.status === 'open')
      yield { at: session.expires_at, run: () => expireSession(account, session) }
  }
}
