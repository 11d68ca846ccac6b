import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { createBilling } from '../billing/index.ts'
import { createServer } from '../http/create-server.ts'
import { createOperator, createOperatorAuthenticator, operatorRoutes } from './index.ts'

const TOKEN = 'an-operator-token-of-thirty-two-characters'
const START = new Date('2026-05-10T08:00:00.000Z')

const NOT_BOUGHT = {
  interval: null,
  trialEndsAt: null,
  cancelAtPeriodEnd: false,
  plannedChange: null,
  overageAnswers: 0,
  overageCostUsd: '0.00',
  paymentMethodMissing: false,
}

let database: TestDatabase
/** The operator's routes on the real server, behind the real gate. */
let server: FastifyInstance
let now = START
let logged: { fields: object; message: string }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  const logger = {
    info: (fields: object, message: string) => void logged.push({ fields, message }),
  }
  server = await createServer({
    publicUrl: () => 'http://127.0.0.1',
    routes: operatorRoutes,
    services: {
      operator: createOperator({
        db: database.db,
        clock: { now: () => now },
        logger,
        billing: createBilling({
          db: database.db,
          clock: { now: () => now },
          logger: pino({ level: 'silent' }),
          processor: null,
          publicUrl: () => 'http://127.0.0.1',
          sleep: async () => {},
          onReportAttempt: () => {},
          onUnannounced: () => {},
        }),
      }),
    },
    gates: {
      authenticateAgent: noGate,
      admitAgent: noGate,
      admitMessage: () => {},
      admitScim: noGate,
      authenticateConsole: noGate,
      reenter: noGate,
      authenticateUser: noGate,
      authenticateOperator: createOperatorAuthenticator(TOKEN),
      admit: noGate,
      rateState: noGate,
      viewerOf: noGate,
      requireRoom: noGate,
      reserveCredit: noGate,
    },
    logger: pino({ level: 'silent' }),
  })
})
afterAll(async () => {
  await server.close()
  await database.close()
})
beforeEach(() => {
  now = START
  logged = []
})
afterEach(async () => {
  for (const table of ['connector_access', 'subscriptions', 'organizations'] as const)
    await database.db.deleteFrom(table).execute()
})

function noGate(): never {
  throw new Error('only the operator gate guards these routes')
}

/** Sends a request with the operator's token, another one, or none when it is ''. */
async function call(
  method: 'GET' | 'PUT',
  path: string,
  body?: object,
  bearer = TOKEN,
): Promise<{ status: number; body: unknown }> {
  const response = await server.inject({
    method,
    url: path,
    headers: bearer === '' ? {} : { authorization: `Bearer ${bearer}` },
    ...(body ? { payload: body } : {}),
  })
  return { status: response.statusCode, body: response.json() }
}

const cursorOf = (body: unknown): string => z.object({ nextCursor: z.string() }).parse(body).nextCursor

async function putAccess(organizationId: string, provider: string, body: object): Promise<number> {
  const path = `/operator/organizations/${organizationId}/connector-access/${provider}`
  return (await call('PUT', path, body)).status
}

async function organization(name = 'Acme', createdAt = START): Promise<string> {
  const id = randomUUID()
  await database.db.insertInto('organizations').values({ id, name, created_at: createdAt }).execute()
  return id
}

