import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Stripe } from 'stripe'
import { startStripeEmulator, type StripeEmulator, type StripeEmulatorOptions } from './index.ts'

/** The official client, pointed at an emulator. */
export function clientOf(emulator: StripeEmulator, options: { retries?: number } = {}): Stripe {
  const { hostname, port } = new URL(emulator.url)
  return new Stripe('sk_test_emulator', {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: options.retries ?? 0,
    telemetry: false,
  })
}

/** A service that receives webhooks and verifies their signatures with the official client. */
export async function startReceiver(options: { status?: () => number } = {}) {
  const events: Stripe.Event[] = []
  const stripe = new Stripe('sk_test_receiver')
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (data: Buffer) => (body += data.toString('utf8')))
    request.on('end', () => {
      const status = options.status?.() ?? 200
      const signature = request.headers['stripe-signature'] ?? ''
      if (status === 200) events.push(stripe.webhooks.constructEvent(body, signature, 'whsec_emulator'))
      response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    events,
    types: () => events.map(({ type }) => type),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

export async function startShop(options: StripeEmulatorOptions = {}) {
  const emulator = await startStripeEmulator(options)
  const stripe = clientOf(emulator)
  const customer = await stripe.customers.create({
    email: 'owner@acme.test',
    metadata: { organizationId: 'o1' },
  })
  const priceOf = async (lookupKey: string): Promise<string> => {
    const [price] = (await stripe.prices.list({ lookup_keys: [lookupKey] })).data
    if (price === undefined) throw new Error(`no price ${lookupKey}`)
    return price.id
  }
  const openCheckout = async (plan: string, trialDays: number | null = 7) =>
    await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      client_reference_id: 'o1',
      success_url: 'http://127.0.0.1:9/done?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://127.0.0.1:9/back',
      payment_method_collection: 'always',
      metadata: { organizationId: 'o1' },
      line_items: [
        { price: await priceOf(plan), quantity: 1 },
        ...(plan.startsWith('builder') ? [] : [{ price: await priceOf('answers_overage') }]),
      ],
      subscription_data: {
        metadata: { organizationId: 'o1' },
        ...(trialDays === null ? {} : { trial_period_days: trialDays }),
      },
    })
  const subscribe = async (plan: string, given: { trialDays?: number | null; card?: string } = {}) => {
    await pay(await openCheckout(plan, given.trialDays), given.card)
    return await subscription()
  }
  const subscription = async () => {
    const [newest] = (await stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data
    if (newest === undefined) throw new Error('the customer has no subscription')
    return newest
  }
  const portal = async () => await stripe.billingPortal.sessions.create({ customer: customer.id })
  return { emulator, stripe, customer, priceOf, openCheckout, pay, subscribe, subscription, portal }
}

/** Pays with a card on the hosted page; returns the redirect. */
const pay = async (session: { url: string | null }, card = '4242424242424242') =>
  await post(session.url, { card })

/** Submits a page's form; returns the redirect. */
export async function post(url: string | null, fields: Record<string, string> = {}): Promise<string> {
  if (url === null) throw new Error('there is no page')
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
  return response.headers.get('location') ?? ''
}
