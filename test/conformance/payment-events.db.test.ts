import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { control, type PaidService, type PaidWorkspace, startPaidService } from '../support/paid-service.ts'

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

describe('the webhook', () => {
  const event = (id: string, object: object) => ({
    id,
    type: 'customer.subscription.updated',
    data: { object },
  })

  it('accepts what Stripe signed in the last five minutes, and returns 400 otherwise [PAY-19]', async () => {
    const body = event('evt_signed', { object: 'subscription', customer: 'cus_nobody' })
    expect((await paid.sendEvent(body)).status).toBe(200)
    for (const refused of [
      await paid.sendEvent(body, 'whsec_another'),
      await paid.sendEvent(body, 'whsec_emulator', Date.now() - 301_000),
      await paid.service.call('POST', WEBHOOK, { body }),
      await paid.service.call('POST', WEBHOOK, { body, headers: { 'stripe-signature': 't=1,v1=' } }),
      await paid.service.call('POST', WEBHOOK),
    ])
      expect(refused).toMatchObject({ status: 400, body: { code: 'webhook_signature_invalid' } })
    const large = await paid.sendEvent({ ...body, padding: 'x'.repeat(600_000) })
    expect(large.status).toBe(413)
  })

  it('returns 200 for an unknown organization or price, and changes nothing [PAY-20]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('builder')
    const before = await workspace.billing()
    const nobodys = {
      object: 'subscription',
      customer: 'cus_nobody',
      metadata: { organizationId: 'nonsense' },
    }
    expect((await paid.sendEvent(event('evt_nobody', nobodys))).status).toBe(200)
    const customer = await workspace.customerId()
    const known = [...paid.stripe.account.subscriptions.values()].find((one) => one.customer === customer)
    const item = known?.items.data[0]
    if (!known || !item) throw new Error('it was bought')
    const { lookup_key: lookupKey, product } = item.price
    Object.assign(item.price, { lookup_key: 'something_else', product: 'prod_other' })
    try {
      expect(
        (await paid.sendEvent(event('evt_unknown_price', { object: 'subscription', customer }))).status,
      ).toBe(200)
      expect(await workspace.billing()).toEqual(before)
    } finally {
      Object.assign(item.price, { lookup_key: lookupKey, product })
    }
  })

  it.each(['\u0000', 'cus_\ud800', 'c'.repeat(100_000)])(
    'refuses text that the database cannot store (%#) [PAY-19, PAY-20]',
    async (text) => {
      for (const object of [
        { object: 'subscription', customer: text },
        { object: 'subscription', customer: { id: text } },
        { object: 'customer', id: text },
        { object: 'subscription', customer: 'cus_nobody', metadata: { organizationId: text } },
        { object: 'checkout.session', client_reference_id: text },
        { object: 'invoice', parent: { subscription_details: { metadata: { organizationId: text } } } },
      ])
        expect((await paid.sendEvent(event('evt_hostile', object))).status, JSON.stringify(object)).toBe(200)
      const subscription = { object: 'subscription', customer: 'cus_nobody' }
      expect(await paid.sendEvent(event(text, subscription))).toMatchObject({
        status: 400,
        body: { code: 'validation_failed', issues: [{ path: '', message: expect.any(String) }] },
      })
      expect((await paid.sendEvent({ ...event('evt_type', subscription), type: text })).status).toBe(400)
    },
  )

  it('ignores another organization in the metadata of a known customer [PAY-20]', async () => {
    const [one, two] = [await newCustomer(), await newCustomer()]
    await one.buy('builder')
    await two.buy('studio')
    const object = { object: 'subscription', customer: 'cus_stranger', metadata: { organizationId: one.id } }
    await paid.sendEvent(event('evt_stranger', object))
    expect(await one.customerId()).not.toBe('cus_stranger')
    expect(await one.billing()).toMatchObject({ tier: 'builder' })
  })

  it("stores Stripe's current state, whatever the order, copies and delays of events [PAY-21]", async () => {
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
    // Each was processed once.
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

  it('is not required for longer than an hour: a comparison replaces a lost event [PAY-22]', async () => {
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

  it("succeeds while Stripe's API is down, and takes effect once that is back [PAY-23]", async () => {
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
  it('with the operator is never overwritten by an event, nor by a purchase [PAY-24]', async () => {
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
    const put = await paid.operate('PUT', `/operator/organizations/${workspace.id}/subscription`, contract)
    expect(put.body.subscription).toMatchObject({ ...contract, isContract: true })
    await control(paid.stripe, 'cancel', { customer })
    await paid.advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({
      status: 'active',
      tier: 'enterprise',
      creditsIncluded: 10,
    })
    await workspace.useCredits(10)
    expect(await workspace.search()).toBe(200)
    expect(await workspace.billing()).toMatchObject({ overageAnswers: 1, overageCostUsd: '0.0125' })
    const checkout = { tier: 'studio', interval: 'monthly' }
    expect(await workspace.call('POST', '/v1/console/billing/checkout', checkout)).toMatchObject({
      status: 409,
      body: { code: 'plan_by_contract' },
    })
    // A hard contract blocks.
    await paid.operate('PUT', `/operator/organizations/${workspace.id}/subscription`, {
      ...contract,
      overCap: 'block',
      extraAnswerUsd: null,
    })
    expect(await workspace.search()).toBe(429)
  })

  it("that the operator ends is replaced by Stripe's state [PAY-24]", async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    const path = `/operator/organizations/${workspace.id}/subscription`
    await paid.operate('PUT', path, { status: 'internal' })
    await paid.service.app.settleBilling()
    expect(await workspace.billing()).toMatchObject({ status: 'internal' })
    await paid.operate('PUT', path, { status: 'incomplete' })
    await paid.service.app.settleBilling()
    expect(await workspace.billing()).toMatchObject({ status: 'trialing', tier: 'studio' })
  })

  it('has consistent terms', async () => {
    const { id } = await newCustomer()
    for (const body of [
      { status: 'active', tier: 'enterprise', overCap: 'metered' },
      { status: 'active', tier: 'studio', extraAnswerUsd: '-1' },
      { status: 'active', tier: 'studio', extraAnswerUsd: '0.0000001' },
      { status: 'active', tier: 'studio', extraAnswerUsd: 0.015 },
    ])
      expect((await paid.operate('PUT', `/operator/organizations/${id}/subscription`, body)).status).toBe(400)
  })
})
