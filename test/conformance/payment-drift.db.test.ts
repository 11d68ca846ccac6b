import { Stripe } from 'stripe'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { control, type PaidService, startPaidService } from '../support/paid-service.ts'
import { openDashboard, type StripeDashboard } from '../support/stripe-dashboard.ts'

let paid: PaidService
let desk: StripeDashboard

beforeAll(async () => {
  paid = await startPaidService({ environment: { ROLE: 'api' } })
  desk = openDashboard(paid)
})
afterAll(() => paid.close())
afterEach(async () => {
  paid.stripe.faults.clear()
  await control(paid.stripe, 'clear-webhooks')
})

const metric = async (name: string): Promise<number> => {
  const { text } = await paid.service.call('GET', '/metrics')
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

describe('a manual change at the payment processor', () => {
  it('of the plan applies at once, and keeps usage and charges [PAY-36]', async () => {
    const { workspace, id } = await desk.customer('studio')
    await workspace.useCredits(25_000)
    for (let n = 0; n < 4; n += 1) expect(await workspace.search()).toBe(200)
    await desk.change(id, {
      items: [{ id: desk.itemOf(id, 'studio_monthly'), price: await desk.priceOf('builder_monthly') }],
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
    await desk.change(id, {
      items: [{ id: desk.itemOf(id, 'builder_monthly'), price: await desk.priceOf('scale_monthly') }],
    })
    expect(await workspace.billing()).toMatchObject({ tier: 'scale', creditsUsed: 25_004 })
    expect(await workspace.search()).toBe(200)
  })

  it('that ends a trial early begins the paid period, and charges no answers of the trial [PAY-35, PAY-36]', async () => {
    const workspace = await paid.customer('somebody-on-trial')
    await workspace.buy('studio')
    const id = await workspace.customerId()
    await workspace.useCredits(25_000)
    for (let n = 0; n < 3; n += 1) expect(await workspace.search()).toBe(200)
    await paid.service.app.settleBilling()
    await paid.advance({ days: 2 })
    await desk.change(id, { trial_end: 'now' })
    await paid.advance({ hours: 2 })
    expect(await workspace.billing()).toMatchObject({
      status: 'active',
      trialEndsAt: null,
      creditsUsed: 0,
      overageAnswers: 0,
    })
    const invoices = (await desk.stripe.invoices.list({ customer: id })).data
    expect(invoices.map(({ amount_due }) => amount_due)).toEqual([29_900, 0])
  })

  it('that removes the price of extra answers is undone every time [PAY-36]', async () => {
    const { workspace, id } = await desk.customer('builder')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'studio_monthly' })
    await paid.stripe.eventsSent()
    for (let round = 0; round < 2; round += 1) {
      expect(desk.keysOf(id)).toEqual(['studio_monthly', 'answers_overage'])
      await desk.change(id, { items: [{ id: desk.itemOf(id, 'answers_overage'), deleted: true }] })
    }
    expect(desk.keysOf(id)).toEqual(['studio_monthly', 'answers_overage'])
    expect(await desk.remarksOn(workspace)).toEqual([])
  })

  it('that meters something else is not mistaken for the price of extra answers [PAY-6, PAY-36]', async () => {
    const { workspace, id } = await desk.customer('builder')
    const meter = await desk.stripe.billing.meters.create({
      display_name: 'Storage',
      event_name: 'storage',
      default_aggregation: { formula: 'sum' },
    })
    const storage = await desk.stripe.prices.create({
      currency: 'usd',
      product_data: { name: 'Storage' },
      recurring: { interval: 'month', meter: meter.id, usage_type: 'metered' },
      unit_amount: 7,
    })
    await desk.change(id, { items: [{ price: storage.id }] })
    await desk.change(id, {
      items: [{ id: desk.itemOf(id, 'builder_monthly'), price: await desk.priceOf('studio_monthly') }],
    })
    expect(desk.keysOf(id)).toEqual(['studio_monthly', null, 'answers_overage'])
    expect(await workspace.billing()).toMatchObject({ tier: 'studio' })
    expect(await desk.remarksOn(workspace)).toEqual([])
    // A replaced price of extra answers still charges them.
    const replaced = [...paid.stripe.account.prices.values()].find(
      ({ lookup_key }) => lookup_key === 'answers_overage',
    )
    if (!replaced) throw new Error('it is on sale')
    const other = await desk.customer('studio')
    const next = await desk.stripe.prices.create({
      currency: 'usd',
      product: replaced.product,
      recurring: { interval: 'month', meter: String(replaced.recurring.meter), usage_type: 'metered' },
      unit_amount_decimal: Stripe.Decimal.from('1.5'),
      lookup_key: 'answers_overage',
      transfer_lookup_key: true,
    })
    try {
      await desk.compare(other.workspace)
      expect(desk.keysOf(other.id)).toEqual(['studio_monthly', null])
      expect(await desk.remarksOn(other.workspace)).toEqual([])
    } finally {
      await desk.stripe.prices.update(next.id, { active: false, lookup_key: 'answers_overage_next' })
      replaced.lookup_key = 'answers_overage'
    }
  })

  it('that cannot be undone is shown to the operator until it can [PAY-38]', async () => {
    const { workspace, id } = await desk.customer('studio')
    paid.stripe.faults.add({ path: '/v1/subscription_items', status: 400 })
    await desk.change(id, { items: [{ id: desk.itemOf(id, 'answers_overage'), deleted: true }] })
    expect(await desk.remarksOn(workspace)).toEqual(['extra_answers_missing'])
    paid.stripe.faults.clear()
    await desk.compare(workspace)
    expect(desk.keysOf(id)).toContain('answers_overage')
    expect(await desk.remarksOn(workspace)).toEqual([])
  })

  it('to a quantity, several plans, or another answer price is shown to the operator [PAY-38]', async () => {
    const { workspace, id } = await desk.customer('builder')
    expect(await desk.remarksOn(workspace)).toEqual([])
    const before = await metric('billing_remarked_organizations')
    await desk.change(id, { items: [{ id: desk.itemOf(id, 'builder_monthly'), quantity: 3 }] })
    expect(await desk.remarksOn(workspace)).toEqual(['quantity'])
    await desk.change(id, { items: [{ price: await desk.priceOf('studio_monthly') }] })
    expect(await desk.remarksOn(workspace)).toEqual(['several_plans'])
    expect(await workspace.billing()).toMatchObject({ tier: 'studio' })
    expect(await metric('billing_remarked_organizations')).toBe(before + 1)
    await desk.change(id, { items: [{ id: desk.itemOf(id, 'builder_monthly'), deleted: true }] })
    expect(await desk.remarksOn(workspace)).toEqual([])
    const item = desk
      .subscriptionOf(id)
      .items.data.find(({ price }) => price.lookup_key === 'answers_overage')
    if (!item) throw new Error('extra answers are charged')
    const { price } = item
    item.price = { ...price, unit_amount_decimal: Stripe.Decimal.from('2') }
    await desk.compare(workspace)
    expect(await desk.remarksOn(workspace)).toEqual(['extra_answers_price'])
    item.price = price
    await desk.compare(workspace)
    expect(await desk.remarksOn(workspace)).toEqual([])
    expect(await metric('billing_remarked_organizations')).toBe(before)
  })

  it('that pauses payment collection stops nothing, and is shown to the operator [PAY-38]', async () => {
    const { workspace, id } = await desk.customer('builder')
    const subscription = desk.subscriptionOf(id)
    subscription.pause_collection = { behavior: 'void', resumes_at: null }
    await desk.compare(workspace)
    expect(await workspace.billing()).toMatchObject({ status: 'active' })
    expect(await workspace.search()).toBe(200)
    expect(await desk.remarksOn(workspace)).toEqual(['collection_paused'])
    subscription.pause_collection = null
    await desk.compare(workspace)
    expect(await desk.remarksOn(workspace)).toEqual([])
  })
})

describe('a subscription with an unknown price', () => {
  it('keeps its tier, follows its status and period, and ends [PAY-37]', async () => {
    const { workspace, id } = await desk.customer('builder')
    await desk.change(id, {
      items: [{ id: desk.itemOf(id, 'builder_monthly'), price: await desk.newPrice(5000) }],
    })
    const before = await workspace.billing()
    expect(before).toMatchObject({ status: 'active', tier: 'builder' })
    expect(await desk.remarksOn(workspace)).toEqual(['unknown_price'])
    // It can be managed, but nothing can be bought twice.
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
    await desk.stripe.subscriptions.cancel(desk.subscriptionOf(id).id)
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'canceled' })
    expect(await workspace.search()).toBe(402)
    expect(await desk.remarksOn(workspace)).toEqual([])
    await workspace.buy('builder')
    expect(await workspace.billing()).toMatchObject({ status: 'active', tier: 'builder' })
  })

  it('that was never the plan changes nothing [PAY-20]', async () => {
    const { workspace, id } = await desk.customer('builder')
    const before = await workspace.billing()
    const other = await desk.stripe.subscriptions.create({
      customer: id,
      items: [{ price: await desk.newPrice(1000) }],
      default_payment_method: String(desk.subscriptionOf(id).default_payment_method),
    })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toEqual(before)
    expect(await desk.remarksOn(workspace)).toEqual(['unknown_price'])
    await desk.stripe.subscriptions.cancel(other.id)
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toEqual(before)
    expect(await desk.remarksOn(workspace)).toEqual([])
  })
})

