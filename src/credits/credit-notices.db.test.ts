import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startWebhookBench, type WebhookBench } from '../../test/support/webhooks.ts'
import { putSubscription } from '../billing/index.ts'
import { noteLowCredits } from './credit-notices.ts'

let bench: WebhookBench

beforeEach(async () => {
  bench = await startWebhookBench()
  await bench.webhook('http://127.0.0.1:9/')
  await plan(5)
})
afterEach(() => bench.close())

const plan = (creditsIncluded: number) =>
  bench.database.db
    .transaction()
    .execute((tx) =>
      putSubscription(
        tx,
        bench.organization.id,
        { status: 'active', tier: 'builder', creditsIncluded },
        bench.now,
      ),
    )

async function use(credits: number): Promise<void> {
  await bench.database.db
    .updateTable('subscriptions')
    .set({ credits_used: credits })
    .where('organization_id', '=', bench.organization.id)
    .execute()
}

/** The notices that webhooks have received, with several processes checking at once. */
async function told(): Promise<[percent: number, used: number, included: number][]> {
  const { db } = bench.database
  await Promise.all([noteLowCredits(db, bench.now), noteLowCredits(db, bench.now)])
  await noteLowCredits(db, bench.now)
  bench.pass(1)
  const events = await db
    .selectFrom('webhook_deliveries')
    .select(['payload', 'type'])
    .orderBy('created_at')
    .orderBy('payload', 'desc')
    .execute()
  return events
    .filter(({ type }) => type === 'credits.low')
    .map(({ payload }) => JSON.parse(payload).data)
    .map(({ percent, creditsUsed, creditsIncluded }) => [percent, creditsUsed, creditsIncluded])
}

describe('low-credit notices', () => {
  it('are sent at 80% and at 100%, once each, by any number of processes [TELL-8]', async () => {
    await use(3)
    expect(await told()).toEqual([])
    await use(4)
    expect(await told()).toEqual([[80, 4, 5]])
    // One credit is refunded, and used again.
    await use(3)
    await told()
    await use(4)
    expect(await told()).toEqual([[80, 4, 5]])
    await use(5)
    expect(await told()).toEqual([
      [80, 4, 5],
      [100, 5, 5],
    ])
  })

  it('are sent again in the next period, and under another cap [TELL-8]', async () => {
    await use(4)
    await told()
    const period = { period_started_at: new Date(bench.now.getTime() + 1_000) }
    await bench.database.db.updateTable('subscriptions').set(period).execute()
    expect(await told()).toEqual([
      [80, 4, 5],
      [80, 4, 5],
    ])
    await plan(100)
    await use(80)
    expect(await told()).toHaveLength(3)
  })

  it('are not sent without a cap or a plan, or once the period is over [TELL-8]', async () => {
    await use(5)
    const { db } = bench.database
    await db.updateTable('subscriptions').set({ period_ends_at: bench.now }).execute()
    expect(await told()).toEqual([])
    const later = new Date(bench.now.getTime() + 1_000_000)
    await db.updateTable('subscriptions').set({ period_ends_at: later, status: 'canceled' }).execute()
    expect(await told()).toEqual([])
    await db.updateTable('subscriptions').set({ status: 'internal', credits_included: null }).execute()
    expect(await told()).toEqual([])
  })
})
