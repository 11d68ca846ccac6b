import type { Stripe } from 'stripe'
import { afterEach, describe, expect, test } from 'vitest'
import type { StripeEmulator, StripeEmulatorOptions } from './index.ts'
import { post, startShop } from './testing.ts'

const started: StripeEmulator[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()))
})

/** A shop whose clock stands still until it is moved. */
async function shop(options: StripeEmulatorOptions & { at?: string } = {}) {
  const { at = '2026-01-31T12:00:00Z', ...rest } = options
  const opened = await startShop({ now: () => Date.parse(at), ...rest })
  started.push(opened.emulator)
  return opened
}

const iso = (seconds: number | undefined) => new Date((seconds ?? 0) * 1000).toISOString().slice(0, 16)

describe('checkout', () => {
  test('a working card starts the trial, and the browser returns with the session', async () => {
    const { stripe, customer, openCheckout, pay, subscription } = await shop()
    const session = await openCheckout('studio_monthly')
    expect(await (await fetch(session.url ?? '')).text()).toContain('Start trial')
    expect(await pay(session)).toBe(`http://127.0.0.1:9/done?session=${session.id}`)
    expect(await stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: 'complete',
      payment_status: 'no_payment_required',
      client_reference_id: 'o1',
      url: null,
    })
    const { status, items, metadata, customer: owner } = await subscription()
    expect({ status, metadata, owner }).toEqual({
      status: 'trialing',
      metadata: { organizationId: 'o1' },
      owner: customer.id,
    })
    expect(items.data.map(({ price }) => price.lookup_key)).toEqual(['studio_monthly', 'answers_overage'])
    expect(iso(items.data[0]?.current_period_end)).toBe('2026-02-07T12:00')
  })

  test('invalid combinations of options are refused as at Stripe', async () => {
    const { stripe, customer } = await shop()
    const [price] = (await stripe.prices.list({ lookup_keys: ['builder_monthly'] })).data
    const session = {
      mode: 'subscription' as const,
      line_items: [{ price: price?.id ?? '', quantity: 1 }],
      success_url: 'http://127.0.0.1:9/done',
    }
    const existing = { ...session, customer: customer.id }
    const cases: [Stripe.Checkout.SessionCreateParams, RegExp][] = [
      [{ ...session, customer_update: { name: 'auto' } }, /only be used with `customer`/],
      [{ ...existing, tax_id_collection: { enabled: true } }, /customer_update\[name\]/],
      [{ ...existing, automatic_tax: { enabled: true } }, /customer_update\[address\]/],
      [{ ...existing, customer_email: 'a@b.test' }, /only specify one/],
      [{ ...session, metadata: { a: 'x'.repeat(501) } }, /metadata/],
    ]
    for (const [refused, words] of cases)
      await expect(stripe.checkout.sessions.create(refused)).rejects.toThrow(words)
    const whole = {
      ...existing,
      automatic_tax: { enabled: true },
      tax_id_collection: { enabled: true },
      allow_promotion_codes: true,
      customer_update: { name: 'auto', address: 'auto' },
    } as const
    expect((await stripe.checkout.sessions.create(whole)).status).toBe('open')
  })

  test('a declined card leaves an incomplete subscription, which another card completes', async () => {
    const { openCheckout, pay, subscription } = await shop()
    const session = await openCheckout('builder_monthly')
    expect(await pay(session, '4000000000000002')).toContain('?declined=1')
    const refused = await subscription()
    expect(refused.status).toBe('incomplete')
    await pay(session)
    expect(await subscription()).toMatchObject({ id: refused.id, status: 'trialing' })
  })

  test('an abandoned session expires, with its incomplete subscription', async () => {
    const { emulator, stripe, openCheckout, pay, subscription } = await shop()
    const session = await openCheckout('builder_monthly')
    await pay(session, '4000000000000002')
    emulator.advance({ days: 2 })
    expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe('expired')
    expect((await subscription()).status).toBe('incomplete_expired')
  })

  test('without a trial the first period is paid at once', async () => {
    const { stripe, subscribe } = await shop()
    const { status, latest_invoice } = await subscribe('studio_annual', { trialDays: null })
    expect(status).toBe('active')
    expect(await stripe.invoices.retrieve(String(latest_invoice))).toMatchObject({
      status: 'paid',
      amount_paid: 287_000,
    })
  })
})

