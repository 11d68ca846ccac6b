import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { control, type PaidService, type PaidWorkspace, startPaidService } from '../support/paid-service.ts'
import { OPERATOR_TOKEN } from '../support/service.ts'

const DECLINED = '4000000000000002'
const DECLINED_LATER = '4000000000000341'
const WEBHOOK = '/v1/webhooks/stripe'

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

/** Resolves once Stripe's events have been answered. */
async function advance(by: { days?: number; hours?: number }): Promise<void> {
  paid.stripe.advance(by)
  await paid.stripe.eventsSent()
}

const search = async (workspace: PaidWorkspace): Promise<number> =>
  (await workspace.call('POST', '/v1/console/search', { query: 'x' })).status

async function sendEvent(event: object, secret = 'whsec_emulator', at = Date.now()) {
  const raw = JSON.stringify(event)
  const time = Math.floor(at / 1000)
  const signature = createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex')
  return await paid.service.call('POST', WEBHOOK, {
    raw,
    headers: { 'stripe-signature': `t=${time},v1=${signature}` },
  })
}

async function auditOf(
  workspace: PaidWorkspace,
): Promise<{ action: string; targetType: string; metadata: object }[]> {
  return (await workspace.call('GET', '/v1/console/audit-events')).body.auditEvents
}

/** As the operator of the deployment. */
const operate = (method: string, path: string, body?: object) =>
  paid.service.call(method, path, { key: OPERATOR_TOKEN, ...(body ? { body } : {}) })

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
      paymentMethodMissing: false,
    })
    expect(await search(workspace)).toBe(402)
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
    expect(await search(workspace)).toBe(200)
  })

  it('makes one customer and one checkout, however often and parallel it is asked [PAY-5]', async () => {
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

  it('of a plan whose price is missing answers 502 and names it [PAY-8]', async () => {
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

  it('that is abandoned leaves the workspace incomplete_expired, to be begun again [PAY-10]', async () => {
    const workspace = await newCustomer()
    const { id } = await workspace.checkout('builder')
    await control(paid.stripe, 'abandon', { session: id })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'incomplete_expired' })
    expect(await search(workspace)).toBe(402)
    await workspace.buy('builder')
    expect(await workspace.billing()).toMatchObject({ status: 'trialing' })
  })

  it('whose first payment fails leaves the workspace incomplete, until a card works [PAY-11]', async () => {
    const workspace = await newCustomer()
    const { id } = await workspace.checkout('builder')
    await control(paid.stripe, 'pay', { session: id, card: DECLINED })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'incomplete' })
    expect(await search(workspace)).toBe(402)
    await control(paid.stripe, 'pay', { session: id })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'trialing' })
  })

  it('gives a trial once: whoever comes back pays at once [PAY-2]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await control(paid.stripe, 'cancel', { customer: await workspace.customerId() })
    await advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({ status: 'canceled' })
    await workspace.buy('builder')
    expect(await workspace.billing()).toMatchObject({ status: 'active', trialEndsAt: null })
  })

  it('fails with 502 while the processor does, and makes one customer all the same [PAY-5]', async () => {
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
})

