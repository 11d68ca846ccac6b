import type Stripe from 'stripe'
import type { Account, Price, Subscription, SubscriptionItem } from './account.ts'
import { amountOf } from './catalog.ts'
import { newLine } from './invoice-shape.ts'
import { planOf } from './subscription-shape.ts'

/** The end of the paid period: the plan's, not that of metered items. */
export function periodEnd(subscription: Subscription): number {
  const plan = planItem(subscription)
  return plan?.current_period_end ?? subscription.start_date
}

/** The plan's item, which is charged in advance. */
export function planItem(subscription: Subscription): SubscriptionItem | undefined {
  const items = subscription.items.data
  return items.find(({ price }) => !isMetered(price)) ?? items[0]
}

/** The price scheduled for the period's end, if any. */
export function plannedPrice(account: Account, subscription: Subscription): Price | undefined {
  const planned = account.schedules.get(subscription.schedule ?? '')?.phases[1]?.items[0]?.price
  return typeof planned === 'string' ? account.prices.get(planned) : undefined
}

export function periodLine(
  account: Account,
  subscription: Subscription,
  item: SubscriptionItem,
  isFree: boolean,
): Stripe.InvoiceLineItem {
  const { price } = item
  const quantity = isMetered(price) ? 0 : (item.quantity ?? 1)
  const name = account.products.get(price.product)?.name ?? price.product
  return newLine(account, {
    subscription,
    item,
    price,
    amount: isFree ? 0 : amountOf(price, quantity),
    quantity,
    description: isFree ? `Trial period for ${name}` : isMetered(price) ? name : `${quantity} × ${name}`,
    period: { start: item.current_period_start, end: item.current_period_end },
    proration: false,
  })
}

/** Whether a meter determines a price's charge. */
export function isMetered(price: Price): boolean {
  return price.recurring.usage_type === 'metered'
}

export function setPrice(item: SubscriptionItem, price: Price): void {
  item.price = price
  item.plan = planOf(price)
}

export function setPeriod(item: SubscriptionItem, period: { start: number; end: number }): void {
  item.current_period_start = period.start
  item.current_period_end = period.end
}
