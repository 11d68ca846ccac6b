import type { Stripe } from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { clientOf } from '../../emulators/stripe/testing.ts'
import { control, type PaidService, type PaidWorkspace, startPaidService } from '../support/paid-service.ts'

let paid: PaidService
/** The payment processor's dashboard: what its operator does there by hand. */
let dashboard: Stripe

beforeAll(async () => {
  paid = await startPaidService({
    environment: { ROLE: 'api', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
  })
  dashboard = clientOf(paid.stripe)
})
afterAll(() => paid.close())
afterEach(async () => {
  paid.stripe.faults.clear()
  await control(paid.stripe, 'clear-webhooks')
})

let people = 0

/** A workspace that has paid for its first month. */
async function customer(tier: 'builder' | 'studio' | 'scale', interval: 'monthly' | 'annual' = 'monthly') {
  const workspace = await paid.customer(`person-${(people += 1)}`)
  await workspace.buy(tier, { interval })
  await paid.advance({ days: 8 })
  return { workspace, id: await workspace.customerId() }
}

/** Its subscription as Stripe has it. */
function subscriptionOf(customerId: string) {
  const found = [...paid.stripe.account.subscriptions.values()].findLast((one) => one.customer === customerId)
  if (!found) throw new Error('it was bought')
  return found
}

function itemOf(customerId: string, lookupKey: string): string {
  const item = subscriptionOf(customerId).items.data.find(({ price }) => price.lookup_key === lookupKey)
  if (!item) throw new Error(`the subscription has no ${lookupKey}`)
  return item.id
}

const keysOf = (customerId: string): (string | null)[] =>
  subscriptionOf(customerId).items.data.map(({ price }) => price.lookup_key)

/** Changes the subscription by hand; resolves once the events have been answered. */
async function change(customerId: string, params: Stripe.SubscriptionUpdateParams): Promise<void> {
  await dashboard.subscriptions.update(subscriptionOf(customerId).id, params)
  await paid.stripe.eventsSent()
}

async function priceOf(lookupKey: string): Promise<string> {
  const [price] = (await dashboard.prices.list({ lookup_keys: [lookupKey] })).data
  if (!price) throw new Error(`${lookupKey} is on sale`)
  return price.id
}

/** A price that the service does not sell. */
async function newPrice(cents: string, lookupKey?: string): Promise<string> {
  const { id } = await dashboard.prices.create({
    currency: 'usd',
    product_data: { name: 'By hand' },
    recurring: { interval: 'month' },
    unit_amount: Number(cents),
    ...(lookupKey === undefined ? {} : { lookup_key: lookupKey }),
  })
  return id
}

/** The hourly comparison of a workspace. */
async function compare({ id }: PaidWorkspace): Promise<void> {
  await paid.service.database.db
    .updateTable('payment_accounts')
    .set({ read_at: new Date(Date.now() - 3_600_000), not_before: null })
    .where('organization_id', '=', id)
    .execute()
  await paid.service.app.settleBilling()
}

/** What the operator is shown of a workspace; undefined where there is nothing to look at. */
async function shown({ id }: PaidWorkspace) {
  const { body } = await paid.operate('GET', '/operator/payments')
  return body.organizations.find(({ organizationId }: { organizationId: string }) => organizationId === id)
}

async function remarksOn(workspace: PaidWorkspace): Promise<string[]> {
  return (await shown(workspace))?.remarks.map(({ remark }: { remark: string }) => remark) ?? []
}

const metric = async (name: string): Promise<number> => {
  const { text } = await paid.service.call('GET', '/metrics')
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

describe('a change by hand at the payment processor', () => {
  it('of the plan holds at once, and what was used and charged stays [PAY-36]', async () => {
    const { workspace, id } = await customer('studio')
    await workspace.useCredits(25_000)
    for (let n = 0; n < 4; n += 1) expect(await workspace.search()).toBe(200)
    await change(id, {
      items: [{ id: itemOf(id, 'studio_monthly'), price: await priceOf('builder_monthly') }],
    })
    expect(await workspace.billing()).toMatchObject({
      tier: 'builder',
      creditsUsed: 25_004,
      creditsIncluded: 5_000,
      creditsRemaining: 0,
      overageAnswers: 4,
      overageCostUsd: '0.06',
      plannedChange: null,
    })
    expect(await workspace.search()).toBe(429)
    await change(id, {
      items: [{ id: itemOf(id, 'builder_monthly'), price: await priceOf('scale_monthly') }],
    })
    expect(await workspace.billing()).toMatchObject({ tier: 'scale', creditsUsed: 25_004 })
    expect(await workspace.search()).toBe(200)
  })

  it('that ends a trial early begins the paid period, and charges no answers of the trial [PAY-35, PAY-36]', async () => {
    const workspace = await paid.customer(`person-${(people += 1)}`)
    await workspace.buy('studio')
    const id = await workspace.customerId()
    await workspace.useCredits(25_000)
    for (let n = 0; n < 3; n += 1) expect(await workspace.search()).toBe(200)
    await paid.service.app.settleBilling()
    await paid.advance({ days: 2 })
    await change(id, { trial_end: 'now' })
    await paid.advance({ hours: 2 })
    expect(await workspace.billing()).toMatchObject({
      status: 'active',
      trialEndsAt: null,
      creditsUsed: 0,
      overageAnswers: 0,
    })
    const invoices = (await dashboard.invoices.list({ customer: id })).data
    expect(invoices.map(({ amount_due }) => amount_due)).toEqual([29_900, 0])
  })

  it('that takes the price of extra answers out is undone, as often as it happens [PAY-36]', async () => {
    const { workspace, id } = await customer('builder')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'studio_monthly' })
    await paid.stripe.eventsSent()
    for (let round = 0; round < 2; round += 1) {
      expect(keysOf(id)).toEqual(['studio_monthly', 'answers_overage'])
      await change(id, { items: [{ id: itemOf(id, 'answers_overage'), deleted: true }] })
    }
    expect(keysOf(id)).toEqual(['studio_monthly', 'answers_overage'])
    expect(await remarksOn(workspace)).toEqual([])
  })

  it('that cannot be undone is shown to the operator until it can [PAY-38]', async () => {
    const { workspace, id } = await customer('studio')
    paid.stripe.faults.add({ path: '/v1/subscription_items', status: 400 })
    await change(id, { items: [{ id: itemOf(id, 'answers_overage'), deleted: true }] })
    expect(await remarksOn(workspace)).toEqual(['extra_answers_missing'])
    paid.stripe.faults.clear()
    await compare(workspace)
    expect(keysOf(id)).toContain('answers_overage')
    expect(await remarksOn(workspace)).toEqual([])
  })

  it('to a quantity, to several plans, or to another price of answers is shown to the operator [PAY-38]', async () => {
    const { workspace, id } = await customer('builder')
    expect(await remarksOn(workspace)).toEqual([])
    const before = await metric('billing_remarked_organizations')
    await change(id, { items: [{ id: itemOf(id, 'builder_monthly'), quantity: 3 }] })
    expect(await remarksOn(workspace)).toEqual(['quantity'])
    await change(id, { items: [{ price: await priceOf('studio_monthly') }] })
    expect(await remarksOn(workspace)).toEqual(['several_plans'])
    expect(await workspace.billing()).toMatchObject({ tier: 'studio' })
    expect(await metric('billing_remarked_organizations')).toBe(before + 1)
    await change(id, { items: [{ id: itemOf(id, 'builder_monthly'), deleted: true }] })
    expect(await remarksOn(workspace)).toEqual([])
    const item = subscriptionOf(id).items.data.find(({ price }) => price.lookup_key === 'answers_overage')
    if (!item) throw new Error('extra answers are charged')
    const { price } = item
    item.price = { ...price, unit_amount_decimal: '2' as never }
    await compare(workspace)
    expect(await remarksOn(workspace)).toEqual(['extra_answers_price'])
    item.price = price
    await compare(workspace)
    expect(await remarksOn(workspace)).toEqual([])
    expect(await metric('billing_remarked_organizations')).toBe(before)
  })

  it('that pauses the collection of payments stops nothing, and is shown to the operator [PAY-38]', async () => {
    const { workspace, id } = await customer('builder')
    const subscription = subscriptionOf(id)
    subscription.pause_collection = { behavior: 'void', resumes_at: null }
    await compare(workspace)
    expect(await workspace.billing()).toMatchObject({ status: 'active' })
    expect(await workspace.search()).toBe(200)
    expect(await remarksOn(workspace)).toEqual(['collection_paused'])
    subscription.pause_collection = null
    await compare(workspace)
    expect(await remarksOn(workspace)).toEqual([])
  })
})