describe('the life of a subscription', () => {
  it('a trial that nobody cancels is charged at its end, and credits start anew with Stripe’s period [PAY-12, PAY-13]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await workspace.useCredits(5_000)
    expect(await search(workspace)).toBe(429)
    const trial = await workspace.billing()
    await advance({ days: 8 })
    const active = await workspace.billing()
    expect(active).toMatchObject({ status: 'active', trialEndsAt: null, creditsUsed: 0 })
    expect(active.periodStart).toBe(trial.periodEnd)
    expect(await search(workspace)).toBe(200)
    await advance({ days: 31 })
    const renewed = await workspace.billing()
    expect(renewed).toMatchObject({ status: 'active', creditsUsed: 0, periodStart: active.periodEnd })
  })

  it('a failed payment is past_due, then unpaid and blocked; paying it makes it active again [PAY-14]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio', { card: DECLINED_LATER })
    await advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({ status: 'past_due' })
    expect(await search(workspace)).toBe(200)
    await advance({ days: 16 })
    expect(await workspace.billing()).toMatchObject({ status: 'unpaid' })
    expect(await search(workspace)).toBe(402)
    const customer = await workspace.customerId()
    await control(paid.stripe, 'change-card', { customer })
    await control(paid.stripe, 'pay-invoices', { customer })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'active' })
    expect(await search(workspace)).toBe(200)
  })

  it('a cancellation holds from the end of the period, and is shown until then [PAY-15]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await advance({ days: 8 })
    await control(paid.stripe, 'cancel', { customer: await workspace.customerId() })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    expect(await search(workspace)).toBe(200)
    await advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({ status: 'canceled' })
    expect(await search(workspace)).toBe(402)
  })

  it('an upgrade holds at once and keeps the credits used; a downgrade waits for the period’s end [PAY-16]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    await advance({ days: 8 })
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
    await advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({
      tier: 'builder',
      creditsUsed: 0,
      creditsIncluded: 5_000,
      periodStart: upgraded.periodEnd,
    })
  })

  it('a year is paid at once and has its credits by the month [PAY-17]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder', { interval: 'annual' })
    await advance({ days: 8 })
    const { periodStart, periodEnd, interval } = await workspace.billing()
    expect(interval).toBe('annual')
    const days = (Date.parse(periodEnd) - Date.parse(periodStart)) / 86_400_000
    expect(days).toBeGreaterThanOrEqual(28)
    expect(days).toBeLessThanOrEqual(31)
  })

  it('paused, it retrieves nothing [PAY-18]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    const customer = await workspace.customerId()
    const subscription = [...paid.stripe.account.subscriptions.values()].find(
      (one) => one.customer === customer,
    )
    if (!subscription) throw new Error('it was bought')
    subscription.status = 'paused'
    await sendEvent({
      id: `evt_pause_${workspace.id}`,
      type: 'customer.subscription.paused',
      data: { object: { object: 'subscription', id: subscription.id, customer } },
    })
    expect(await workspace.billing()).toMatchObject({ status: 'paused' })
    expect(await search(workspace)).toBe(402)
  })
})

describe('the webhook', () => {
  const event = (id: string, object: object) => ({
    id,
    type: 'customer.subscription.updated',
    data: { object },
  })

  it('takes what Stripe has signed in the last five minutes, and answers 400 otherwise [PAY-19]', async () => {
    const body = event('evt_signed', { object: 'subscription', customer: 'cus_nobody' })
    expect((await sendEvent(body)).status).toBe(200)
    for (const refused of [
      await sendEvent(body, 'whsec_another'),
      await sendEvent(body, 'whsec_emulator', Date.now() - 301_000),
      await paid.service.call('POST', WEBHOOK, { body }),
      await paid.service.call('POST', WEBHOOK, { body, headers: { 'stripe-signature': 't=1,v1=' } }),
      await paid.service.call('POST', WEBHOOK),
    ])
      expect(refused).toMatchObject({ status: 400, body: { code: 'webhook_signature_invalid' } })
    const large = await sendEvent({ ...body, padding: 'x'.repeat(600_000) })
    expect(large.status).toBe(413)
  })

  it('answers 200 for an organization or a price that it does not know, and changes nothing [PAY-20]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    const before = await workspace.billing()
    const nobodys = {
      object: 'subscription',
      customer: 'cus_nobody',
      metadata: { organizationId: 'nonsense' },
    }
    expect((await sendEvent(event('evt_nobody', nobodys))).status).toBe(200)
    const customer = await workspace.customerId()
    const known = [...paid.stripe.account.subscriptions.values()].find((one) => one.customer === customer)
    const item = known?.items.data[0]
    if (!known || !item) throw new Error('it was bought')
    const { lookup_key: lookupKey, product } = item.price
    Object.assign(item.price, { lookup_key: 'something_else', product: 'prod_other' })
    try {
      expect((await sendEvent(event('evt_unknown_price', { object: 'subscription', customer }))).status).toBe(
        200,
      )
      expect(await workspace.billing()).toEqual(before)
    } finally {
      Object.assign(item.price, { lookup_key: lookupKey, product })
    }
  })

  it('another organization named by the metadata of a known customer changes nothing of it [PAY-20]', async () => {
    const [one, two] = [await newCustomer(), await newCustomer()]
    await one.buy('builder')
    await two.buy('studio')
    const object = { object: 'subscription', customer: 'cus_stranger', metadata: { organizationId: one.id } }
    await sendEvent(event('evt_stranger', object))
    expect(await one.customerId()).not.toBe('cus_stranger')
    expect(await one.billing()).toMatchObject({ tier: 'builder' })
  })

  it('stores what Stripe says now, whatever order, copies and delays events come with [PAY-21]', async () => {
    const workspace = await newCustomer()
    await control(paid.stripe, 'webhooks', { hold: true, copies: 3 })
    await workspace.buy('builder')
    const customer = await workspace.customerId()
    paid.stripe.advance({ days: 8 })
    await control(paid.stripe, 'change-plan', { customer, plan: 'studio_monthly' })
    await control(paid.stripe, 'cancel', { customer })
    await control(paid.stripe, 'cancel', { customer, cancel: false })
    await control(paid.stripe, 'webhooks', { hold: false })
    await control(paid.stripe, 'release-webhooks', { order: 'reversed' })
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({
      status: 'active',
      tier: 'studio',
      cancelAtPeriodEnd: false,
    })
    // Each was taken once.
    const { db } = paid.service.database
    const events = await db
      .selectFrom('payment_events')
      .select('event_id')
      .where('organization_id', '=', workspace.id)
      .execute()
    const account = await db
      .selectFrom('payment_accounts')
      .select(['notices', 'notices_read'])
      .where('organization_id', '=', workspace.id)
      .executeTakeFirstOrThrow()
    expect(account).toEqual({ notices: events.length, notices_read: events.length })
  })

  it('is needed by nobody’s state for more than an hour: a lost event is made up for [PAY-22]', async () => {
    const workspace = await newCustomer()
    await control(paid.stripe, 'webhooks', { lose: 1_000 })
    await workspace.buy('scale')
    expect(await workspace.billing()).toMatchObject({ status: 'incomplete' })
    await control(paid.stripe, 'webhooks', { lose: 0 })
    await paid.service.database.db
      .updateTable('payment_accounts')
      .set({ read_at: new Date(Date.now() - 3_600_000) })
      .where('organization_id', '=', workspace.id)
      .execute()
    await paid.service.app.settleBilling()
    expect(await workspace.billing()).toMatchObject({ status: 'trialing', tier: 'scale' })
  })

  it('is answered while Stripe’s API is down, and its effect comes once that is back [PAY-23]', async () => {
    const workspace = await newCustomer()
    paid.stripe.faults.add({ method: 'GET', path: '/v1/subscriptions', status: 503 })
    await workspace.buy('builder').catch(() => null)
    const { id } = [...paid.stripe.account.checkoutSessions.values()].find(
      (session) => session.client_reference_id === workspace.id,
    ) ?? { id: undefined }
    paid.stripe.faults.clear()
    if (id === undefined) await workspace.buy('builder')
    expect(paid.stripe.webhooks.attempts().every(({ status }) => status === 200)).toBe(true)
    await paid.service.database.db.updateTable('payment_accounts').set({ not_before: null }).execute()
    await paid.service.app.settleBilling()
    expect(await workspace.billing()).toMatchObject({ status: 'trialing' })
  })
})