describe('the clock', () => {
  test('a trial ends in a paid period whose cycle keeps the day of the month', async () => {
    const { emulator, subscribe, subscription } = await shop({ at: '2026-01-24T12:00:00Z' })
    await subscribe('builder_monthly')
    const ends: string[] = []
    for (const days of [8, 28, 31]) {
      emulator.advance({ days })
      const { status, items } = await subscription()
      expect(status).toBe('active')
      ends.push(iso(items.data[0]?.current_period_end))
    }
    expect(ends).toEqual(['2026-02-28T12:00', '2026-03-31T12:00', '2026-04-30T12:00'])
  })

  test('everything happens in order, at its own time', async () => {
    const { emulator, stripe, subscribe } = await shop()
    await subscribe('studio_monthly', { card: '4000000000000341' })
    emulator.advance({ days: 60 })
    const events = (await stripe.events.list({ limit: 100 })).data.toReversed()
    const told = events
      .filter(({ type }) => ['invoice.payment_failed', 'customer.subscription.trial_will_end'].includes(type))
      .map(({ type, created }) => `${type} ${iso(created)}`)
    expect(told).toEqual([
      'customer.subscription.trial_will_end 2026-02-04T12:00',
      'invoice.payment_failed 2026-02-07T13:00',
      'invoice.payment_failed 2026-02-10T13:00',
      'invoice.payment_failed 2026-02-15T13:00',
      'invoice.payment_failed 2026-02-22T13:00',
    ])
    expect(events.map(({ created }) => created)).toEqual(
      events.map(({ created }) => created).toSorted((a, b) => a - b),
    )
  })

  test.each([
    ['unpaid', 'unpaid'],
    ['cancel', 'canceled'],
    ['past_due', 'past_due'],
  ] as const)('after the last failed attempt the rule %s leaves it %s', async (afterRetries, status) => {
    const { emulator, subscribe, subscription } = await shop({ afterRetries })
    await subscribe('studio_monthly', { card: '4000000000000341' })
    emulator.advance({ days: 9 })
    expect((await subscription()).status).toBe('past_due')
    emulator.advance({ days: 15 })
    expect((await subscription()).status).toBe(status)
  })

  test('another card recovers a past due subscription at the next attempt, or at once when paid manually', async () => {
    const { emulator, stripe, subscribe, subscription, portal } = await shop()
    await subscribe('studio_monthly', { card: '4000000000000341' })
    emulator.advance({ days: 8 })
    const { url } = await portal()
    expect(await post(`${url}/card`, { card: '4000000000000002' })).toContain('declined')
    expect(await post(`${url}/card`, { card: '4242424242424242' })).toContain('kept')
    expect((await subscription()).status).toBe('past_due')
    await post(`${url}/pay/${String((await subscription()).latest_invoice)}`)
    expect((await subscription()).status).toBe('active')
    expect((await stripe.invoices.list({ status: 'open' })).data).toEqual([])
  })

  test('a trial that ends without a card is past due', async () => {
    const { emulator, stripe, customer, priceOf, subscription } = await shop()
    await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: await priceOf('builder_monthly') }],
      trial_period_days: 7,
    })
    emulator.advance({ days: 8 })
    expect((await subscription()).status).toBe('past_due')
  })

  test('does not go back', async () => {
    const { emulator } = await shop()
    emulator.advance({ days: 1 })
    expect(() => emulator.advanceTo(Date.parse('2026-01-31T13:00:00Z') / 1000)).toThrow('only goes forward')
  })
})

