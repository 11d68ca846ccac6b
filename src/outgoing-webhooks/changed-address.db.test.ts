import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { startWebhookBench, type WebhookBench } from '../../test/support/webhooks.ts'
import { DAY_MS } from '../kernel/clock.ts'
import type { OutgoingWebhooks } from './index.ts'

let bench: WebhookBench
let outgoing: OutgoingWebhooks
let receiver: WebhookReceiver
/** How the receiver answers. */
let answer: (response: ServerResponse) => void

beforeEach(async () => {
  bench = await startWebhookBench()
  outgoing = bench.process()
  receiver = await startReceiver((response) => answer(response))
})
afterEach(async () => {
  await receiver.close()
  await bench.close()
})

const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end()

it('does not disable a webhook for what its former address answered', async () => {
  const { id } = await bench.webhook(receiver.url)
  const view = () => outgoing.webhooks.get(bench.organization.id, id)
  const moveTo = (url: string) => outgoing.webhooks.change(bench.organization.caller(), id, { url })
  answer = (response) => void moveTo(`${receiver.url}/new`).then(() => status(410)(response))
  await bench.emit()
  await outgoing.settle()
  expect(await view()).toMatchObject({ status: 'active', failingSince: null })
  answer = status(500)
  await bench.emit()
  await outgoing.settle()
  expect(await view()).toMatchObject({ failingSince: bench.now.toISOString() })
  bench.pass(3 * DAY_MS)
  expect(await moveTo(`${receiver.url}/newer`)).toMatchObject({ failingSince: null })
  await outgoing.settle()
  expect(await view()).toMatchObject({ status: 'active', failingSince: bench.now.toISOString() })
})
