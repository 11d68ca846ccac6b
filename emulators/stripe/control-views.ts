import type { Controlled, Controls } from './controlled.ts'

/** What there is in the account, told shortly. */
export function viewControl({ account, meters }: Controlled): Controls {
  return {
    customers: () =>
      [...account.customers.values()].map(({ id, email, metadata }) => ({ id, email, metadata })),
    subscriptions: () =>
      [...account.subscriptions.values()].map(({ id, customer, status, items, cancel_at, trial_end }) => ({
        id,
        customer,
        status,
        items: items.data.map(({ price, current_period_start, current_period_end }) => ({
          price: price.lookup_key ?? price.id,
          from: isoOf(current_period_start),
          until: isoOf(current_period_end),
        })),
        cancelAt: isoOf(cancel_at),
        trialEnd: isoOf(trial_end),
      })),
    invoices: () =>
      [...account.invoices.values()].map(({ id, customer, status, billing_reason, amount_due, lines }) => ({
        id,
        customer,
        status,
        reason: billing_reason,
        amountDue: amount_due,
        lines: lines.data.map(({ description, amount, quantity }) => ({ description, amount, quantity })),
      })),
    meters: () => meters.totals(),
    sessions: () =>
      [...account.checkoutSessions.values()].map(({ id, status, url, subscription }) => ({
        id,
        status,
        url,
        subscription,
      })),
  }
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time * 1000).toISOString()
}