describe('a contract', () => {
  it('with the operator is never overwritten by an event, nor bought over [PAY-24]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    const customer = await workspace.customerId()
    const contract = {
      status: 'active',
      tier: 'enterprise',
      creditsIncluded: 10,
      overCap: 'metered',
      extraAnswerUsd: '0.0125',
    }
    const put = await operate('PUT', `/operator/organizations/${workspace.id}/subscription`, contract)
    expect(put.body.subscription).toMatchObject({ ...contract, isContract: true })
    await control(paid.stripe, 'cancel', { customer })
    await advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({
      status: 'active',
      tier: 'enterprise',
      creditsIncluded: 10,
    })
    await workspace.useCredits(10)
    expect(await search(workspace)).toBe(200)
    expect(await workspace.billing()).toMatchObject({ overageAnswers: 1, overageCostUsd: '0.0125' })
    const checkout = { tier: 'studio', interval: 'monthly' }
    expect(await workspace.call('POST', '/v1/console/billing/checkout', checkout)).toMatchObject({
      status: 409,
      body: { code: 'plan_by_contract' },
    })
    // A hard contract blocks.
    await operate('PUT', `/operator/organizations/${workspace.id}/subscription`, {
      ...contract,
      overCap: 'block',
      extraAnswerUsd: null,
    })
    expect(await search(workspace)).toBe(429)
  })

  it('that the operator ends makes room for what Stripe says [PAY-24]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    const path = `/operator/organizations/${workspace.id}/subscription`
    await operate('PUT', path, { status: 'internal' })
    await paid.service.app.settleBilling()
    expect(await workspace.billing()).toMatchObject({ status: 'internal' })
    await operate('PUT', path, { status: 'incomplete' })
    await paid.service.app.settleBilling()
    expect(await workspace.billing()).toMatchObject({ status: 'trialing', tier: 'studio' })
  })

  it('has terms that make sense', async () => {
    const { id } = await newCustomer()
    for (const body of [
      { status: 'active', tier: 'enterprise', overCap: 'metered' },
      { status: 'active', tier: 'studio', extraAnswerUsd: '-1' },
      { status: 'active', tier: 'studio', extraAnswerUsd: '0.0000001' },
      { status: 'active', tier: 'studio', extraAnswerUsd: 0.015 },
    ])
      expect((await operate('PUT', `/operator/organizations/${id}/subscription`, body)).status).toBe(400)
  })
})

