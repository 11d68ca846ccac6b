import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { control, type PaidService, type PaidWorkspace, startPaidService } from '../support/paid-service.ts'

const DECLINED = '4000000000000002'
const DECLINED_LATER = '4000000000000341'

let paid: PaidService

beforeAll(async () => {
  paid = await startPaidService({ environment: { ROLE: 'api' } })
})
afterAll(() => paid.close())
afterEach(async () => {
  paid.stripe.faults.clear()
  await control(paid.stripe, 'clear-webhooks')
})

let people = 0
const newCustomer = (): Promise<PaidWorkspace> => paid.customer(`person-${(people += 1)}`)

async function auditOf(
  workspace: PaidWorkspace,
): Promise<{ action: string; targetType: string; metadata: object }[]> {
  return (await workspace.call('GET', '/v1/console/audit-events')).body.auditEvents
}

describe('a new workspace', () => {
  it('is incomplete where plans are sold, and retrieves nothing [PAY-1]', async () => {
    const workspace = await newCustomer()
    expect(await workspace.billing()).toMatchObject({
      status: 'incomplete',
      tier: null,
      creditsIncluded: 0,
      interval: null,
      trialEndsAt: null,
      cancelAtPeriodEnd: false,
      overageAnswers: 0,
      overageCostUsd: '0.00',
      agentsUsed: 0,
      agentsIncluded: 2,
      connectorsUsed: 0,
      connectorsIncluded: 2,
      trialDays: 7,
      cardRequired: true,
      paymentMethodMissing: false,
    })
    expect(await workspace.search()).toBe(402)
  })
})

