import { afterEach, beforeEach, expect, it } from 'vitest'
import { throughDatabase } from '../../test/support/failing-database.ts'
import { until } from '../../test/support/until.ts'
import { startReceiver, type WebhookReceiver } from '../../test/support/webhook-receiver.ts'
import { startWebhookBench, type WebhookBench } from '../../test/support/webhooks.ts'
import { DAY_MS } from '../kernel/clock.ts'

let bench: WebhookBench
let receiver: WebhookReceiver

beforeEach(async () => {
  bench = await startWebhookBench()
  receiver = await startReceiver((response) => void response.writeHead(204).end())
  await bench.webhook(receiver.url)
})
afterEach(async () => {
  await receiver.close()
  await bench.close()
  if (bench.errors.length > 0) throw new AggregateError(bench.errors, 'something failed in the background')
})

it('searches for due deliveries once for many of a backlog', async () => {
  for (let n = 0; n < 45; n += 1) await bench.emit()
  let looks = 0
  const { db } = throughDatabase(bench.database.db, {
    run: (text, act) => {
      if (text.includes('row_number()')) looks += 1
      return act()
    },
  })
  const delivering = bench.process({ db })
  const began = performance.now()
  delivering.start()
  try {
    await until(
      'all have arrived',
      () => receiver.received.length,
      (count) => count === 45,
    )
  } finally {
    await delivering.stop()
  }
  const ticks = Math.ceil((performance.now() - began) / 1000)
  expect(looks).toBeLessThan(10 + ticks)
})

it('is kept for 28 days, which is longer than all retries of a replay', async () => {
  await bench.emit()
  const outgoing = bench.process()
  bench.pass(28 * DAY_MS)
  await outgoing.maintain()
  expect(await bench.deliveries()).toMatchObject([{ status: 'pending' }])
  bench.pass(1)
  await outgoing.maintain()
  expect(await bench.deliveries()).toEqual([])
})