describe('the operator surface', () => {
  it('does not exist without its own token', async () => {
    const gate = createOperatorAuthenticator(undefined)
    expect(() => gate(TOKEN)).toThrow(expect.objectContaining({ code: 'not_found', status: 404 }))
    expect(() => gate(undefined)).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  it('refuses any other token, and a missing one', async () => {
    for (const bearer of ['', `${TOKEN}x`, TOKEN.slice(1), 'svc_abc', TOKEN.toUpperCase()]) {
      for (const path of ['/operator/organizations', '/operator/connector-access']) {
        expect(await call('GET', path, undefined, bearer)).toMatchObject({
          status: 401,
          body: { code: 'unauthenticated' },
        })
      }
    }
    expect((await call('GET', '/operator/organizations')).status).toBe(200)
  })
})

describe('GET /operator/organizations', () => {
  it('lists organizations with their subscriptions, newest first, page by page', async () => {
    const oldest = await organization('Old', new Date(START.getTime() - 2_000))
    const middle = await organization('Middle', new Date(START.getTime() - 1_000))
    const newest = await organization('New')
    await call('PUT', `/operator/organizations/${middle}/subscription`, { status: 'active', tier: 'studio' })
    const first = await call('GET', '/operator/organizations?limit=2')
    expect(first.body).toEqual({
      organizations: [
        { id: newest, name: 'New', createdAt: START.toISOString(), removedAt: null, subscription: null },
        {
          id: middle,
          name: 'Middle',
          createdAt: '2026-05-10T07:59:59.000Z',
          removedAt: null,
          subscription: {
            status: 'active',
            tier: 'studio',
            creditsUsed: 0,
            creditsIncluded: 25_000,
            creditsRemaining: 25_000,
            agentsIncluded: 10,
            connectorsIncluded: null,
            periodStart: START.toISOString(),
            periodEnd: '2026-06-10T08:00:00.000Z',
            ...NOT_BOUGHT,
            overCap: 'metered',
            extraAnswerUsd: '0.015',
            isContract: false,
          },
        },
      ],
      nextCursor: expect.any(String),
    })
    const cursor = cursorOf(first.body)
    const second = await call('GET', `/operator/organizations?limit=2&cursor=${cursor}`)
    expect(second.body).toMatchObject({ organizations: [{ id: oldest }], nextCursor: null })
  })

  it('continues after an organization that was removed meanwhile', async () => {
    const oldest = await organization('Oldest', new Date(START.getTime() - 2_000))
    const newest = await organization('Newest')
    const first = await call('GET', '/operator/organizations?limit=1')
    expect(first.body).toMatchObject({ organizations: [{ id: newest }] })
    const cursor = cursorOf(first.body)
    await database.db.deleteFrom('organizations').where('id', '=', newest).execute()
    const second = await call('GET', `/operator/organizations?limit=1&cursor=${cursor}`)
    expect(second.body).toMatchObject({ organizations: [{ id: oldest }], nextCursor: null })
  })

  it('refuses a cursor of another list', async () => {
    const { status, body } = await call('GET', `/operator/organizations?cursor=${randomUUID()}`)
    expect([status, body]).toMatchObject([400, { code: 'validation_failed' }])
  })

  it('refuses a limit that is out of bounds', async () => {
    for (const limit of ['0', '501', 'x'])
      expect((await call('GET', `/operator/organizations?limit=${limit}`)).status).toBe(400)
  })
})

describe('PUT /operator/organizations/{id}/subscription', () => {
  it('starts a period with the first subscription and keeps it with the next', async () => {
    const id = await organization()
    const path = `/operator/organizations/${id}/subscription`
    const created = await call('PUT', path, { status: 'trialing', tier: 'builder' })
    expect(created).toMatchObject({
      status: 200,
      body: { subscription: { status: 'trialing', tier: 'builder', creditsIncluded: 5_000 } },
    })
    await database.db.updateTable('subscriptions').set({ credits_used: 4_000 }).execute()
    now = new Date('2026-05-20T00:00:00.000Z')
    const upgraded = await call('PUT', path, { status: 'active', tier: 'scale', creditsIncluded: 120_000 })
    expect(upgraded.body).toEqual({
      subscription: {
        status: 'active',
        tier: 'scale',
        creditsUsed: 4_000,
        creditsIncluded: 120_000,
        creditsRemaining: 116_000,
        agentsIncluded: null,
        connectorsIncluded: null,
        periodStart: START.toISOString(),
        periodEnd: '2026-06-10T08:00:00.000Z',
        ...NOT_BOUGHT,
        overCap: 'metered',
        extraAnswerUsd: '0.015',
        isContract: true,
      },
    })
    const back = await call('PUT', path, { status: 'active', tier: 'scale' })
    expect(back.body).toMatchObject({ subscription: { creditsIncluded: 100_000 } })
  })

  it("sets a contract's agents and connectors, and defaults to the tier's numbers", async () => {
    const id = await organization()
    const path = `/operator/organizations/${id}/subscription`
    const own = { agentsIncluded: 40, connectorsIncluded: 0 }
    const set = await call('PUT', path, { status: 'active', tier: 'enterprise', ...own })
    expect(set.body).toMatchObject({ subscription: { ...own, isContract: true } })
    const back = await call('PUT', path, { status: 'active', tier: 'builder' })
    expect(back.body).toMatchObject({
      subscription: { agentsIncluded: 2, connectorsIncluded: 2, isContract: false },
    })
  })

  it('shows internal and enterprise as unlimited', async () => {
    const id = await organization()
    for (const body of [{ status: 'internal' }, { status: 'active', tier: 'enterprise' }]) {
      const put = await call('PUT', `/operator/organizations/${id}/subscription`, body)
      expect(put.body).toMatchObject({ subscription: { creditsIncluded: null, creditsRemaining: null } })
    }
  })

  it('is logged after it succeeds, and only then', async () => {
    const id = await organization()
    await call('PUT', `/operator/organizations/${randomUUID()}/subscription`, { status: 'internal' })
    expect(logged).toEqual([])
    await call('PUT', `/operator/organizations/${id}/subscription`, { status: 'active', tier: 'builder' })
    expect(logged).toEqual([
      {
        fields: {
          requestId: expect.any(String),
          organizationId: id,
          status: 'active',
          tier: 'builder',
          creditsIncluded: null,
          agentsIncluded: null,
          connectorsIncluded: null,
          overCap: null,
          extraAnswerMicroUsd: null,
        },
        message: 'the operator set a subscription',
      },
    ])
  })

  it('returns 404 for an organization that does not exist', async () => {
    for (const id of [randomUUID(), 'nonsense']) {
      const put = await call('PUT', `/operator/organizations/${id}/subscription`, { status: 'internal' })
      expect(put).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })

  it('refuses an invalid subscription', async () => {
    const id = await organization()
    for (const body of [
      {},
      { status: 'active' },
      { status: 'past_due', tier: null },
      { status: 'gold', tier: 'builder' },
      { status: 'active', tier: 'gold' },
      { status: 'active', tier: 'builder', creditsIncluded: -1 },
      { status: 'active', tier: 'builder', creditsIncluded: 1.5 },
      { status: 'active', tier: 'builder', creditsIncluded: 2 ** 31 },
      { status: 'active', tier: 'enterprise', agentsIncluded: -1 },
      { status: 'active', tier: 'enterprise', connectorsIncluded: '2' },
      { status: 'active', tier: 'builder', credits: 1 },
    ]) {
      const put = await call('PUT', `/operator/organizations/${id}/subscription`, body)
      expect(put).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    }
    expect(await database.db.selectFrom('subscriptions').selectAll().execute()).toEqual([])
  })
})

describe('connector access', () => {
  it('lists open requests, oldest first', async () => {
    const acme = await organization('Acme')
    const user = randomUUID()
    await database.db
      .insertInto('users')
      .values({
        id: user,
        issuer: 'i',
        subject: user,
        email: 'ada@example.com',
        name: null,
        created_at: START,
      })
      .execute()
    const request = { organization_id: acme, requested_by_user_id: user, status: 'pending' } as const
    const [drive, mail] = [randomUUID(), randomUUID()]
    const later = new Date(START.getTime() + 1_000)
    await database.db
      .insertInto('connector_access')
      .values([
        { ...request, provider: 'gmail', id: mail, created_at: later, updated_at: later },
        { ...request, provider: 'google_drive', id: drive, created_at: START, updated_at: START },
      ])
      .execute()
    const waiting = await call('GET', '/operator/connector-access')
    expect(waiting.body).toEqual({
      requests: [
        {
          id: drive,
          organizationId: acme,
          organizationName: 'Acme',
          provider: 'google_drive',
          status: 'pending',
          requestedByUserId: user,
          requestedByEmail: 'ada@example.com',
          createdAt: START.toISOString(),
          updatedAt: START.toISOString(),
        },
        expect.objectContaining({ id: mail, provider: 'gmail' }),
      ],
    })
    expect((await call('GET', '/operator/connector-access?limit=1')).body).toMatchObject({
      requests: [{ id: drive }],
    })
    now = new Date(START.getTime() + 60_000)
    const granted = await call('PUT', `/operator/organizations/${acme}/connector-access/google_drive`, {
      enabled: true,
    })
    expect(granted).toEqual({
      status: 200,
      body: {
        connectorAccess: {
          id: drive,
          organizationId: acme,
          provider: 'google_drive',
          status: 'granted',
          createdAt: START.toISOString(),
          updatedAt: now.toISOString(),
        },
      },
    })
    await call('PUT', `/operator/organizations/${acme}/connector-access/gmail`, { enabled: false })
    expect((await call('GET', '/operator/connector-access')).body).toEqual({ requests: [] })
    expect(logged.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ organizationId: acme, provider: 'google_drive', status: 'granted' }),
      expect.objectContaining({ organizationId: acme, provider: 'gmail', status: 'denied' }),
    ])
  })

  it('is granted without a request, and revoked', async () => {
    const acme = await organization()
    const path = `/operator/organizations/${acme}/connector-access/gmail`
    for (const [enabled, status] of [
      [true, 'granted'],
      [false, 'denied'],
      [true, 'granted'],
    ])
      expect((await call('PUT', path, { enabled })).body).toMatchObject({ connectorAccess: { status } })
  })

  it('returns 404 for an unknown organization or provider, and 400 for another body', async () => {
    const acme = await organization()
    expect(await putAccess(randomUUID(), 'gmail', { enabled: true })).toBe(404)
    expect(await putAccess(acme, 'dropbox', { enabled: true })).toBe(404)
    expect(await putAccess(acme, 'gmail', { enabled: 'yes' })).toBe(400)
    expect(await putAccess(acme, 'gmail', {})).toBe(400)
    expect(logged).toEqual([])
  })
})