describe('the portal', () => {
  test('an upgrade applies at once, and the rest of the period is credited and charged', async () => {
    const { emulator, stripe, subscribe, subscription, portal, priceOf } = await shop()
    await subscribe('builder_monthly')
    emulator.advance({ days: 7 + 14 })
    const before = await subscription()
    await post(`${(await portal()).url}/plan`, { price: await priceOf('studio_monthly') })
    const after = await subscription()
    expect(after.items.data[0]?.price.lookup_key).toBe('studio_monthly')
    expect(after.items.data[0]?.current_period_end).toBe(before.items.data[0]?.current_period_end)
    const invoice = await stripe.invoices.retrieve(String(after.latest_invoice))
    expect(invoice).toMatchObject({
      status: 'paid',
      amount_due: 10_000,
      billing_reason: 'subscription_update',
    })
    expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-4_950, 14_950])
  })

  test('a downgrade applies with the next period', async () => {
    const { emulator, subscribe, subscription, portal, priceOf } = await shop()
    await subscribe('scale_monthly')
    emulator.advance({ days: 10 })
    expect(await post(`${(await portal()).url}/plan`, { price: await priceOf('builder_monthly') })).toContain(
      'planned',
    )
    expect((await subscription()).items.data[0]?.price.lookup_key).toBe('scale_monthly')
    emulator.advance({ days: 28 })
    const { items, schedule, status } = await subscription()
    expect({ plan: items.data[0]?.price.lookup_key, schedule, status }).toEqual({
      plan: 'builder_monthly',
      schedule: null,
      status: 'active',
    })
  })

  test('the preview shows the scheduled change, and the next invoice charges it', async () => {
    const { emulator, stripe, customer, subscribe, portal, priceOf } = await shop()
    await subscribe('scale_monthly')
    emulator.advance({ days: 10 })
    const { url } = await portal()
    for (const [plan, name, cents] of [
      ['studio_monthly', 'Studio', 29_900],
      ['builder_monthly', 'Builder', 9_900],
    ] as const) {
      await post(`${url}/plan`, { price: await priceOf(plan) })
      const preview = await stripe.invoices.createPreview({ customer: customer.id })
      const [line] = preview.lines.data
      expect(line).toMatchObject({ description: `1 × ${name}`, amount: cents })
      expect(await (await fetch(url)).text()).toContain(`1 × ${name}`)
    }
    emulator.advance({ days: 28, hours: 2 })
    const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
    expect(invoice).toMatchObject({ amount_paid: 9_900, status: 'paid' })
  })

  test('a change to yearly payment begins a new period now, one to monthly payment when the year ends', async () => {
    const { emulator, subscribe, subscription, portal, priceOf } = await shop()
    await subscribe('studio_monthly')
    emulator.advance({ days: 10 })
    const { url } = await portal()
    await post(`${url}/plan`, { price: await priceOf('studio_annual') })
    const annual = await subscription()
    expect(annual.items.data.map((item) => iso(item.current_period_end))).toEqual([
      '2027-02-10T12:00',
      '2026-03-10T12:00',
    ])
    await post(`${url}/plan`, { price: await priceOf('studio_monthly') })
    emulator.advance({ days: 365 })
    const monthly = await subscription()
    expect(monthly.items.data.map((item) => [item.price.lookup_key, iso(item.current_period_end)])).toEqual([
      ['studio_monthly', '2027-03-10T12:00'],
      ['answers_overage', '2027-03-10T12:00'],
    ])
  })

  test('a cancellation ends the subscription with its period unless it is withdrawn', async () => {
    const { emulator, subscribe, subscription, portal } = await shop()
    await subscribe('builder_monthly')
    const { url } = await portal()
    await post(`${url}/cancel`)
    expect((await subscription()).cancel_at_period_end).toBe(true)
    await post(`${url}/resume`)
    expect((await subscription()).cancel_at).toBeNull()
    await post(`${url}/cancel`)
    emulator.advance({ days: 8 })
    const { status, ended_at } = await subscription()
    expect([status, iso(ended_at ?? 0)]).toEqual(['canceled', '2026-02-07T12:00'])
  })

  test('the page shows the plan, the next invoice and the invoices', async () => {
    const { emulator, subscribe, portal } = await shop()
    await subscribe('studio_monthly')
    emulator.advance({ days: 8 })
    const page = await (await fetch((await portal()).url)).text()
    for (const words of ['Studio, monthly', 'Next invoice', '$299.00', 'Extra answers', 'ending in'])
      expect(page).toContain(words)
  })
})

test('pages escape external text', async () => {
  const { emulator, stripe, customer } = await shop()
  await stripe.customers.update(customer.id, { email: '<script>x</script>' })
  await stripe.subscriptions.create({
    customer: customer.id,
    trial_period_days: 7,
    items: [{ price: (await stripe.prices.list({ lookup_keys: ['builder_monthly'] })).data[0]?.id ?? '' }],
  })
  const page = await (await fetch(emulator.url)).text()
  expect(page).toContain('&lt;script&gt;')
  expect(page).not.toContain('<script>')
})
