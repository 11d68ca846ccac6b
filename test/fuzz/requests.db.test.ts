import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { eachInput } from '../support/fuzz-inputs.ts'
import { below, mutate, mutateJson } from '../support/mutate.ts'
import { insertSource } from '../support/organizations.ts'
import { type PaidService, startPaidService } from '../support/paid-service.ts'
import { seededRandom } from '../support/random.ts'
import type { Answer, TestOrganization } from '../support/service.ts'

const SIGNING_SECRET = 'signing-secret'

let paid: PaidService
let organization: TestOrganization

beforeAll(async () => {
  paid = await startPaidService({
    environment: {
      ROLE: 'api',
      SLACK_CLIENT_ID: 'client',
      SLACK_CLIENT_SECRET: 'secret',
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
    },
  })
  organization = await paid.service.organization()
  const { db } = paid.service.database
  await insertSource(db, organization.id, { provider: 'slack', push_only: false, external_account_id: 'T1' })
  for (const externalId of ['a', 'b', 'c'])
    await push(paid.service, organization, documentOf(organization, { externalId }))
})
afterAll(() => paid.close())

/** The fault in a response: each of these requests is the caller's error. */
function complaintOf({ status, text }: Answer, sent: Buffer | string): string | null {
  return status < 500
    ? null
    : `${status} ${text.slice(0, 500)} for ${sent.toString('latin1').slice(0, 2_000)}`
}

/** Sends changed requests, beginning with unchanged ones, which are accepted. */
async function expectNoFault(
  name: string,
  corpus: readonly unknown[],
  send: (raw: Buffer) => Promise<Answer>,
): Promise<void> {
  for (const value of corpus) expect((await send(Buffer.from(JSON.stringify(value)))).status).toBe(200)
  const random = seededRandom(name)
  const wrong = await eachInput(async () => {
    const raw = mutateJson(corpus[below(corpus.length, random)], random)
    return complaintOf(await send(raw), raw)
  })
  expect(wrong).toEqual([])
}

const slackEvent = (event: object): object => ({
  type: 'event_callback',
  team_id: 'T1',
  event_id: `Ev${JSON.stringify(event).length}`,
  event_time: 1_760_000_000,
  authorizations: [{ team_id: 'T1', user_id: 'U0' }],
  event,
})
const message = {
  type: 'message',
  channel: 'C1',
  user: 'U1',
  ts: '1760000000.000100',
  text: 'hi <@U2> <https://a.example|a>',
}
const SLACK = [
  { type: 'url_verification', challenge: 'abc', token: 'x' },
  { type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1_760_000_000 },
  slackEvent(message),
  slackEvent({ ...message, thread_ts: '1760000000.000001', files: [{ id: 'F1', name: 'a.txt' }] }),
  slackEvent({
    type: 'message',
    subtype: 'message_changed',
    channel: 'C1',
    ts: '1.2',
    message,
    previous_message: message,
  }),
  slackEvent({
    type: 'message',
    subtype: 'message_deleted',
    channel: 'C1',
    ts: '1.2',
    deleted_ts: message.ts,
  }),
  slackEvent({ type: 'channel_rename', channel: { id: 'C1', name: 'new', created: 1 } }),
  slackEvent({ type: 'channel_deleted', channel: 'C1' }),
  slackEvent({ type: 'member_joined_channel', user: 'U1', channel: 'C1', channel_type: 'C', team: 'T1' }),
  slackEvent({ type: 'user_change', user: { id: 'U1', deleted: true, profile: { email: 'a@b.example' } } }),
  slackEvent({ type: 'tokens_revoked', tokens: { oauth: ['U1'], bot: [] } }),
]