describe('after a downgrade', () => {
  it('the newest keys beyond the plan’s room are answered 402, until there is room again [PAY-25]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    const keys: { id: string; secret: string }[] = []
    for (let n = 0; n < 4; n += 1) {
      const made = await workspace.call('POST', '/v1/console/api-keys', {
        name: `key ${n}`,
        actorType: n === 0 ? 'application' : 'agent',
        allowedActions: ['search', 'sources:read'],
      })
      keys.push({ id: made.body.apiKey.id, secret: made.body.secret })
    }
    await advance({ days: 8 })
    const customer = await workspace.customerId()
    await control(paid.stripe, 'change-plan', { customer, plan: 'builder_monthly' })
    await advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({ tier: 'builder', agentsUsed: 3, agentsIncluded: 2 })
    const statuses = async () =>
      await Promise.all(
        keys.map(
          async ({ secret }) => (await paid.service.call('GET', '/v1/sources', { key: secret })).status,
        ),
      )
    expect(await statuses()).toEqual([200, 200, 200, 402])
    const refused = await paid.service.call('POST', '/v1/search', {
      key: keys[3]?.secret,
      body: { query: 'x' },
    })
    expect(refused.body).toMatchObject({
      code: 'plan_limit_reached',
      resource: 'agents',
      tier: 'builder',
      used: 3,
      limit: 2,
    })
    expect(refused.body.error).toMatch(/revoke another or upgrade/)
    expect((await workspace.call('DELETE', `/v1/console/api-keys/${keys[1]?.id}`)).status).toBe(200)
    expect(await statuses()).toEqual([200, 401, 200, 200])
  })

  it('the newest sources beyond the plan’s room are not polled and refuse runs, and stay readable [PAY-26]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    const { db } = paid.service.database
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) {
      const made = await workspace.call('POST', '/v1/console/sources', {
        provider: 'notion',
        displayName: `s${n}`,
      })
      ids.push(made.body.source.id)
    }
    await db
      .updateTable('sources')
      .set({ push_only: false, external_account_id: sql`id::text` })
      .where('organization_id', '=', workspace.id)
      .execute()
    await operate('PUT', `/operator/organizations/${workspace.id}/subscription`, {
      status: 'active',
      tier: 'builder',
    })
    const beyond = await db
      .selectFrom('sources')
      .select(['id'])
      .where('organization_id', '=', workspace.id)
      .where('beyond_plan', '=', true)
      .execute()
    expect(beyond.map(({ id }) => id)).toEqual([ids[2]])
    expect((await workspace.call('GET', '/v1/console/sources')).body.sources).toHaveLength(3)
    const run = await workspace.call('POST', '/v1/console/sync-runs', { connectorId: ids[2] })
    expect(run).toMatchObject({ status: 402, body: { code: 'plan_limit_reached', resource: 'connectors' } })
    await workspace.call('DELETE', `/v1/console/sources/${ids[0]}`)
    const rest = await db
      .selectFrom('sources')
      .select('id')
      .where('organization_id', '=', workspace.id)
      .where('beyond_plan', '=', true)
      .execute()
    expect(rest).toEqual([])
  })
})

