import { afterEach, describe, expect, test } from 'vitest'
import type { StripeEmulator } from './index.ts'
import { startShop } from './testing.ts'

const started: StripeEmulator[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()))
})

const START = Date.parse('2026-03-01T00:00:00Z')

async function shop() {
  const time = { ms: START }
  const opened = await startShop({ now: () => time.ms })
  started.push(opened.emulator)
  const { stripe, customer } = opened
  const use = async (value: number, given: { identifier?: string; timestamp?: number } = {}) =>
    await stripe.billing.meterEvents.create({
      event_name: 'answers_overage',
      payload: { stripe_customer_id: customer.id, value: String(value) },
      ...given,
    })
  const lines = async () => {
    const [invoice] = (await stripe.invoices.list({ customer: customer.id })).data
    return invoice?.lines.data.map(({ description, quantity, amount }) => [description, quantity, amount])
  }
  return { ...opened, time, use, lines }
}

describe('meter events', () => {
  test('an identifier counts once a day', async () => {
    const { emulator, use, time, customer } = await shop()
    await use(5, { identifier: 'a' })
    await expect(use(5, { identifier: 'a' })).rejects.toMatchObject({ code: 'duplicate_meter_event' })
    expect(emulator.meters.totals()).toEqual({
      units: { answers_overage: { [customer.id]: 5 } },
      taken: 1,
      repeated: 1,
    })
    time.ms += 24 * 3_600_000
    await use(5, { identifier: 'a' })
    expect(emulator.meters.totals().taken).toBe(2)
  })

  test('events that are too old, in the future, without a customer or without a number are refused', async () => {
    const { stripe, use, customer } = await shop()
    const now = START / 1000
    await expect(use(1, { timestamp: now - 36 * 86_400 })).rejects.toMatchObject({
      code: 'timestamp_too_far_in_past',
    })
    await expect(use(1, { timestamp: now + 400 })).rejects.toMatchObject({ code: 'timestamp_in_future' })
    const create = async (event_name: string, payload: Record<string, string>) =>
      await stripe.billing.meterEvents.create({ event_name, payload })
    await expect(create('none', { stripe_customer_id: customer.id, value: '1' })).rejects.toMatchObject({
      param: 'event_name',
    })
    await expect(
      create('answers_overage', { stripe_customer_id: 'cus_none', value: '1' }),
    ).rejects.toMatchObject({ statusCode: 400 })
    await expect(
      create('answers_overage', { stripe_customer_id: customer.id, value: 'x' }),
    ).rejects.toMatchObject({ statusCode: 400 })
  })
})

describe('the bill', () => {
  test('uses are charged with their period, even when reported within an hour after it', async () => {
    const { emulator, subscribe, use, lines } = await shop()
    await subscribe('studio_monthly', { trialDays: null })
    await use(100)
    const end = Date.parse('2026-04-01T00:00:00Z') / 1000
    emulator.advanceTo(end + 60)
    await use(7, { timestamp: end - 1 })
    await use(1_000, { timestamp: end })
    emulator.advance({ hours: 2 })
    expect(await lines()).toEqual([
      ['Extra answers', 107, 161],
      ['1 × Studio', 1, 29_900],
    ])
    emulator.advance({ days: 30 })
    expect(await lines()).toEqual([
      ['Extra answers', 1_000, 1_500],
      ['1 × Studio', 1, 29_900],
    ])
  })

  test('the preview shows the uses so far', async () => {
    const { stripe, subscribe, use, customer } = await shop()
    await subscribe('scale_monthly', { trialDays: null })
    await use(40)
    const preview = await stripe.invoices.createPreview({ customer: customer.id })
    expect(preview.lines.data.map(({ amount }) => amount)).toEqual([79_900, 60])
    expect(preview.amount_due).toBe(79_960)
  })

  test('uses in a trial are free', async () => {
    const { emulator, subscribe, use, lines } = await shop()
    await subscribe('studio_monthly')
    await use(100)
    emulator.advance({ days: 8 })
    expect(await lines()).toEqual([['1 × Studio', 1, 29_900]])
  })

  test('with an annual plan extra answers are charged every month', async () => {
    const { emulator, subscribe, use, lines } = await shop()
    await subscribe('studio_annual', { trialDays: null })
    await use(200)
    emulator.advance({ days: 32 })
    expect(await lines()).toEqual([['Extra answers', 200, 300]])
  })

  test("a service with an unchanged clock reports into Stripe's current period", async () => {
    const { emulator, subscribe, use, lines, time } = await shop()
    await subscribe('studio_monthly', { trialDays: null })
    time.ms += 60_000
    const servedBefore = time.ms / 1000
    time.ms += 60_000
    emulator.advance({ days: 31 })
    await use(1, { timestamp: servedBefore })
    time.ms += 60_000
    await use(10, { timestamp: time.ms / 1000 })
    emulator.advance({ days: 31 })
    expect((await lines())?.[0]).toEqual(['Extra answers', 10, 15])
  })
})
