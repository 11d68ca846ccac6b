import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createStripeProcessor } from './create-stripe-processor.ts'

const servers: Server[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))))
})

/** A server on loopback; returns its base URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const processorAt = (apiUrl: string) =>
  createStripeProcessor(
    { secretKey: 'sk_test_1', webhookSecret: 'whsec_1', apiUrl, automaticTax: true },
    fetch,
  )

describe('Stripe at a configured URL', () => {
  it('is not followed to another host: the request stays here', async () => {
    let reached = 0
    const elsewhere = await serve((_request, response) => {
      reached += 1
      response.end(JSON.stringify({ id: 'cus_elsewhere', object: 'customer' }))
    })
    const url = await serve((request, response) => {
      response.writeHead(307, { Location: elsewhere + (request.url ?? '') }).end()
    })
    const processor = await processorAt(url)
    await expect(processor.createCustomer({ id: 'org-1', name: 'Acme', replaces: null })).rejects.toThrow(
      /redirect/i,
    )
    expect(reached).toBe(0)
  })

  const subscription = (status: string) => ({
    id: 'sub_1',
    object: 'subscription',
    status,
    created: 1_700_000_000,
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    trial_end: null,
    schedule: null,
    pause_collection: null,
    default_payment_method: null,
    default_source: null,
    customer: { id: 'cus_1', object: 'customer', deleted: true },
    items: {
      data: [
        {
          id: 'si_1',
          current_period_start: 1_700_000_000,
          current_period_end: 1_702_592_000,
          quantity: 1,
          price: {
            id: 'price_1',
            lookup_key: 'builder_monthly',
            product: 'prod_1',
            recurring: { interval: 'month', interval_count: 1, usage_type: 'licensed' },
          },
        },
      ],
    },
  })
  const serveOne = (status: string): Promise<string> =>
    serve((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ object: 'list', data: [subscription(status)], has_more: false }))
    })

  it('cannot be read when a subscription has an unknown status', async () => {
    const processor = await processorAt(await serveOne('hibernating'))
    await expect(processor.readCustomer('cus_1')).rejects.toThrow(/sub_1 has the status hibernating/)
  })

  it('reports a deleted customer who once subscribed', async () => {
    const reading = await (await processorAt(await serveOne('canceled'))).readCustomer('cus_1')
    expect(reading).toMatchObject({ isDeleted: true, subscriptions: [{ id: 'sub_1', status: 'canceled' }] })
  })
})