describe('answers over the cap of a metered tier', () => {
  /** Lets the waits between attempts pass. */
  const waitOut = async (): Promise<void> => {
    await paid.service.database.db
      .updateTable('overage_reports')
      .set({ next_attempt_at: new Date(0) })
      .where('sealed_at', 'is not', null)
      .where('sent_at', 'is', null)
      .execute()
  }
  const report = (): Promise<void> => paid.service.app.settleBilling()
  const meterOf = (customer: string): number =>
    paid.stripe.meters.totals().units.answers_overage?.[customer] ?? 0

  async function overTheCap(): Promise<{ workspace: PaidWorkspace; customer: string }> {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    await workspace.useCredits(25_000)
    return { workspace, customer: await workspace.customerId() }
  }

  it('are served, counted, priced and reported to the meter, those before the cap are not [PAY-27]', async () => {
    const { workspace, customer } = await overTheCap()
    await workspace.useCredits(24_999)
    for (let n = 0; n < 4; n += 1) expect(await search(workspace)).toBe(200)
    expect(await workspace.billing()).toMatchObject({
      creditsUsed: 25_003,
      creditsRemaining: 0,
      overageAnswers: 3,
      overageCostUsd: '0.045',
    })
    await waitOut()
    await report()
    expect(meterOf(customer)).toBe(3)
    await report()
    expect(meterOf(customer)).toBe(3)
  })

  it('are counted once when the meter’s answer is lost, and sent again under the same identifier [PAY-28]', async () => {
    const { workspace, customer } = await overTheCap()
    for (let n = 0; n < 5; n += 1) await search(workspace)
    paid.stripe.faults.add({ path: '/v1/billing/meter_events', drop: true, afterEffect: true, times: 2 })
    await report()
    expect(meterOf(customer)).toBe(5)
    for (let round = 0; round < 2; round += 1) {
      await waitOut()
      await report()
      expect(meterOf(customer)).toBe(5)
    }
    const left = await paid.service.database.db
      .selectFrom('overage_reports')
      .select('id')
      .where('sent_at', 'is', null)
      .execute()
    expect(left).toEqual([])
  })

  it('wait out 429 and 5xx, are seen in /metrics and by the operator meanwhile, and arrive [PAY-28, PAY-29]', async () => {
    const { workspace, customer } = await overTheCap()
    for (let n = 0; n < 2; n += 1) await search(workspace)
    const path = '/v1/billing/meter_events'
    for (const fault of [{ status: 429, headers: { 'retry-after': '7' } }, { status: 500 }]) {
      paid.stripe.faults.add({ path, ...fault, body: { error: { message: 'not now', type: 'api_error' } } })
      await waitOut()
      await report()
      paid.stripe.faults.clear()
    }
    const standing = await operate('GET', '/operator/overage')
    expect(standing.body).toMatchObject({ waitingAnswers: 2, uncertainAnswers: 0 })
    expect(standing.body.lagSeconds).toBeGreaterThan(0)
    expect(standing.body.reports).toMatchObject([{ organizationId: workspace.id, answers: 2, attempts: 2 }])
    expect(standing.body.reports[0].lastError).toMatch(/500/)
    const metrics = (await paid.service.call('GET', '/metrics')).text
    expect(metrics).toMatch(/^billing_overage_waiting_answers 2$/m)
    expect(metrics).toMatch(/^billing_overage_lag_seconds \d*\.?\d*[1-9]/m)
    await waitOut()
    await report()
    expect(meterOf(customer)).toBe(2)
    expect((await operate('GET', '/operator/overage')).body).toMatchObject({
      waitingAnswers: 0,
      lagSeconds: 0,
    })
  })

  it('of which nobody knows for a day whether they arrived wait for the operator [PAY-28]', async () => {
    const { workspace, customer } = await overTheCap()
    await search(workspace)
    const { db } = paid.service.database
    paid.stripe.faults.add({ path: '/v1/billing/meter_events', drop: true, afterEffect: false })
    await report()
    paid.stripe.faults.clear()
    await db
      .updateTable('overage_reports')
      .set({ unknown_since: new Date(Date.now() - 86_400_000), next_attempt_at: new Date(0) })
      .where('sent_at', 'is', null)
      .execute()
    await report()
    expect(meterOf(customer)).toBe(0)
    const { body } = await operate('GET', '/operator/overage')
    expect(body).toMatchObject({ uncertainAnswers: 1, reports: [{ isUncertain: true }] })
    const path = `/operator/organizations/${workspace.id}/overage/${body.reports[0].id}`
    expect((await operate('PUT', path, { arrived: false })).status).toBe(200)
    await report()
    expect(meterOf(customer)).toBe(1)
    expect((await operate('PUT', path, { arrived: true })).status).toBe(404)
  })

  it('take a bounded number of calls, however many they are [PAY-30]', async () => {
    const { workspace, customer } = await overTheCap()
    const before = paid.stripe.meters.totals().taken
    await Promise.all(Array.from({ length: 60 }, () => search(workspace)))
    await waitOut()
    await report()
    expect(meterOf(customer)).toBe(60)
    expect(paid.stripe.meters.totals().taken - before).toBeLessThanOrEqual(6)
  })

  it('are on the bill of the period in which they were served [PAY-31]', async () => {
    const { workspace, customer } = await overTheCap()
    await advance({ days: 8 })
    await workspace.useCredits(25_000)
    for (let n = 0; n < 10; n += 1) await search(workspace)
    await waitOut()
    await report()
    await advance({ days: 32 })
    const charged = [...paid.stripe.account.invoices.values()]
      .filter((invoice) => invoice.customer === customer)
      .flatMap(({ lines }) => lines.data)
      .filter(({ quantity, amount }) => quantity === 10 && amount === 15)
    expect(charged).toHaveLength(1)
    expect(await workspace.billing()).toMatchObject({ overageAnswers: 0, creditsUsed: 0 })
  })
})