describe('checkout', () => {
  it('leads to a seven-day trial with a card, and names the organization everywhere [PAY-2, PAY-3, PAY-4]', async () => {
    const workspace = await newCustomer()
    const { id, url } = await workspace.checkout('builder')
    expect(url).toContain(paid.stripe.url)
    expect(paid.stripe.account.checkoutSessions.get(id)).toMatchObject({
      client_reference_id: workspace.id,
      metadata: { organizationId: workspace.id },
      payment_method_collection: 'always',
    })
    await control(paid.stripe, 'pay', { session: id })
    await paid.stripe.eventsSent()
    const [subscription] = [...paid.stripe.account.subscriptions.values()].slice(-1)
    expect(subscription?.metadata).toMatchObject({ organizationId: workspace.id })
    const billing = await workspace.billing()
    expect(billing).toMatchObject({
      status: 'trialing',
      tier: 'builder',
      interval: 'monthly',
      creditsIncluded: 5_000,
      paymentMethodMissing: false,
    })
    expect(Date.parse(billing.trialEndsAt) - Date.parse(billing.periodStart)).toBe(7 * 86_400_000)
    expect(billing.periodEnd).toBe(billing.trialEndsAt)
    expect(billing).toMatchObject({ trialDays: 0, cardRequired: true })
    expect(await workspace.search()).toBe(200)
  })

  it('creates one customer and one checkout under repeated and concurrent requests [PAY-5]', async () => {
    const workspace = await newCustomer()
    const before = paid.stripe.account.customers.size
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        workspace.call('POST', '/v1/console/billing/checkout', { tier: 'studio', interval: 'monthly' }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.url)).size).toBe(1)
    await workspace.checkout('scale', 'annual')
    expect(paid.stripe.account.customers.size).toBe(before + 1)
    const customer = await workspace.customerId()
    const open = [...paid.stripe.account.checkoutSessions.values()].filter(
      (session) => session.customer === customer && session.status === 'open',
    )
    expect(open).toHaveLength(1)
  })

  it('adds the price of extra answers for Studio and Scale, and for no other [PAY-6]', async () => {
    for (const [tier, interval, keys] of [
      ['builder', 'annual', ['builder_annual']],
      ['studio', 'annual', ['studio_annual', 'answers_overage']],
      ['scale', 'monthly', ['scale_monthly', 'answers_overage']],
    ] as const) {
      const workspace = await newCustomer()
      await workspace.buy(tier, { interval })
      const customer = await workspace.customerId()
      const subscription = [...paid.stripe.account.subscriptions.values()].find(
        (one) => one.customer === customer,
      )
      expect(subscription?.items.data.map(({ price }) => price.lookup_key).toSorted()).toEqual(
        keys.toSorted(),
      )
      expect(await workspace.billing()).toMatchObject({ tier, interval, status: 'trialing' })
    }
  })

  it('is recorded as billing.checkout.create, the portal as billing.portal.create [PAY-7]', async () => {
    const workspace = await newCustomer()
    await workspace.checkout('studio', 'annual')
    await workspace.call('POST', '/v1/console/billing/portal')
    expect(await auditOf(workspace)).toMatchObject([
      { action: 'billing.portal.create', targetType: 'portal_session', actorUserId: workspace.owner.userId },
      {
        action: 'billing.checkout.create',
        targetType: 'checkout_session',
        metadata: { tier: 'studio', interval: 'annual' },
      },
      { action: 'organization.create' },
    ])
  })

  it('of a plan with a missing price returns 502 and names it [PAY-8]', async () => {
    const { prices } = paid.stripe.account
    const price = [...prices.values()].find((one) => one.lookup_key === 'scale_annual')
    if (!price) throw new Error('the price is on sale')
    price.lookup_key = 'sold_out'
    try {
      const workspace = await newCustomer()
      const answer = await workspace.call('POST', '/v1/console/billing/checkout', {
        tier: 'scale',
        interval: 'annual',
      })
      expect(answer).toMatchObject({ status: 502, body: { code: 'upstream_error' } })
      expect(answer.body.error).toContain('scale_annual')
    } finally {
      price.lookup_key = 'scale_annual'
    }
  })

  it('of an organization with a live subscription leads to the portal instead of a second one [PAY-9]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    const before = paid.stripe.account.checkoutSessions.size
    const answer = await workspace.call('POST', '/v1/console/billing/checkout', {
      tier: 'studio',
      interval: 'monthly',
    })
    expect(answer.body.url).toContain('/portal/')
    expect(paid.stripe.account.checkoutSessions.size).toBe(before)
  })

  it('that is abandoned leaves the workspace incomplete_expired, and can begin again [PAY-10]', async () => {
    const workspace = await newCustomer()
    const { id } = await workspace.checkout('builder')
    await control(paid.stripe, 'abandon', { session: id })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'incomplete_expired' })
    expect(await workspace.search()).toBe(402)
    await workspace.buy('builder')
    expect(await workspace.billing()).toMatchObject({ status: 'trialing' })
  })

  it('whose first payment fails leaves the workspace incomplete, until a card works [PAY-11]', async () => {
    const workspace = await newCustomer()
    const { id } = await workspace.checkout('builder')
    await control(paid.stripe, 'pay', { session: id, card: DECLINED })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'incomplete' })
    expect(await workspace.search()).toBe(402)
    await control(paid.stripe, 'pay', { session: id })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'trialing' })
  })

  it('grants one trial: a returning customer pays at once [PAY-2]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await control(paid.stripe, 'cancel', { customer: await workspace.customerId() })
    await paid.advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({ status: 'canceled' })
    await workspace.buy('builder')
    expect(await workspace.billing()).toMatchObject({ status: 'active', trialEndsAt: null })
  })

  it('returns 502 while the processor fails, and still creates only one customer [PAY-5]', async () => {
    const workspace = await newCustomer()
    const before = paid.stripe.account.customers.size
    paid.stripe.faults.add({ path: '/v1/customers', drop: true, afterEffect: true, times: 3 })
    const failed = await workspace.call('POST', '/v1/console/billing/checkout', {
      tier: 'builder',
      interval: 'monthly',
    })
    expect([200, 502]).toContain(failed.status)
    paid.stripe.faults.clear()
    await workspace.buy('builder')
    expect(paid.stripe.account.customers.size).toBe(before + 1)
  })

  it('works after its customer was created without a reply and the workspace was renamed [PAY-5]', async () => {
    const workspace = await newCustomer()
    // The endpoint need not receive customer.created.
    await control(paid.stripe, 'webhooks', { lose: 1 })
    paid.stripe.faults.add({ path: '/v1/customers', drop: true, afterEffect: true, times: 3 })
    const plan = { tier: 'builder', interval: 'monthly' }
    expect((await workspace.call('POST', '/v1/console/billing/checkout', plan)).status).toBe(502)
    paid.stripe.faults.clear()
    const path = `/v1/console/organizations/${workspace.id}`
    expect((await workspace.call('PATCH', path, { name: 'Renamed' })).status).toBe(200)
    expect((await workspace.call('POST', '/v1/console/billing/checkout', plan)).body).toHaveProperty('url')
  })
})

