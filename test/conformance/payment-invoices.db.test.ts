import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { control, type PaidService, type PaidWorkspace, startPaidService } from '../support/paid-service.ts'
import { openDashboard, type StripeDashboard } from '../support/stripe-dashboard.ts'

const ASKS_ONCE = '4000002500003155'
const ASKS_ALWAYS = '4000002760003184'

let paid: PaidService
let desk: StripeDashboard

beforeAll(async () => {
  paid = await startPaidService({ environment: { ROLE: 'api', STRIPE_AUTOMATIC_TAX: 'true' } })
  desk = openDashboard(paid)
})
afterAll(() => paid.close())

/** Acts as a card's owner on Stripe's pages; resolves once Stripe's events have been answered. */
async function onPage(act: string, body: object): Promise<void> {
  await control(paid.stripe, act, body)
  await paid.stripe.eventsSent()
}

async function invoiceOf(workspace: PaidWorkspace) {
  const [invoice] = (await desk.stripe.invoices.list({ customer: await workspace.customerId() })).data
  if (!invoice) throw new Error('the workspace has no invoice')
  return invoice
}

async function invoices(workspace: PaidWorkspace): Promise<{ status: string; total: number }[]> {
  const { status, body } = await workspace.call('GET', '/v1/console/billing/invoices')
  expect(status).toBe(200)
  return body.invoices
}

describe('GET /v1/console/billing/invoices', () => {
  it("lists only the workspace's invoices, newest first [PAY-50]", async () => {
    const workspace = await paid.customer('has-invoices')
    const other = await paid.customer('has-none')
    expect(await invoices(workspace)).toEqual([])
    await workspace.buy('builder')
    await paid.advance({ days: 8 })
    const listed = await invoices(workspace)
    expect(listed.length).toBeGreaterThan(0)
    expect(listed.find(({ status, total }) => status === 'paid' && total > 0)).toMatchObject({
      // 99 USD and the emulator's tax of 20 percent.
      total: 11_880,
      currency: 'usd',
    })
    expect(await invoices(other)).toEqual([])
  })
})

describe('a payment that the bank must authenticate', () => {
  it('leaves the workspace incomplete until the first one is authenticated [PAY-11]', async () => {
    const workspace = await paid.customer('confirms-first')
    const { id: session, url } = await workspace.checkout('builder')
    await onPage('pay', { session, card: ASKS_ONCE })
    expect(await workspace.billing()).toMatchObject({ status: 'incomplete', tier: 'builder' })
    expect(await workspace.search()).toBe(402)
    await onPage('authenticate', { session, succeeds: false })
    expect(await workspace.billing()).toMatchObject({ status: 'incomplete' })
    // A second request returns the same page.
    expect((await workspace.checkout('builder')).url).toBe(url)
    await onPage('pay', { session, card: ASKS_ONCE })
    await onPage('authenticate', { session })
    expect(await workspace.billing()).toMatchObject({ status: 'trialing' })
    await paid.advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({ status: 'active' })
  })

  it('makes a renewal past_due, which still retrieves, until it is authenticated [PAY-14]', async () => {
    const workspace = await paid.customer('confirms-renewals')
    const { id: session } = await workspace.checkout('builder')
    await onPage('pay', { session, card: ASKS_ALWAYS })
    await onPage('authenticate', { session })
    await paid.advance({ days: 8 })
    expect(await workspace.billing()).toMatchObject({ status: 'past_due' })
    expect(await workspace.search()).toBe(200)
    const customer = await workspace.customerId()
    await onPage('authenticate', { customer, succeeds: false })
    expect(await workspace.billing()).toMatchObject({ status: 'past_due' })
    await onPage('authenticate', { customer })
    expect(await workspace.billing()).toMatchObject({ status: 'active' })
  })

  it('makes an upgrade past_due until it is authenticated, and unpaid after the last attempt [PAY-14, PAY-16]', async () => {
    const { workspace, id: customer } = await desk.customer('builder')
    await onPage('change-card', { customer, card: ASKS_ALWAYS })
    await onPage('change-plan', { customer, plan: 'studio_monthly' })
    expect(await workspace.billing()).toMatchObject({ status: 'past_due', tier: 'studio' })
    await paid.advance({ days: 16 })
    expect(await workspace.billing()).toMatchObject({ status: 'unpaid' })
    expect(await workspace.search()).toBe(402)
    await onPage('authenticate', { customer })
    expect(await workspace.billing()).toMatchObject({ status: 'active', tier: 'studio' })
  })
})

describe('the invoices', () => {
  it('of an upgrade credit the rest of the former plan and charge that of the new one, with tax [PAY-16]', async () => {
    const { workspace, id: customer } = await desk.customer('builder')
    const { periodStart, periodEnd } = await workspace.billing()
    await paid.advance({ days: 10 })
    await onPage('change-plan', { customer, plan: 'studio_monthly' })
    const { lines, subtotal, total, total_taxes, amount_paid, created } = await invoiceOf(workspace)
    const share =
      (Date.parse(periodEnd) / 1000 - created) / ((Date.parse(periodEnd) - Date.parse(periodStart)) / 1000)
    const [credit, charge] = [-Math.round(9_900 * share), Math.round(29_900 * share)]
    expect(lines.data.map(({ amount }) => amount)).toEqual([credit, charge])
    expect(subtotal).toBe(credit + charge)
    expect(total).toBe(subtotal + (total_taxes?.[0]?.amount ?? 0))
    expect(Math.abs(total - subtotal * 1.2)).toBeLessThan(2)
    expect(amount_paid).toBe(total)
  })

  it('of a downgrade are those of the smaller plan from the next period on, and pay nothing back [PAY-16]', async () => {
    const { workspace, id: customer } = await desk.customer('studio')
    const before = await invoiceOf(workspace)
    await onPage('change-plan', { customer, plan: 'builder_monthly' })
    expect((await invoiceOf(workspace)).id).toBe(before.id)
    await paid.advance({ days: 31, hours: 2 })
    const after = await invoiceOf(workspace)
    // Builder, and the ended month's answers over the cap, of which there were none.
    expect(after.lines.data.map(({ amount }) => amount)).toEqual([0, 9_900])
    expect(after).toMatchObject({ total: 11_880, status: 'paid' })
  })

  it('apply a promotion code from the checkout', async () => {
    const { id: coupon } = await desk.stripe.coupons.create({ percent_off: 50, duration: 'forever' })
    await desk.stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon }, code: 'HALF' })
    const workspace = await paid.customer('has-a-code')
    const { id: session } = await workspace.checkout('builder')
    await onPage('pay', { session, code: 'HALF' })
    await paid.advance({ days: 8 })
    expect(await invoiceOf(workspace)).toMatchObject({ subtotal: 9_900, total: 5_940, status: 'paid' })
    expect(await workspace.billing()).toMatchObject({ status: 'active', tier: 'builder' })
    expect(await desk.remarksOn(workspace)).toEqual([])
  })
})