describe('a subscription whose price the service does not know any more', () => {
  it('keeps its tier, follows its status and period, and ends [PAY-37]', async () => {
    const { workspace, id } = await customer('builder')
    await change(id, { items: [{ id: itemOf(id, 'builder_monthly'), price: await newPrice('5000') }] })
    const before = await workspace.billing()
    expect(before).toMatchObject({ status: 'active', tier: 'builder' })
    expect(await remarksOn(workspace)).toEqual(['unknown_price'])
    // There is something to manage, and nothing to buy a second time.
    const checkout = await workspace.call('POST', '/v1/console/billing/checkout', {
      tier: 'studio',
      interval: 'monthly',
    })
    expect(checkout.body.url).toContain('/portal/')
    await paid.advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({
      status: 'active',
      tier: 'builder',
      periodStart: before.periodEnd,
    })
    await dashboard.subscriptions.cancel(subscriptionOf(id).id)
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'canceled' })
    expect(await workspace.search()).toBe(402)
    expect(await remarksOn(workspace)).toEqual([])
    await workspace.buy('builder')
    expect(await workspace.billing()).toMatchObject({ status: 'active', tier: 'builder' })
  })

  it('that was never its plan changes nothing of it [PAY-20]', async () => {
    const { workspace, id } = await customer('builder')
    const before = await workspace.billing()
    const other = await dashboard.subscriptions.create({
      customer: id,
      items: [{ price: await newPrice('1000') }],
      default_payment_method: String(subscriptionOf(id).default_payment_method),
    })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toEqual(before)
    expect(await remarksOn(workspace)).toEqual(['unknown_price'])
    await dashboard.subscriptions.cancel(other.id)
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toEqual(before)
    expect(await remarksOn(workspace)).toEqual([])
  })
})