describe('the life of a subscription', () => {
  it("an uncanceled trial is charged at its end, and credits reset with Stripe's period [PAY-12, PAY-13]", async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await workspace.useCredits(5_000)
    expect(await workspace.search()).toBe(429)
    const trial = await workspace.billing()
    await paid.advance({ days: 8 })
    const active = await workspace.billing()
    expect(active).toMatchObject({ status: 'active', trialEndsAt: null, creditsUsed: 0 })
    expect(active.periodStart).toBe(trial.periodEnd)
    expect(await workspace.search()).toBe(200)
    await paid.advance({ days: 31 })
    const renewed = await workspace.billing()
    expect(renewed).toMatchObject({ status: 'active', creditsUsed: 0, periodStart: active.periodEnd })
  })

  it('a failed payment is past_due, then unpaid and blocked; paying makes it active again [PAY-14]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio', { card: DECLINED_LATER })
    await paid.advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({ status: 'past_due' })
    expect(await workspace.search()).toBe(200)
    await paid.advance({ days: 16 })
    expect(await workspace.billing()).toMatchObject({ status: 'unpaid' })
    expect(await workspace.search()).toBe(402)
    const customer = await workspace.customerId()
    await control(paid.stripe, 'change-card', { customer })
    await control(paid.stripe, 'pay-invoices', { customer })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'active' })
    expect(await workspace.search()).toBe(200)
  })

  it('a cancellation applies at the end of the period, and is shown until then [PAY-15]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await paid.advance({ days: 8 })
    await control(paid.stripe, 'cancel', { customer: await workspace.customerId() })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    expect(await workspace.search()).toBe(200)
    await paid.advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({ status: 'canceled' })
    expect(await workspace.search()).toBe(402)
  })

  it("an upgrade applies at once and keeps the credits used; a downgrade waits for the period's end [PAY-16]", async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await paid.advance({ days: 8 })
    await workspace.useCredits(4_999)
    const customer = await workspace.customerId()
    await control(paid.stripe, 'change-plan', { customer, plan: 'studio_monthly' })
    await paid.stripe.eventsSent()
    const upgraded = await workspace.billing()
    expect(upgraded).toMatchObject({ tier: 'studio', creditsUsed: 4_999, creditsIncluded: 25_000 })
    // Its extra answers are charged from now on.
    const subscription = [...paid.stripe.account.subscriptions.values()].find(
      (one) => one.customer === customer,
    )
    expect(subscription?.items.data.map(({ price }) => price.lookup_key)).toContain('answers_overage')
    await control(paid.stripe, 'change-plan', { customer, plan: 'builder_monthly' })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ tier: 'studio', creditsUsed: 4_999 })
    await paid.advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({
      tier: 'builder',
      creditsUsed: 0,
      creditsIncluded: 5_000,
      periodStart: upgraded.periodEnd,
    })
  })

  it('a year is paid at once and has monthly credits [PAY-17]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder', { interval: 'annual' })
    await paid.advance({ days: 8 })
    const { periodStart, periodEnd, interval } = await workspace.billing()
    expect(interval).toBe('annual')
    const days = (Date.parse(periodEnd) - Date.parse(periodStart)) / 86_400_000
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)
  })

  it('a paused subscription blocks retrieval [PAY-18]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    const customer = await workspace.customerId()
    const subscription = [...paid.stripe.account.subscriptions.values()].find(
      (one) => one.customer === customer,
    )
    if (!subscription) throw new Error('it was bought')
    subscription.status = 'paused'
    await paid.sendEvent({
      id: `evt_pause_${workspace.id}`,
      type: 'customer.subscription.paused',
      data: { object: { object: 'subscription', id: subscription.id, customer } },
    })
    expect(await workspace.billing()).toMatchObject({ status: 'paused' })
    expect(await workspace.search()).toBe(402)
  })
})
