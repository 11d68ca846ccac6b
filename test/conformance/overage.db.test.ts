import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { control, type PaidService, type PaidWorkspace, startPaidService } from '../support/paid-service.ts'

let paid: PaidService

beforeAll(async () => {
  paid = await startPaidService({ environment: { ROLE: 'api' } })
})
afterAll(() => paid.close())
afterEach(async () => {
  paid.stripe.faults.clear()
  await control(paid.stripe, 'clear-webhooks')
})

let people = 0
const newCustomer = (): Promise<PaidWorkspace> => paid.customer(`person-${(people += 1)}`)

describe('after a downgrade', () => {
  it('the newest agents over the plan get 402 for retrieval only, until a place is free [PAY-25, KEY-6, CRED-9]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    const keys: { id: string; secret: string }[] = []
    const actions = ['search', 'context', 'ask']
    for (const [actorType, allowedActions] of [
      ['application', ['ingest', 'admin']],
      ['admin', actions],
      ['agent', actions],
      ['application', [...actions, 'sources:read', 'admin']],
    ]) {
      const made = await workspace.call('POST', '/v1/console/api-keys', {
        name: 'key',
        actorType,
        allowedActions,
      })
      keys.push({ id: made.body.apiKey.id, secret: made.body.secret })
    }
    await paid.advance({ days: 8 })
    const customer = await workspace.customerId()
    await control(paid.stripe, 'change-plan', { customer, plan: 'builder_monthly' })
    await paid.advance({ days: 31 })
    expect(await workspace.billing()).toMatchObject({ tier: 'builder', agentsUsed: 3, agentsIncluded: 2 })
    const { call } = paid.service
    const statuses = async (path: string) =>
      await Promise.all(
        keys.map(
          async ({ secret }) => (await call('POST', path, { key: secret, body: { query: 'x' } })).status,
        ),
      )
    for (const path of ['/v1/search', '/v1/context', '/v1/ask'])
      expect(await statuses(path)).toEqual([403, 200, 200, 402])
    const newest = keys[3]?.secret
    const refused = await call('POST', '/v1/search', { key: newest, body: { query: 'x' } })
    expect(refused.body).toMatchObject({
      code: 'plan_limit_reached',
      resource: 'agents',
      tier: 'builder',
      used: 3,
      limit: 2,
    })
    expect(refused.body.error).toMatch(/revoke an older one or upgrade/)
    for (const path of ['/v1/sources', '/v1/source-items', '/v1/api-keys', '/v1/audit-events'])
      expect((await call('GET', path, { key: newest })).status, path).toBe(200)
    const minted = await call('POST', '/v1/api-keys', {
      key: newest,
      body: { name: 'ingester', allowedActions: ['ingest'] },
    })
    expect(minted.status).toBe(201)
    await paid.operate('PUT', `/operator/organizations/${workspace.id}/subscription`, { status: 'canceled' })
    const unpaid = await call('POST', '/v1/search', { key: newest, body: { query: 'x' } })
    expect(unpaid).toMatchObject({ status: 402, body: { code: 'subscription_required', status: 'canceled' } })
    await paid.operate('PUT', `/operator/organizations/${workspace.id}/subscription`, {
      status: 'active',
      tier: 'builder',
    })
    // It frees its own place: the oldest agent over the plan resumes.
    expect((await call('DELETE', `/v1/api-keys/${keys[1]?.id}`, { key: newest })).status).toBe(200)
    expect(await statuses('/v1/search')).toEqual([403, 401, 200, 200])
  })

  it('the newest sources over the plan are not polled and refuse runs, but stay readable [PAY-26]', async () => {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    const { db } = paid.service.database
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) {
      const made = await workspace.call('POST', '/v1/console/sources', {
        provider: 'notion',
        displayName: `s${n}`,
      })
      ids.push(made.body.source.id)
    }
    await db
      .updateTable('sources')
      .set({ push_only: false, external_account_id: sql`id::text` })
      .where('organization_id', '=', workspace.id)
      .where('id', 'in', ids)
      .execute()
    await paid.operate('PUT', `/operator/organizations/${workspace.id}/subscription`, {
      status: 'active',
      tier: 'builder',
    })
    const beyond = await db
      .selectFrom('sources')
      .select(['id'])
      .where('organization_id', '=', workspace.id)
      .where('beyond_plan', '=', true)
      .execute()
    expect(beyond.map(({ id }) => id)).toEqual([ids[2]])
    expect((await workspace.call('GET', '/v1/console/sources')).body.sources).toHaveLength(7)
    const run = await workspace.call('POST', '/v1/console/sync-runs', { connectorId: ids[2] })
    expect(run).toMatchObject({ status: 402, body: { code: 'plan_limit_reached', resource: 'connectors' } })
    await workspace.call('DELETE', `/v1/console/sources/${ids[0]}`)
    const rest = await db
      .selectFrom('sources')
      .select('id')
      .where('organization_id', '=', workspace.id)
      .where('beyond_plan', '=', true)
      .execute()
    expect(rest).toEqual([])
  })
})

