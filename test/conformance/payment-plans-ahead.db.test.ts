import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { control, type PaidService, startPaidService } from '../support/paid-service.ts'
import { openDashboard, type StripeDashboard } from '../support/stripe-dashboard.ts'

let paid: PaidService
let desk: StripeDashboard

beforeAll(async () => {
  paid = await startPaidService({ environment: { ROLE: 'api', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' } })
  desk = openDashboard(paid)
})
afterAll(() => paid.close())

describe("a plan's next change", () => {
  it('is shown from its scheduling until it applies [PAY-39]', async () => {
    const { workspace, id } = await desk.customer('studio')
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

  it('emits a webhook event when it is scheduled, and when it applies [PAY-39]', async () => {
    const { workspace, id } = await desk.customer('studio')
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

  it('is not shown after it is withdrawn [PAY-39]', async () => {
    const { workspace, id } = await desk.customer('scale')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'studio_monthly' })
    await paid.stripe.eventsSent()
    expect((await workspace.billing()).plannedChange).toMatchObject({ tier: 'studio' })
    const { schedule } = desk.subscriptionOf(id)
    if (typeof schedule !== 'string') throw new Error('it is planned')
    await desk.stripe.subscriptionSchedules.release(schedule)
    await paid.stripe.eventsSent()
    expect(await workspace.billing()).toMatchObject({ tier: 'scale', plannedChange: null })
  })

  it('is recognized by its product when its price is retired [PAY-39]', async () => {
    const { workspace, id } = await desk.customer('scale')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'studio_monthly' })
    // A comparison concurrent with the event's own reading would do nothing.
    await paid.stripe.eventsSent()
    const price = [...paid.stripe.account.prices.values()].find(
      ({ lookup_key }) => lookup_key === 'studio_monthly',
    )
    if (!price) throw new Error('it is on sale')
    price.lookup_key = null
    try {
      await desk.compare(workspace)
      expect((await workspace.billing()).plannedChange).toMatchObject({ tier: 'studio', interval: 'monthly' })
    } finally {
      price.lookup_key = 'studio_monthly'
    }
  })

  it('is the end of the plan after a cancellation: for an annual plan, the end of the year, not of the month [PAY-15, PAY-39]', async () => {
    const { workspace, id } = await desk.customer('builder', 'annual')
    await control(paid.stripe, 'cancel', { customer: id })
    await paid.stripe.eventsSent()
    const billing = await workspace.billing()
    const end = new Date((desk.subscriptionOf(id).cancel_at ?? 0) * 1000).toISOString()
    expect(billing).toMatchObject({
      cancelAtPeriodEnd: true,
      plannedChange: { at: end, tier: null, interval: null },
    })
    expect(Date.parse(end) - Date.parse(billing.periodEnd)).toBeGreaterThan(300 * 86_400_000)
    await control(paid.stripe, 'cancel', { customer: id, cancel: false })
    await paid.stripe.eventsSent()
    expect((await workspace.billing()).plannedChange).toBeNull()
  })

  it('is dropped with the plan when the operator sets a contract [PAY-24]', async () => {
    const { workspace, id } = await desk.customer('studio')
    await control(paid.stripe, 'change-plan', { customer: id, plan: 'builder_monthly' })
    await paid.stripe.eventsSent()
    const path = `/operator/organizations/${workspace.id}/subscription`
    const put = await paid.operate('PUT', path, { status: 'internal' })
    expect(put.body.subscription.plannedChange).toBeNull()
    await desk.compare(workspace)
    expect((await workspace.billing()).plannedChange).toBeNull()
    expect(await desk.remarksOn(workspace)).toEqual(['beside_contract'])
  })
})