describe('a comparison', () => {
  it('ends a plan whose subscription is no longer there [PAY-37]', async () => {
    const { workspace, id } = await customer('studio')
    paid.stripe.account.subscriptions.delete(subscriptionOf(id).id)
    await compare(workspace)
    expect(await workspace.billing()).toMatchObject({ status: 'canceled', plannedChange: null })
    expect(await workspace.search()).toBe(402)
    expect(await remarksOn(workspace)).toEqual(['subscription_gone'])
    await workspace.buy('studio')
    expect(await workspace.billing()).toMatchObject({ tier: 'studio' })
    expect(await remarksOn(workspace)).toEqual([])
  })

  it('that fails leaves all as it is, and says why until it succeeds [PAY-38]', async () => {
    const { workspace, id } = await customer('builder')
    const before = await workspace.billing()
    paid.stripe.faults.add({ method: 'GET', path: '/v1/subscriptions', status: 403 })
    await compare(workspace)
    await compare(workspace)
    expect(await workspace.billing()).toEqual(before)
    expect(await shown(workspace)).toMatchObject({
      customerId: id,
      remarks: [],
      failedAttempts: 2,
      lastError: expect.stringContaining('403'),
    })
    expect(await metric('billing_unreadable_organizations')).toBe(1)
    expect(await metric('billing_comparison_age_seconds')).toBeGreaterThan(3_500)
    paid.stripe.faults.clear()
    await compare(workspace)
    expect(await shown(workspace)).toBeUndefined()
    expect(await metric('billing_unreadable_organizations')).toBe(0)
  })

  it('counts what no event had announced, and nothing else [PAY-38]', async () => {
    const { workspace, id } = await customer('builder')
    const before = await metric('billing_unannounced_changes_total')
    await control(paid.stripe, 'cancel', { customer: id })
    await paid.stripe.eventsSent()
    await compare(workspace)
    // A month of an annual plan begins without an event of Stripe's.
    const annual = await customer('builder', 'annual')
    const { periodStart } = await annual.workspace.billing()
    await paid.service.database.db
      .updateTable('subscriptions')
      .set({ period_started_at: new Date('2020-01-01'), credits_used: 7 })
      .where('organization_id', '=', annual.workspace.id)
      .execute()
    await compare(annual.workspace)
    expect(await annual.workspace.billing()).toMatchObject({ periodStart, creditsUsed: 0 })
    expect(await metric('billing_unannounced_changes_total')).toBe(before)
    await control(paid.stripe, 'webhooks', { lose: 1_000 })
    await control(paid.stripe, 'cancel', { customer: id, cancel: false })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ cancelAtPeriodEnd: true })
    await compare(workspace)
    expect(await workspace.billing()).toMatchObject({ cancelAtPeriodEnd: false })
    expect(await metric('billing_unannounced_changes_total')).toBe(before + 1)
  })
})