describe('answers over the cap of a metered tier', () => {
  /** Advances past the waits between attempts. */
  const waitOut = async (): Promise<void> => {
    await paid.service.database.db
      .updateTable('overage_reports')
      .set({ next_attempt_at: new Date(0) })
      .where('sealed_at', 'is not', null)
      .where('sent_at', 'is', null)
      .execute()
  }
  const report = (): Promise<void> => paid.service.app.settleBilling()
  const meterOf = (customer: string): number =>
    paid.stripe.meters.totals().units.answers_overage?.[customer] ?? 0

  const invoicesOf = (customer: string) =>
    [...paid.stripe.account.invoices.values()].filter((invoice) => invoice.customer === customer)

  async function overTheCap(): Promise<{ workspace: PaidWorkspace; customer: string }> {
    const workspace = await newCustomer()
    await workspace.buy('studio')
    await workspace.useCredits(25_000)
    return { workspace, customer: await workspace.customerId() }
  }

  it('are served, counted, priced and reported to the meter, unlike those before the cap [PAY-27]', async () => {
    const { workspace, customer } = await overTheCap()
    await paid.advance({ days: 8 })
    await workspace.useCredits(24_999)
    for (let n = 0; n < 4; n += 1) expect(await workspace.search()).toBe(200)
    expect(await workspace.billing()).toMatchObject({
      creditsUsed: 25_003,
      creditsRemaining: 0,
      overageAnswers: 3,
      overageCostUsd: '0.045',
    })
    await waitOut()
    await report()
    expect(meterOf(customer)).toBe(3)
    await report()
    expect(meterOf(customer)).toBe(3)
  })

  it('are free in a trial, whether it is then paid, fails or is canceled [PAY-2, PAY-35]', async () => {
    const ends = {
      async paid() {},
      async failed(customer: string) {
        await control(paid.stripe, 'change-card', { customer, card: '4000000000000341' })
      },
      async canceled(customer: string) {
        await control(paid.stripe, 'cancel', { customer })
      },
    }
    const trials = []
    for (const end of Object.values(ends)) {
      const { workspace, customer } = await overTheCap()
      for (let n = 0; n < 10; n += 1) expect(await workspace.search()).toBe(200)
      expect(await workspace.billing()).toMatchObject({
        status: 'trialing',
        creditsUsed: 25_010,
        overageAnswers: 10,
        overageCostUsd: '0.00',
      })
      await waitOut()
      await report()
      expect(meterOf(customer)).toBe(10)
      await end(customer)
      trials.push({ workspace, customer })
    }
    await paid.advance({ days: 8 })
    const charged = []
    for (const { workspace, customer } of trials) {
      const { status, overageAnswers, overageCostUsd } = await workspace.billing()
      const due = invoicesOf(customer).map(({ amount_due }) => amount_due)
      charged.push({ status, overageAnswers, overageCostUsd, due })
    }
    const nothing = { overageAnswers: 0, overageCostUsd: '0.00' }
    expect(charged).toEqual([
      { status: 'active', ...nothing, due: [0, 29_900] },
      { status: 'past_due', ...nothing, due: [0, 29_900] },
      expect.objectContaining({ status: 'canceled', due: [0] }),
    ])
    // For the next month, only that month's answers.
    const [{ workspace, customer } = await overTheCap()] = trials
    await workspace.useCredits(25_000)
    for (let n = 0; n < 2; n += 1) await workspace.search()
    expect(await workspace.billing()).toMatchObject({ overageAnswers: 2, overageCostUsd: '0.03' })
    await waitOut()
    await report()
    await paid.advance({ days: 32 })
    expect(invoicesOf(customer).map(({ amount_due }) => amount_due)).toEqual([0, 29_900, 29_903])
  })

  it("are counted once when the meter's answer is lost, and resent under the same identifier [PAY-28]", async () => {
    const { workspace, customer } = await overTheCap()
    for (let n = 0; n < 5; n += 1) await workspace.search()
    paid.stripe.faults.add({ path: '/v1/billing/meter_events', drop: true, afterEffect: true, times: 2 })
    await report()
    expect(meterOf(customer)).toBe(5)
    for (let round = 0; round < 2; round += 1) {
      await waitOut()
      await report()
      expect(meterOf(customer)).toBe(5)
    }
    const left = await paid.service.database.db
      .selectFrom('overage_reports')
      .select('id')
      .where('sent_at', 'is', null)
      .execute()
    expect(left).toEqual([])
  })

  it('wait out 429 and 5xx, visibly in /metrics and to the operator, and arrive [PAY-28, PAY-29]', async () => {
    const { workspace, customer } = await overTheCap()
    for (let n = 0; n < 2; n += 1) await workspace.search()
    const path = '/v1/billing/meter_events'
    for (const fault of [{ status: 429, headers: { 'retry-after': '7' } }, { status: 500 }]) {
      paid.stripe.faults.add({ path, ...fault, body: { error: { message: 'not now', type: 'api_error' } } })
      await waitOut()
      await report()
      paid.stripe.faults.clear()
    }
    const standing = await paid.operate('GET', '/operator/overage')
    expect(standing.body).toMatchObject({ waitingAnswers: 2, uncertainAnswers: 0 })
    expect(standing.body.lagSeconds).toBeGreaterThan(0)
    expect(standing.body.reports).toMatchObject([{ organizationId: workspace.id, answers: 2, attempts: 2 }])
    expect(standing.body.reports[0].lastError).toMatch(/500/)
    const metrics = (await paid.service.call('GET', '/metrics')).text
    expect(metrics).toMatch(/^billing_overage_waiting_answers 2$/m)
    expect(metrics).toMatch(/^billing_overage_lag_seconds \d*\.?\d*[1-9]/m)
    await waitOut()
    await report()
    expect(meterOf(customer)).toBe(2)
    expect((await paid.operate('GET', '/operator/overage')).body).toMatchObject({
      waitingAnswers: 0,
      lagSeconds: 0,
    })
  })

  it('with an unknown outcome after a day wait for the operator [PAY-28]', async () => {
    const { workspace, customer } = await overTheCap()
    await workspace.search()
    const { db } = paid.service.database
    paid.stripe.faults.add({ path: '/v1/billing/meter_events', drop: true, afterEffect: false })
    await report()
    paid.stripe.faults.clear()
    await db
      .updateTable('overage_reports')
      .set({ unknown_since: new Date(Date.now() - 86_400_000), next_attempt_at: new Date(0) })
      .where('sent_at', 'is', null)
      .execute()
    await report()
    expect(meterOf(customer)).toBe(0)
    const { body } = await paid.operate('GET', '/operator/overage')
    expect(body).toMatchObject({ uncertainAnswers: 1, reports: [{ isUncertain: true }] })
    const path = `/operator/organizations/${workspace.id}/overage/${body.reports[0].id}`
    expect((await paid.operate('PUT', path, { arrived: false })).status).toBe(200)
    await report()
    expect(meterOf(customer)).toBe(1)
    expect((await paid.operate('PUT', path, { arrived: true })).status).toBe(404)
  })

  it('take a bounded number of calls, however many there are [PAY-30]', async () => {
    const { workspace, customer } = await overTheCap()
    const before = paid.stripe.meters.totals().taken
    await Promise.all(Array.from({ length: 60 }, () => workspace.search()))
    await waitOut()
    await report()
    expect(meterOf(customer)).toBe(60)
    expect(paid.stripe.meters.totals().taken - before).toBeLessThanOrEqual(6)
  })

  it('are billed in the period in which they were served [PAY-31]', async () => {
    const { workspace, customer } = await overTheCap()
    await paid.advance({ days: 8 })
    await workspace.useCredits(25_000)
    for (let n = 0; n < 10; n += 1) await workspace.search()
    await waitOut()
    await report()
    await paid.advance({ days: 32 })
    const charged = invoicesOf(customer)
      .flatMap(({ lines }) => lines.data)
      .filter(({ quantity, amount }) => quantity === 10 && amount === 15)
    expect(charged).toHaveLength(1)
    expect(await workspace.billing()).toMatchObject({ overageAnswers: 0, creditsUsed: 0 })
  })
})
