import { afterEach, expect, test } from 'vitest'
import type { StripeEmulator } from './index.ts'
import { startReceiver, startShop } from './testing.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function shop(options: { status?: () => number; retryMs?: number[] } = {}) {
  const receiver = await startReceiver(options)
  closing.push(receiver.close)
  const opened = await startShop({ webhookUrl: receiver.url, webhookRetryMs: options.retryMs ?? [5, 5] })
  closing.push(opened.emulator.close)
  await opened.emulator.eventsSent()
  receiver.events.length = 0
  return { ...opened, receiver }
}

const control = async (emulator: StripeEmulator, name: string, body: object = {}) =>
  await fetch(`${emulator.url}/_emulator/${name}`, { method: 'POST', body: JSON.stringify(body) })

test('events are signed so that the official client accepts them, and arrive in order', async () => {
  const { emulator, receiver, subscribe } = await shop()
  const { id } = await subscribe('builder_monthly')
  await emulator.eventsSent()
  expect(receiver.types()).toEqual([
    'payment_method.attached',
    'customer.updated',
    'customer.subscription.created',
    'invoice.created',
    'invoice.finalized',
    'invoice.paid',
    'invoice.payment_succeeded',
    'checkout.session.completed',
  ])
  const created = receiver.events.find(({ type }) => type === 'customer.subscription.created')
  expect(created?.data.object).toMatchObject({ id, status: 'trialing', metadata: { organizationId: 'o1' } })
})

test('an event describes the change, and never changes itself', async () => {
  const { emulator, stripe, receiver, subscribe } = await shop()
  const { id } = await subscribe('builder_monthly')
  await stripe.subscriptions.update(id, { metadata: { colour: 'red' } })
  await stripe.subscriptions.cancel(id)
  await emulator.eventsSent()
  const updated = receiver.events.find(({ type }) => type === 'customer.subscription.updated')
  expect(updated?.data).toMatchObject({
    object: { status: 'trialing', metadata: { organizationId: 'o1', colour: 'red' } },
    previous_attributes: { metadata: { organizationId: 'o1' } },
  })
  expect(await stripe.events.retrieve(updated?.id ?? '')).toMatchObject({
    data: { object: { status: 'trialing' } },
  })
})

test('an event that is not accepted is resent', async () => {
  let refusals = 2
  const { emulator, stripe, receiver } = await shop({ status: () => (refusals-- > 0 ? 500 : 200) })
  refusals = 2
  await stripe.customers.create({ email: 'again@acme.test' })
  await emulator.eventsSent()
  expect(receiver.types()).toEqual(['customer.created'])
  expect(
    emulator.webhooks
      .attempts()
      .slice(-3)
      .map(({ status, attempt }) => [attempt, status]),
  ).toEqual([
    [1, 500],
    [2, 500],
    [3, 200],
  ])
})

test('events are lost, duplicated, held and reordered on demand', async () => {
  const { emulator, stripe, receiver } = await shop()
  const create = async (name: string) => await stripe.customers.create({ name })
  const names = () => receiver.events.map(({ data }) => ('name' in data.object ? data.object.name : null))
  await control(emulator, 'webhooks', { lose: 1, copies: 2 })
  await create('lost')
  await create('twice')
  await emulator.eventsSent()
  expect(names()).toEqual(['twice', 'twice'])
  await control(emulator, 'webhooks', { copies: 1, hold: true })
  for (const name of ['a', 'b', 'c']) await create(name)
  await emulator.eventsSent()
  expect(names()).toHaveLength(2)
  await control(emulator, 'release-webhooks', { order: 'reversed' })
  await emulator.eventsSent()
  expect(names().slice(2)).toEqual(['c', 'b', 'a'])
})

test('delayed events all arrive, in another order', async () => {
  const { emulator, stripe, receiver } = await shop()
  await control(emulator, 'webhooks', { delayMs: 150, shuffle: true })
  for (let count = 0; count < 8; count += 1) await stripe.customers.create({ name: String(count) })
  await emulator.eventsSent()
  const names = receiver.events.map(({ data }) => ('name' in data.object ? String(data.object.name) : ''))
  expect(names.toSorted()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7'])
  expect(names).not.toEqual(names.toSorted())
})
