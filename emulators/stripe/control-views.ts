import type { Controlled, Controls } from './controlled.ts'

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
      [...account.invoices.values()].map((invoice) => ({
        id: invoice.id,
        customer: invoice.customer,
        status: invoice.status,
        reason: invoice.billing_reason,
        amountDue: invoice.amount_due,
        tax: sumOf(invoice.total_taxes),
        discount: sumOf(invoice.total_discount_amounts),
        needsAuthentication: account.unauthenticated.has(invoice.id),
        lines: invoice.lines.data.map(({ description, amount, quantity }) => ({
          description,
          amount,
          quantity,
        })),
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

function sumOf(amounts: readonly { amount: number }[] | null): number {
  return (amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time * 1000).toISOString()
}