describe('a comparison', () => {
  it('ends a plan whose subscription no longer exists [PAY-37]', async () => {
    const { workspace, id } = await desk.customer('studio')
    paid.stripe.account.subscriptions.delete(desk.subscriptionOf(id).id)
    await desk.compare(workspace)
    expect(await workspace.billing()).toMatchObject({ status: 'canceled', plannedChange: null })
    expect(await workspace.search()).toBe(402)
    expect(await desk.remarksOn(workspace)).toEqual(['subscription_gone'])
    await workspace.buy('studio')
    expect(await workspace.billing()).toMatchObject({ tier: 'studio' })
    expect(await desk.remarksOn(workspace)).toEqual([])
  })

  it('that fails changes nothing, and reports why until it succeeds [PAY-38]', async () => {
    const { workspace, id } = await desk.customer('builder')
    const before = await workspace.billing()
    paid.stripe.faults.add({ method: 'GET', path: '/v1/subscriptions', status: 403 })
    await desk.compare(workspace)
    await desk.compare(workspace)
    expect(await workspace.billing()).toEqual(before)
    expect(await desk.shown(workspace)).toMatchObject({
      customerId: id,
      remarks: [],
      failedAttempts: 2,
      lastError: expect.stringContaining('403'),
    })
    expect(await metric('billing_unreadable_organizations')).toBe(1)
    expect(await metric('billing_comparison_age_seconds')).toBeGreaterThan(3_500)
    paid.stripe.faults.clear()
    await desk.compare(workspace)
    expect(await desk.shown(workspace)).toBeUndefined()
    expect(await metric('billing_unreadable_organizations')).toBe(0)
  })

  it('counts only changes that no event announced [PAY-38]', async () => {
    const { workspace, id } = await desk.customer('builder')
    const before = await metric('billing_unannounced_changes_total')
    await control(paid.stripe, 'cancel', { customer: id })
    await paid.stripe.eventsSent()
    await desk.compare(workspace)
    // A month of an annual plan begins without a Stripe event.
    const annual = await desk.customer('builder', 'annual')
    const { periodStart } = await annual.workspace.billing()
    await paid.service.database.db
      .updateTable('subscriptions')
      .set({ period_started_at: new Date('2020-01-01'), credits_used: 7 })
      .where('organization_id', '=', annual.workspace.id)
      .execute()
    await desk.compare(annual.workspace)
    expect(await annual.workspace.billing()).toMatchObject({ periodStart, creditsUsed: 0 })
    expect(await metric('billing_unannounced_changes_total')).toBe(before)
    await control(paid.stripe, 'webhooks', { lose: 1_000 })
    await control(paid.stripe, 'cancel', { customer: id, cancel: false })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ cancelAtPeriodEnd: true })
    await desk.compare(workspace)
    expect(await workspace.billing()).toMatchObject({ cancelAtPeriodEnd: false })
    expect(await metric('billing_unannounced_changes_total')).toBe(before + 1)
  })
})
