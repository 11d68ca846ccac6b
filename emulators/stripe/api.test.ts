import { afterEach, describe, expect, test } from 'vitest'
import { parseForm } from './form.ts'
import type { StripeEmulator } from './index.ts'
import { clientOf, startShop } from './testing.ts'

const started: StripeEmulator[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map((emulator) => emulator.close()))
})

async function shop() {
  const opened = await startShop()
  started.push(opened.emulator)
  return opened
}

describe("the official client's calls", () => {
  test('form bodies are parsed with nesting, lists and empty brackets', () => {
    expect(parseForm('a[b][0][c]=1&a[b][1][c]=2&expand[]=x&expand[]=y&m[k]=v')).toEqual({
      a: { b: [{ c: '1' }, { c: '2' }] },
      expand: ['x', 'y'],
      m: { k: 'v' },
    })
  })

  test("prices are found by lookup key with the plans' amounts", async () => {
    const { stripe } = await shop()
    const keys = ['builder', 'studio', 'scale'].flatMap((plan) => [`${plan}_monthly`, `${plan}_annual`])
    const { data } = await stripe.prices.list({
      lookup_keys: [...keys, 'answers_overage'],
      expand: ['data.product'],
    })
    const amounts = Object.fromEntries(
      data.map((price) => [price.lookup_key, price.unit_amount_decimal?.toString()]),
    )
    expect(amounts).toEqual({
      builder_monthly: '9900',
      builder_annual: '95000',
      studio_monthly: '29900',
      studio_annual: '287000',
      scale_monthly: '79900',
      scale_annual: '767000',
      answers_overage: '1.5',
    })
    expect(data[0]?.product).toMatchObject({ object: 'product' })
  })

  test('a retired price is no longer found', async () => {
    const { emulator, stripe } = await shop()
    await fetch(`${emulator.url}/_emulator/remove-price`, {
      method: 'POST',
      body: JSON.stringify({ lookupKey: 'scale_annual' }),
    })
    expect((await stripe.prices.list({ lookup_keys: ['scale_annual'] })).data).toEqual([])
  })

  test('lists are paged, newest first', async () => {
    const { stripe } = await shop()
    for (let count = 0; count < 4; count += 1) await stripe.customers.create({ email: `c${count}@acme.test` })
    const first = await stripe.customers.list({ limit: 2 })
    expect(first.data.map(({ email }) => email)).toEqual(['c3@acme.test', 'c2@acme.test'])
    expect(first.has_more).toBe(true)
    const all: (string | null)[] = []
    for await (const { email } of stripe.customers.list({ limit: 2 })) all.push(email)
    expect(all).toHaveLength(5)
  })

  test("errors are Stripe's: missing object, wrong key, unknown parameter", async () => {
    const { emulator, stripe } = await shop()
    await expect(stripe.customers.retrieve('cus_none')).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 404,
      code: 'resource_missing',
    })
    const response = await fetch(`${emulator.url}/v1/customers`, {
      headers: { authorization: 'Bearer sk_wrong' },
    })
    expect(response.status).toBe(401)
    expect(response.headers.get('request-id')).toMatch(/^req_/)
    await expect(stripe.customers.list({ limit: 3, starting_after: 'cus_none' })).rejects.toMatchObject({
      statusCode: 404,
    })
    const basic = `Basic ${Buffer.from('sk_test_emulator:').toString('base64')}`
    const strange = await fetch(`${emulator.url}/v1/customers?colour=red`, {
      headers: { authorization: basic },
    })
    expect(await strange.json()).toMatchObject({ error: { code: 'parameter_unknown', param: 'colour' } })
  })
})

describe('idempotency keys', () => {
  test('a repeated call returns the stored answer and has no further effect', async () => {
    const { stripe } = await shop()
    const create = async () =>
      await stripe.customers.create({ email: 'twice@acme.test' }, { idempotencyKey: 'k1' })
    const [first, second] = [await create(), await create()]
    expect(second.id).toBe(first.id)
    expect(second.lastResponse.headers['idempotent-replayed']).toBe('true')
    expect((await stripe.customers.list({ email: 'twice@acme.test' })).data).toHaveLength(1)
  })

  test('a key of a call with other parameters is refused', async () => {
    const { stripe } = await shop()
    await stripe.customers.create({ email: 'a@acme.test' }, { idempotencyKey: 'k1' })
    await expect(
      stripe.customers.create({ email: 'b@acme.test' }, { idempotencyKey: 'k1' }),
    ).rejects.toMatchObject({ type: 'StripeIdempotencyError', statusCode: 400 })
  })

  test('a repetition of a call in progress conflicts', async () => {
    const { emulator, stripe } = await shop()
    await fetch(`${emulator.url}/_emulator/work`, { method: 'POST', body: JSON.stringify({ ms: 300 }) })
    const create = async () =>
      await stripe.customers.create({ email: 'a@acme.test' }, { idempotencyKey: 'k1' })
    const results = await Promise.allSettled([create(), create()])
    const refused = results.find((result) => result.status === 'rejected')
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(refused?.reason).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' })
  })

  test('a refused call frees its key', async () => {
    const { stripe, customer } = await shop()
    const open = async (id: string) =>
      await stripe.billingPortal.sessions.create({ customer: id }, { idempotencyKey: `portal-${id}` })
    await expect(open('cus_none')).rejects.toMatchObject({ statusCode: 404 })
    await expect(open('cus_none')).rejects.toMatchObject({ statusCode: 404 })
    expect((await open(customer.id)).url).toContain('/portal/')
  })
})

describe('injected faults', () => {
  test('a rate limit, an error and a cut connection reach the client', async () => {
    const { emulator, stripe } = await shop()
    emulator.faults.add({ status: 429, headers: { 'retry-after': '2' }, times: 1 })
    emulator.faults.add({ status: 500, times: 1 })
    // The client itself retries once on a kept connection that is cut.
    emulator.faults.add({ drop: true, times: 2 })
    await expect(stripe.customers.list()).rejects.toMatchObject({
      type: 'StripeRateLimitError',
      headers: { 'retry-after': '2' },
    })
    await expect(stripe.customers.list()).rejects.toMatchObject({ type: 'StripeAPIError', statusCode: 500 })
    await expect(stripe.customers.list()).rejects.toMatchObject({ type: 'StripeConnectionError' })
    expect((await stripe.customers.list()).data).toHaveLength(1)
  })

  test('a call with a lost answer takes effect once, however often the client repeats it', async () => {
    const { emulator } = await shop()
    const stripe = clientOf(emulator, { retries: 2 })
    emulator.faults.add({ drop: true, afterEffect: true, times: 2, path: '/v1/customers' })
    await stripe.customers.create({ email: 'lost@acme.test' })
    expect((await stripe.customers.list({ email: 'lost@acme.test' })).data).toHaveLength(1)
  })
})
