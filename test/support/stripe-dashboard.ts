import type { Stripe } from 'stripe'
import type { Subscription } from '../../emulators/stripe/account.ts'
import { clientOf } from '../../emulators/stripe/testing.ts'
import type { PaidService, PaidWorkspace, SoldTier } from './paid-service.ts'

/**
 * The operator's tools: the payment processor's dashboard, for manual changes, and the service's operator surface.
 */
export interface StripeDashboard {
  /** Stripe's API, as its dashboard calls it. */
  stripe: Stripe
  /** A workspace that has paid for its first month, with its customer's id at Stripe. */
  customer(tier: SoldTier, interval?: 'monthly' | 'annual'): Promise<{ workspace: PaidWorkspace; id: string }>
  /** A customer's newest subscription at Stripe. */
  subscriptionOf(customerId: string): Subscription
  itemOf(customerId: string, lookupKey: string): string
  /** The lookup keys of its items. */
  keysOf(customerId: string): (string | null)[]
  /** Changes the subscription manually; resolves once the events have been answered. */
  change(customerId: string, params: Stripe.SubscriptionUpdateParams): Promise<void>
  priceOf(lookupKey: string): Promise<string>
  /** A price that the service does not sell. */
  newPrice(cents: number): Promise<string>
  /** Runs a workspace's hourly comparison. */
  compare(workspace: PaidWorkspace): Promise<void>
  /** The remarks about a workspace that the operator sees; undefined without any. */
  shown(workspace: PaidWorkspace): Promise<Remarked | undefined>
  remarksOn(workspace: PaidWorkspace): Promise<string[]>
}

interface Remarked {
  organizationId: string
  remarks: { remark: string }[]
}

export function openDashboard(paid: PaidService): StripeDashboard {
  const stripe = clientOf(paid.stripe)
  let people = 0
  const subscriptionOf = (customerId: string): Subscription => {
    const all = [...paid.stripe.account.subscriptions.values()]
    const found = all.findLast((one) => one.customer === customerId)
    if (!found) throw new Error('it was bought')
    return found
  }
  const shown = async ({ id }: PaidWorkspace): Promise<Remarked | undefined> => {
    const { body } = await paid.operate('GET', '/operator/payments')
    const organizations: Remarked[] = body.organizations
    return organizations.find(({ organizationId }) => organizationId === id)
  }
  return {
    stripe,
    subscriptionOf,
    shown,
    async customer(tier, interval = 'monthly') {
      const workspace = await paid.customer(`customer-${(people += 1)}`)
      await workspace.buy(tier, { interval })
      await paid.advance({ days: 8 })
      return { workspace, id: await workspace.customerId() }
    },
    itemOf(customerId, lookupKey) {
      const { data } = subscriptionOf(customerId).items
      const item = data.find(({ price }) => price.lookup_key === lookupKey)
      if (!item) throw new Error(`the subscription has no ${lookupKey}`)
      return item.id
    },
    keysOf: (customerId) => subscriptionOf(customerId).items.data.map(({ price }) => price.lookup_key),
    async change(customerId, params) {
      await stripe.subscriptions.update(subscriptionOf(customerId).id, params)
      await paid.stripe.eventsSent()
    },
    async priceOf(lookupKey) {
      const [price] = (await stripe.prices.list({ lookup_keys: [lookupKey] })).data
      if (!price) throw new Error(`${lookupKey} is on sale`)
      return price.id
    },
    async newPrice(cents) {
      const { id } = await stripe.prices.create({
        currency: 'usd',
        product_data: { name: 'By hand' },
        recurring: { interval: 'month' },
        unit_amount: cents,
      })
      return id
    },
    async compare({ id }) {
      await paid.service.database.db
        .updateTable('payment_accounts')
        .set({ read_at: new Date(Date.now() - 3_600_000), not_before: null })
        .where('organization_id', '=', id)
        .execute()
      await paid.service.app.settleBilling()
    },
    remarksOn: async (workspace) => (await shown(workspace))?.remarks.map(({ remark }) => remark) ?? [],
  }
}
