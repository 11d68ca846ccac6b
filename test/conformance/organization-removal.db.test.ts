import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConnectedService, emulatorOf, startConnectedService } from '../support/connected-service.ts'
import { documentOf, push } from '../support/documents.ts'
import { control, type PaidService, startPaidService } from '../support/paid-service.ts'
import { countRowsOf, rowsOfOrganization } from '../support/row-of-every-table.ts'
import {
  type Answer,
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'
import { until } from '../support/until.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

const MINUTE_MS = 60_000
const QUERY = 'paid time off'

/** How far the services' clock is ahead. */
let ahead = 0
const clock = { now: () => new Date(Date.now() + ahead) }
/** Log lines that report a failure. */
const complaints: string[] = []
const logger = pino(
  { level: 'warn' },
  new Writable({
    write(line, _encoding, done) {
      complaints.push(String(line))
      done()
    },
  }),
)

let service: ConnectedService
/** A second instance on the same database. */
let second: TestService

beforeAll(async () => {
  const environment = { WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' }
  service = await startConnectedService({ service: { clock, logger, environment } })
  second = await startTestService({ database: service.database, clock, logger, environment: { ROLE: 'api' } })
})
afterAll(async () => {
  await second.close()
  await service.close()
})

const operate = (method: string, path: string, body?: object): Promise<Answer> =>
  service.call(method, `/operator/organizations${path}`, { key: OPERATOR_TOKEN, ...(body ? { body } : {}) })

const search = (on: TestService, { adminKey }: TestOrganization): Promise<Answer> =>
  on.call('POST', '/v1/search', { key: adminKey, body: { query: QUERY } })

/** Waits until a removed organization has no data in the database, then until its marker is deleted. */
async function untilGone(id: string): Promise<void> {
  const rows = () => countRowsOf(service.database.db, id)
  await until('the end of the deletion', rows, (left) => Object.keys(left).join() === 'organizations')
  ahead += 6 * MINUTE_MS
  const again = async () => {
    await operate('DELETE', `/${id}`)
    return await rows()
  }
  await until('the end of the organization', again, (left) => Object.keys(left).length === 0)
}

/** All rows of an organization, but for the request log, which is written in the background. */
const rowsOf = async ({ id }: { id: string }) => ({
  ...(await rowsOfOrganization(service.database.db, id)),
  request_log: 'not compared',
})

describe('a workspace that the operator removes', () => {
  it('is unknown to every instance from the answer on, and others are unchanged [OPS-9]', async () => {
    const [gone, other] = [await service.organization(), await service.organization()]
    for (const organization of [gone, other]) {
      await push(service, organization, documentOf(organization, { body: QUERY }))
      for (const instance of [service, second])
        expect((await search(instance, organization)).body.hits).toHaveLength(1)
    }
    const { adminKey } = gone
    await service.app.readForCanvas()
    const unchanged = await rowsOf(other)
    const removed = await operate('DELETE', `/${gone.id}`)
    expect(removed).toMatchObject({ status: 200, body: { removal: { id: gone.id } } })
    for (const instance of [service, second]) {
      expect(await search(instance, gone)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect((await instance.call('GET', '/v1/sources', { key: adminKey })).status).toBe(401)
    }
    const acts: [string, string, object?][] = [
      ['PUT', 'subscription', { status: 'internal' }],
      ['PUT', 'connector-access/gmail', { enabled: true }],
      ['GET', 'approximate-index'],
      ['PUT', 'approximate-index'],
    ]
    for (const [method, act, body] of acts)
      expect(await operate(method, `/${gone.id}/${act}`, body), act).toMatchObject({ status: 404 })
    const listed = (await operate('GET', '?limit=500')).body.organizations
    expect(listed.find(({ id }: { id: string }) => id === gone.id)?.removedAt ?? null).toBe(
      removed.body.removal.removedAt,
    )
    await untilGone(gone.id)
    expect((await operate('DELETE', `/${gone.id}`)).status).toBe(404)
    expect((await operate('GET', '?limit=500')).text).not.toContain(gone.id)
    expect(await rowsOf(other)).toEqual(unchanged)
    expect((await search(second, other)).body.hits).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  it('ends its requests in flight harmlessly, and stores nothing of them [OPS-9]', async () => {
    const organization = await service.organization()
    await push(service, organization, documentOf(organization, { body: QUERY }))
    const asked = Array.from({ length: 12 }, (_, n) => {
      const on = n % 2 === 0 ? service : second
      const document = documentOf(organization, { externalId: `late-${n}`, body: `${QUERY} ${n}` })
      return n % 3 === 0
        ? search(on, organization)
        : on.call('POST', '/v1/ingest', { key: organization.adminKey, body: { documents: [document] } })
    })
    const removed = await operate('DELETE', `/${organization.id}`)
    expect(removed.status).toBe(200)
    for (const { status } of await Promise.all(asked)) expect([200, 401, 402, 404]).toContain(status)
    await untilGone(organization.id)
    expect(complaints).toEqual([])
  })

  it("revokes its sources' grants at the provider, and ends the running sync [OPS-9, CONN-9]", async () => {
    const { organization, owner } = await service.workspace()
    const sourceId = await service.connect(owner, organization.id, 'notion')
    await service.runEnded(organization, sourceId)
    const { accessToken } = await service.storedGrant(organization, sourceId)
    const { faults, grants, content } = emulatorOf(service.emulators, 'notion')
    faults.add({ path: content, delayMs: 300 })
    await service.call('POST', '/v1/sync-runs', {
      key: organization.adminKey,
      body: { connectorId: sourceId, fullResync: true },
    })
    const runs = () =>
      service.database.db
        .selectFrom('sync_runs')
        .select('status')
        .where('organization_id', '=', organization.id)
        .where('status', '=', 'running')
        .execute()
    await until('a worker to acquire the run', runs, (found) => found.length === 1)
    expect((await operate('DELETE', `/${organization.id}`)).status).toBe(200)
    await until(
      'the end of the grant',
      async () => grants.check(accessToken),
      (state) => state === 'revoked',
    )
    faults.clear()
    const me = await service.call('GET', '/v1/console/me', { key: owner.token })
    expect(me).toMatchObject({ status: 200, body: { organizations: [] } })
    expect((await service.call('GET', '/v1/console/sources', { key: owner.token })).status).toBe(404)
    await untilGone(organization.id)
    expect(complaints).toEqual([])
  })

  it('also deletes a delivery that its webhook is about to answer [OPS-9]', async () => {
    const { organization, owner } = await service.workspace()
    const answered = Promise.withResolvers<void>()
    const receiver = await startReceiver((response) => {
      void answered.promise.then(() => response.writeHead(204).end())
    })
    const call = (path: string, body?: object) =>
      service.call('POST', `/v1/console/webhooks${path}`, { key: owner.token, ...(body ? { body } : {}) })
    const made = await call('', { url: receiver.url })
    expect((await call(`/${made.body.webhook.id}/test`)).status).toBe(201)
    await until(
      'the delivery',
      () => receiver.received.length,
      (count) => count === 1,
    )
    expect((await operate('DELETE', `/${organization.id}`)).status).toBe(200)
    answered.resolve()
    await untilGone(organization.id)
    expect(complaints).toEqual([])
    await receiver.close()
  })

  it('can be removed on that surface only by an owner', async () => {
    const { organization, owner } = await service.workspace()
    const path = `/operator/organizations/${organization.id}`
    for (const key of [organization.adminKey, owner.token, undefined])
      expect((await service.call('DELETE', path, { key })).status).toBe(401)
    expect((await search(service, organization)).status).toBe(200)
  })
})

describe('a workspace that its owner removes in the console', () => {
  const removeAs = (token: string, id: string): Promise<Answer> =>
    service.call('DELETE', `/v1/console/organizations/${id}`, { key: token })

  it('is inaccessible to everyone, and cannot be removed by a lower role or from another workspace [OPS-9]', async () => {
    const { organization, owner } = await service.workspace()
    const other = await service.workspace()
    const admin = await service.signIn('an-admin', { organizationId: organization.id, role: 'admin' })
    expect(await removeAs(admin.token, organization.id)).toMatchObject({
      status: 403,
      body: { code: 'role_required' },
    })
    expect((await removeAs(other.owner.token, organization.id)).status).toBe(404)
    expect((await search(service, organization)).status).toBe(200)
    expect(await removeAs(owner.token, organization.id)).toMatchObject({
      status: 200,
      body: { removal: { id: organization.id } },
    })
    for (const instance of [service, second]) expect((await search(instance, organization)).status).toBe(401)
    for (const { token } of [owner, admin]) expect((await removeAs(token, organization.id)).status).toBe(404)
    expect((await search(service, other.organization)).status).toBe(200)
    await untilGone(organization.id)
    expect(complaints).toEqual([])
  })
})

describe('a workspace that is billed', () => {
  let paid: PaidService

  beforeAll(async () => {
    paid = await startPaidService()
  })
  afterAll(() => paid.close())

  it('can be removed only after its subscription has ended at the payment processor [OPS-9]', async () => {
    const workspace = await paid.customer('ada')
    await workspace.buy('studio')
    const remove = () => paid.operate('DELETE', `/operator/organizations/${workspace.id}`)
    const refused = await remove()
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'removal_refused', subscriptions: [expect.stringMatching(/^sub_/)] },
    })
    expect((await workspace.call('GET', '/v1/console/billing')).status).toBe(200)
    await control(paid.stripe, 'cancel', { customer: await workspace.customerId() })
    // It is charged until its period ends.
    expect((await remove()).status).toBe(409)
    await paid.advance({ days: 8 })
    expect((await remove()).status).toBe(200)
    expect((await workspace.call('GET', '/v1/console/billing')).status).toBe(404)
  })

  it('has its open checkouts closed, so that a removed workspace is never paid for', async () => {
    const workspace = await paid.customer('bea')
    const { id } = await workspace.checkout('builder')
    expect((await paid.operate('DELETE', `/operator/organizations/${workspace.id}`)).status).toBe(200)
    expect(paid.stripe.account.checkoutSessions.get(id)).toMatchObject({ status: 'expired' })
  })

  it('is not removed while answers over the cap wait for the meter', async () => {
    const workspace = await paid.customer('cleo')
    await paid.service.database.db
      .insertInto('overage_reports')
      .values({
        organization_id: workspace.id,
        id: '00000000-0000-4000-8000-0000000000aa',
        period_started_at: new Date(),
        window_started_at: new Date(),
        answers: 7,
        sealed_at: new Date(),
        // No longer sent automatically.
        unknown_since: new Date(Date.now() - 48 * 60 * MINUTE_MS),
      })
      .execute()
    const remove = () => paid.operate('DELETE', `/operator/organizations/${workspace.id}`)
    expect(await remove()).toMatchObject({
      status: 409,
      body: { code: 'removal_refused', unreportedAnswers: 7 },
    })
    const report = `/operator/organizations/${workspace.id}/overage/00000000-0000-4000-8000-0000000000aa`
    expect((await paid.operate('PUT', report, { arrived: true })).status).toBe(200)
    expect((await remove()).status).toBe(200)
  })
})
