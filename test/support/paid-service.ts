import { createHmac } from 'node:crypto'
import { startStripeEmulator, type StripeEmulator } from '../../emulators/stripe/index.ts'
import type { AppDependencies } from '../../src/assembly/dependencies.ts'
import type { Tier } from '../../src/database/schema.ts'
import { startIssuer, type TestIssuer } from './issuer.ts'
import { type Person, signIn } from './people.ts'
import { freePort } from './service-process.ts'
import { type Answer, OPERATOR_TOKEN, startTestService, type TestService } from './service.ts'

export type SoldTier = Exclude<Tier, 'enterprise'>

/** The service with the emulated payment processor, which sends it events. */
export interface PaidService {
  service: TestService
  stripe: StripeEmulator
  issuer: TestIssuer
  /** A new workspace with its signed-in owner. */
  customer(subject: string): Promise<PaidWorkspace>
  /** Advances Stripe's clock; resolves once its events have been answered. */
  advance(by: { days?: number; hours?: number }): Promise<void>
  /** Sends an event as Stripe does, signed with the secret at the time. */
  sendEvent(event: object, secret?: string, at?: number): Promise<Answer>
  /** As the operator of the deployment. */
  operate(method: string, path: string, body?: object): Promise<Answer>
  close(): Promise<void>
}

export interface PaidWorkspace {
  id: string
  owner: Person
  /** As its owner. */
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** The answer of GET /v1/console/billing. */
  billing(): Promise<Answer['body']>
  /** Begins a checkout and returns its id and URL. */
  checkout(tier: SoldTier, interval?: 'monthly' | 'annual'): Promise<{ id: string; url: string }>
  /** Checks out and pays; resolves once Stripe's events have been answered. */
  buy(tier: SoldTier, options?: { interval?: 'monthly' | 'annual'; card?: string }): Promise<void>
  /** Its customer at Stripe. */
  customerId(): Promise<string>
  /** The status of a search as its owner. */
  search(): Promise<number>
  /** Sets the workspace's usage counter. */
  useCredits(count: number): Promise<void>
}

/** Starts everything on loopback, on its own database. */
export async function startPaidService(
  options: {
    environment?: Record<string, string>
    logger?: AppDependencies['logger']
  } = {},
): Promise<PaidService> {
  const port = await freePort()
  const [issuer, stripe] = await Promise.all([
    startIssuer(),
    startStripeEmulator({
      webhookUrl: `http://127.0.0.1:${port}/v1/webhooks/stripe`,
      webhookRetryMs: [200, 1_000],
    }),
  ])
  const service = await startTestService({
    port,
    environment: { ...issuer.environment, ...stripe.env, ...options.environment },
    ...(options.logger ? { logger: options.logger } : {}),
  })
  return {
    service,
    stripe,
    issuer,
    customer: (subject) => makeCustomer(service, stripe, issuer, subject),
    async advance(by) {
      stripe.advance(by)
      await stripe.eventsSent()
    },
    async sendEvent(event, secret = 'whsec_emulator', at = Date.now()) {
      const raw = JSON.stringify(event)
      const time = Math.floor(at / 1000)
      const signature = createHmac('sha256', secret).update(`${time}.${raw}`).digest('hex')
      return await service.call('POST', '/v1/webhooks/stripe', {
        raw,
        headers: { 'stripe-signature': `t=${time},v1=${signature}` },
      })
    },
    operate: (method, path, body) =>
      service.call(method, path, { key: OPERATOR_TOKEN, ...(body ? { body } : {}) }),
    async close() {
      await service.close()
      await Promise.all([stripe.close(), issuer.close()])
    },
  }
}

async function makeCustomer(
  service: TestService,
  stripe: StripeEmulator,
  issuer: TestIssuer,
  subject: string,
): Promise<PaidWorkspace> {
  const owner = await signIn(service, issuer, subject)
  const made = await service.call('POST', '/v1/console/organizations', {
    key: owner.token,
    body: { name: `Workspace of ${subject}` },
  })
  if (made.status !== 201) throw new Error(`making a workspace answered ${made.status}: ${made.text}`)
  const id: string = made.body.organization.id
  const call: PaidWorkspace['call'] = (method, path, body) =>
    service.call(method, path, {
      key: owner.token,
      headers: { 'X-Organization-Id': id },
      ...(body === undefined ? {} : { body }),
    })
  const checkout: PaidWorkspace['checkout'] = async (tier, interval = 'monthly') => {
    const { status, body, text } = await call('POST', '/v1/console/billing/checkout', { tier, interval })
    if (status !== 200) throw new Error(`the checkout answered ${status}: ${text}`)
    const session = [...stripe.account.checkoutSessions.values()].find(({ url }) => url === body.url)
    if (!session) throw new Error(`${body.url} is no checkout`)
    return { id: session.id, url: body.url }
  }
  return {
    id,
    owner,
    call,
    checkout,
    billing: async () => (await call('GET', '/v1/console/billing')).body,
    async buy(tier, { interval = 'monthly', card = '4242424242424242' } = {}) {
      const { id: session } = await checkout(tier, interval)
      await control(stripe, 'pay', { session, card })
      await stripe.eventsSent()
    },
    async customerId() {
      const account = await service.database.db
        .selectFrom('payment_accounts')
        .select('customer_id')
        .where('organization_id', '=', id)
        .executeTakeFirstOrThrow()
      return account.customer_id ?? ''
    },
    search: async () => (await call('POST', '/v1/console/search', { query: 'x' })).status,
    async useCredits(count) {
      await service.database.db
        .updateTable('subscriptions')
        .set({ credits_used: count })
        .where('organization_id', '=', id)
        .execute()
    },
  }
}

/** Acts on the emulated account like a user on its pages; throws when it refuses. */
export async function control(stripe: StripeEmulator, act: string, body: object = {}): Promise<unknown> {
  const response = await fetch(`${stripe.url}/_emulator/${act}`, {
    method: 'POST',
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the emulator answered ${response.status} to ${act}: ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}