describe('what a plan becomes by itself', () => {
  it('is shown from the moment it is planned until it is so [PAY-39]', async () => {
    const { workspace, id } = await customer('studio')
    const { periodEnd } = await workspace.billing()
    expect((await workspace.billing()).plannedChange).toBeNull()
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'builder_monthly' })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({
      tier: 'studio',
      creditsIncluded: 25_000,
      cancelAtPeriodEnd: false,
      plannedChange: { at: periodEnd, tier: 'builder', interval: 'monthly' },
    })
    // The operator sees the same.
    const { body } = await paid.operate('GET', '/operator/organizations?limit=1')
    expect(body.organizations[0].subscription.plannedChange).toMatchObject({ tier: 'builder' })
    await paid.advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({ tier: 'builder', plannedChange: null })
  })

  it('is told to webhooks when it is planned, and when it is so [PAY-39]', async () => {
    const { workspace, id } = await customer('studio')
    const url = 'https://127.0.0.1:9/hook'
    const made = await workspace.call('POST', '/v1/console/webhooks', { url })
    expect(made.status).toBe(201)
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'builder_monthly' })
    await paid.stripe.eventsSent()
    await paid.advance({ days: 31 })
    const told = await paid.service.database.db
      .selectFrom('webhook_deliveries')
      .select('payload')
      .where('organization_id', '=', workspace.id)
      .where('type', '=', 'subscription.updated')
      .orderBy('created_at')
      .execute()
    const data = told.map(({ payload }) => JSON.parse(payload).data)
    expect(data).toMatchObject([
      { tier: 'studio', previousTier: 'studio', plannedChange: { tier: 'builder', interval: 'monthly' } },
      { tier: 'builder', previousTier: 'studio', plannedChange: null },
    ])
  })

  it('is shown no more once it is taken back [PAY-39]', async () => {
    const { workspace, id } = await customer('scale')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'studio_monthly' })
    await paid.stripe.eventsSent()
    expect((await workspace.billing()).plannedChange).toMatchObject({ tier: 'studio' })
    const { schedule } = subscriptionOf(id)
    if (typeof schedule !== 'string') throw new Error('it is planned')
    await dashboard.subscriptionSchedules.release(schedule)
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ tier: 'scale', plannedChange: null })
  })

  it('is known by its product where its price is no longer on sale [PAY-39]', async () => {
    const { workspace, id } = await customer('scale')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'studio_monthly' })
    const price = [...paid.stripe.account.prices.values()].find(
      ({ lookup_key }) => lookup_key === 'studio_monthly',
    )
    if (!price) throw new Error('it is on sale')
    price.lookup_key = null
    try {
      await compare(workspace)
      expect((await workspace.billing()).plannedChange).toMatchObject({ tier: 'studio', interval: 'monthly' })
    } finally {
      price.lookup_key = 'studio_monthly'
    }
  })

  it('is its end after a cancellation: of an annual plan that of the year, not of the month [PAY-15, PAY-39]', async () => {
    const { workspace, id } = await customer('builder', 'annual')
    await control(paid.stripe, 'cancel', { customer: id })
    await paid.stripe.eventsSent()
    const billing = await workspace.billing()
    const end = new Date((subscriptionOf(id).cancel_at ?? 0) * 1000).toISOString()
    expect(billing).toMatchObject({
      cancelAtPeriodEnd: true,
      plannedChange: { at: end, tier: null, interval: null },
    })
    expect(Date.parse(end) - Date.parse(billing.periodEnd)).toBeGreaterThan(300 * 86_400_000)
    await control(paid.stripe, 'cancel', { customer: id, cancel: false })
    await paid.stripe.eventsSent()
    expect((await workspace.billing()).plannedChange).toBeNull()
  })

  it('is forgotten with the plan, when the operator sets a contract [PAY-24]', async () => {
    const { workspace, id } = await customer('studio')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'builder_monthly' })
    await paid.stripe.eventsSent()
    const path = `/operator/organizations/${workspace.id}/subscription`
    const put = await paid.operate('PUT', path, { status: 'internal' })
    expect(put.body.subscription.plannedChange).toBeNull()
    await compare(workspace)
    expect((await workspace.billing()).plannedChange).toBeNull()
    expect(await remarksOn(workspace)).toEqual(['beside_contract'])
  })
})