const subscription = {
  id: 'sub_1',
  object: 'subscription',
  customer: 'cus_nobody',
  status: 'active',
  metadata: { organizationId: '00000000-0000-4000-8000-000000000000' },
  items: {
    data: [
      { id: 'si_1', price: { lookup_key: 'builder_monthly', product: 'prod_1' }, current_period_end: 1 },
    ],
  },
}
const stripeEvent = (type: string, object: object): object => ({
  id: `evt_${type}`,
  object: 'event',
  type,
  created: 1_760_000_000,
  livemode: false,
  data: { object, previous_attributes: { status: 'past_due' } },
})
const STRIPE = [
  stripeEvent('customer.subscription.updated', subscription),
  stripeEvent('customer.subscription.deleted', { ...subscription, customer: { id: 'cus_nobody' } }),
  stripeEvent('checkout.session.completed', {
    object: 'checkout.session',
    client_reference_id: 'x',
    customer: 'cus_nobody',
    subscription: 'sub_1',
  }),
  stripeEvent('invoice.payment_failed', {
    object: 'invoice',
    customer: 'cus_nobody',
    parent: { subscription_details: { metadata: { organizationId: 'x' } } },
  }),
  stripeEvent('customer.deleted', { object: 'customer', id: 'cus_nobody' }),
]

const rpc = (method: string, params: object = {}): object => ({ jsonrpc: '2.0', id: 1, method, params })
const tool = (name: string, args: object): object => rpc('tools/call', { name, arguments: args })

describe('a changed request is answered without a fault of the service', () => {
  it('for events of Slack', () =>
    expectNoFault('events of Slack', SLACK, (raw) => {
      const at = String(Math.floor(Date.now() / 1000))
      const hex = createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:`).update(raw).digest('hex')
      const headers = { 'X-Slack-Request-Timestamp': at, 'X-Slack-Signature': `v0=${hex}` }
      return paid.service.call('POST', '/v1/webhooks/slack', { raw, headers })
    }))

  it('for events of Stripe', () =>
    expectNoFault('events of Stripe', STRIPE, (raw) => {
      const at = Math.floor(Date.now() / 1000)
      const hex = createHmac('sha256', 'whsec_emulator').update(`${at}.`).update(raw).digest('hex')
      const headers = { 'stripe-signature': `t=${at},v1=${hex}` }
      return paid.service.call('POST', '/v1/webhooks/stripe', { raw, headers })
    }))

  it('for messages of MCP', async () => {
    const document = documentOf(organization, { externalId: 'remembered', metadata: { a: { b: [1] } } })
    const messages = [
      rpc('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      }),
      rpc('ping'),
      rpc('tools/list'),
      rpc('resources/templates/list'),
      tool('search', {
        query: 'paid time off',
        limit: 3,
        filter: { providers: ['notion'], metadata: { a: 'b' } },
      }),
      tool('fetch', { id: '00000000-0000-4000-8000-000000000000' }),
      tool('context', { query: 'paid time off', rank: 'hybrid' }),
      tool('ask', { query: 'How many days?' }),
      tool('remember', document),
      tool('list_sources', {}),
    ]
    await expectNoFault('messages of MCP', messages, (raw) =>
      paid.service.call('POST', '/mcp', {
        key: organization.adminKey,
        raw,
        headers: { Accept: 'application/json, text/event-stream' },
      }),
    )
  })

  it('for cursors', async () => {
    const key = organization.adminKey
    const get = (path: string, cursor: string): Promise<Answer> =>
      paid.service.call('GET', `${path}?limit=1&cursor=${encodeURIComponent(cursor)}`, { key })
    const lists = ['/v1/source-items', '/v1/sync-runs', '/v1/groups']
    const { body } = await paid.service.call('GET', `${lists[0]}?limit=1`, { key })
    const cursor = String(body.nextCursor)
    expect((await get(lists[0] ?? '', cursor)).status).toBe(200)
    const inside: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const random = seededRandom('cursors')
    const wrong = await eachInput(async () => {
      const changed =
        random() < 0.3
          ? mutate(Buffer.from(cursor), random).toString()
          : mutateJson(inside, random).toString('base64url')
      const sent = changed.slice(0, 4_000).toWellFormed()
      return complaintOf(await get(lists[below(lists.length, random)] ?? '', sent), sent)
    })
    expect(wrong).toEqual([])
  })
}, 3_600_000)
