import type { Stripe } from 'stripe'
import { afterEach, describe, expect, test } from 'vitest'
import type { StripeEmulator, StripeEmulatorOptions } from './index.ts'
import { post, startShop } from './testing.ts'

const started: StripeEmulator[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()))
})

/** A shop whose clock stands still until it is moved. */
async function shop(options: StripeEmulatorOptions = {}) {
  const opened = await startShop({ now: () => Date.parse('2026-01-31T12:00:00Z'), ...options })
  started.push(opened.emulator)
  const events = async (): Promise<string[]> =>
    (await opened.stripe.events.list({ limit: 100 })).data.map(({ type }) => type)
  const invoice = async (): Promise<Stripe.Invoice> => {
    const [newest] = (await opened.stripe.invoices.list({ customer: opened.customer.id })).data
    if (newest === undefined) throw new Error('the customer has no invoice')
    return newest
  }
  /** A checkout of a plan without a trial, with further `options`. */
  const checkout = async (plan: string, asked: Partial<Stripe.Checkout.SessionCreateParams>) =>
    await opened.stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: opened.customer.id,
      success_url: 'http://127.0.0.1:9/done',
      line_items: [{ price: await opened.priceOf(plan), quantity: 1 }],
      ...asked,
    })
  const promotion = async (coupon: Stripe.CouponCreateParams, code: string): Promise<void> => {
    const { id } = await opened.stripe.coupons.create(coupon)
    await opened.stripe.promotionCodes.create({ promotion: { type: 'coupon', coupon: id }, code })
  }
  return { ...opened, events, invoice, checkout, promotion }
}

const CONFIRM = { succeeds: 'yes' }
const REFUSE = { succeeds: 'no' }
const FIRST_PAYMENT = '4000002500003155'
const EVERY_PAYMENT = '4000002760003184'

describe('strong customer authentication', () => {
  test('keeps a subscription incomplete until the first payment is authenticated', async () => {
    const { openCheckout, pay, subscription, events, stripe } = await shop()
    const session = await openCheckout('builder_monthly', null)
    expect(await pay(session, FIRST_PAYMENT)).toContain(`/checkout/${session.id}`)
    expect(await (await fetch(session.url ?? '')).text()).toContain('Confirm payment')
    expect((await subscription()).status).toBe('incomplete')
    expect(await events()).toContain('invoice.payment_action_required')

    expect(await post(`${session.url}/authenticate`, REFUSE)).toContain('declined')
    expect((await subscription()).status).toBe('incomplete')
    await pay(session, FIRST_PAYMENT)
    expect(await post(`${session.url}/authenticate`, CONFIRM)).toBe(
      `http://127.0.0.1:9/done?session=${session.id}`,
    )
    expect((await subscription()).status).toBe('active')
    expect((await stripe.invoices.list({ status: 'open' })).data).toEqual([])
  })

  test('is not needed again for a card that was authenticated once', async () => {
    const { emulator, openCheckout, pay, subscription } = await shop()
    const session = await openCheckout('builder_monthly')
    await pay(session, FIRST_PAYMENT)
    await post(`${session.url}/authenticate`, CONFIRM)
    emulator.advance({ days: 40 })
    expect((await subscription()).status).toBe('active')
  })

  test('makes a renewal past due until its invoice is authenticated', async () => {
    const { emulator, stripe, openCheckout, pay, subscription, events, invoice } = await shop()
    const session = await openCheckout('builder_monthly')
    await pay(session, EVERY_PAYMENT)
    await post(`${session.url}/authenticate`, CONFIRM)
    emulator.advance({ days: 8 })
    expect((await subscription()).status).toBe('past_due')
    expect(await events()).toEqual(
      expect.arrayContaining(['invoice.payment_action_required', 'invoice.payment_failed']),
    )
    const { id, hosted_invoice_url: url } = await invoice()
    await expect(stripe.invoices.pay(id ?? '')).rejects.toMatchObject({
      code: 'invoice_payment_intent_requires_action',
    })
    await post(`${url}/authenticate`, REFUSE)
    expect((await subscription()).status).toBe('past_due')
    expect(await (await fetch(url ?? '')).text()).toContain('Confirm payment')
    await post(`${url}/authenticate`, CONFIRM)
    expect((await subscription()).status).toBe('active')
  })
})

describe('automatic tax', () => {
  test('is part of each line and of the amount due', async () => {
    const { checkout, pay, invoice, stripe } = await shop()
    const session = await checkout('builder_monthly', {
      automatic_tax: { enabled: true },
      customer_update: { address: 'auto' },
    })
    await pay(session)
    const { lines, ...paid } = await invoice()
    expect(paid).toMatchObject({
      subtotal: 9_900,
      total_excluding_tax: 9_900,
      total: 11_880,
      amount_paid: 11_880,
      total_taxes: [{ amount: 1_980, taxable_amount: 9_900 }],
      automatic_tax: { enabled: true, status: 'complete' },
    })
    expect(lines.data[0]?.taxes).toMatchObject([{ amount: 1_980, tax_behavior: 'exclusive' }])
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      amount_total: 11_880,
      total_details: { amount_tax: 1_980 },
    })
  })

  test('is refused without Stripe Tax', async () => {
    const { checkout } = await shop({ taxPercent: null })
    const asked = checkout('builder_monthly', {
      automatic_tax: { enabled: true },
      customer_update: { address: 'auto' },
    })
    await expect(asked).rejects.toThrow(/head office address/)
  })
})

describe('a promotion code', () => {
  test('reduces the first invoice, before tax, when its coupon applies once', async () => {
    const { emulator, checkout, invoice, promotion } = await shop()
    await promotion({ percent_off: 25, duration: 'once' }, 'LAUNCH')
    const session = await checkout('builder_monthly', {
      allow_promotion_codes: true,
      automatic_tax: { enabled: true },
      customer_update: { address: 'auto' },
    })
    await post(session.url, { card: '4242424242424242', code: 'launch' })
    const first = await invoice()
    expect(first).toMatchObject({ subtotal: 9_900, total_excluding_tax: 7_425, total: 8_910 })
    expect(first.total_discount_amounts).toMatchObject([{ amount: 2_475 }])
    expect(first.lines.data[0]?.discount_amounts).toMatchObject([{ amount: 2_475 }])
    emulator.advance({ days: 31 })
    expect(await invoice()).toMatchObject({ total: 11_880, total_discount_amounts: [] })
  })

  test('makes the credit of an upgrade equal what was paid', async () => {
    const { emulator, checkout, invoice, promotion, portal, priceOf } = await shop({
      now: () => Date.parse('2026-02-01T12:00:00Z'),
    })
    await promotion({ percent_off: 50, duration: 'once' }, 'HALF')
    const session = await checkout('builder_monthly', { allow_promotion_codes: true })
    await post(session.url, { card: '4242424242424242', code: 'HALF' })
    emulator.advance({ days: 14 })
    await post(`${(await portal()).url}/plan`, { price: await priceOf('studio_monthly') })
    const { lines, amount_paid } = await invoice()
    expect(lines.data.map(({ amount }) => amount)).toEqual([-2_475, 14_950])
    expect(amount_paid).toBe(12_475)
  })

  test('is refused when unknown or not enabled', async () => {
    const { checkout, openCheckout, promotion } = await shop()
    await promotion({ percent_off: 10 }, 'ONE')
    const card = '4242424242424242'
    const session = await checkout('builder_monthly', { allow_promotion_codes: true })
    expect(await post(session.url, { card, code: 'NONE' })).toBe('')
    expect(await post((await openCheckout('builder_monthly')).url, { card, code: 'ONE' })).toBe('')
  })
})
