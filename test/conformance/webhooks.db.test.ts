import { Writable } from 'node:stream'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLogger } from '../../src/process/logger.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aTime, anId } from '../support/shapes.ts'
import { until } from '../support/until.ts'
import { type ReceivedEvent, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts'

let issuer: TestIssuer
let service: TestService
let receiver: WebhookReceiver
let organization: TestOrganization
let admin: Person
const logged: string[] = []

beforeAll(async () => {
  issuer = await startIssuer()
  receiver = await startReceiver()
  const stream = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk))
      done()
    },
  })
  service = await startTestService({
    environment: { ...issuer.environment, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true' },
    logger: createLogger('trace', stream),
  })
})
beforeEach(async () => {
  organization = await service.organization()
  admin = await person('admin')
  receiver.received.length = 0
})
afterAll(async () => {
  await service.close()
  await receiver.close()
  await issuer.close()
})

const person = (role: 'owner' | 'admin' | 'member') =>
  signIn(service, issuer, `${role}-${organization.id}`, { organizationId: organization.id, role })
const call = (method: string, path: string, body?: unknown, key = admin.token): Promise<Answer> =>
  service.call(method, `/v1/console/webhooks${path}`, { key, body })
const make = async (values: object = {}): Promise<{ id: string; secret: string }> => {
  const { status, body } = await call('POST', '', { url: `${receiver.url}/in?key=hidden`, ...values })
  expect(status).toBe(201)
  return { id: body.webhook.id, secret: body.secret }
}
const received = (type: string): Promise<ReceivedEvent[]> =>
  until(
    `${type} arrives`,
    () => receiver.received.filter(({ event }) => event.type === type),
    (events) => events.length > 0,
  )
const deliveriesOf = async (id: string, query = '') =>
  (await call('GET', `/${id}/deliveries${query}`)).body.deliveries

describe('webhooks of a workspace', () => {
  it('are created, shown, changed and removed by its admins, with their secret shown once [TELL-1]', async () => {
    const given = { url: 'https://hooks.example.com/in', description: 'Alerts', eventTypes: ['source.error'] }
    const made = await call('POST', '', given)
    const webhook = {
      ...given,
      id: anId,
      status: 'active',
      disabledReason: null,
      notice: null,
      failingSince: null,
      previousSecretExpiresAt: null,
      createdAt: aTime,
      updatedAt: aTime,
    }
    expect(made.status).toBe(201)
    expect(made.body).toEqual({ webhook, secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/) })
    const { id } = made.body.webhook
    const shown = [await call('GET', ''), await call('GET', `/${id}`)]
    expect(shown.map(({ body }) => body)).toEqual([
      { webhooks: [made.body.webhook] },
      { webhook: made.body.webhook },
    ])
    const refused = await call('PATCH', `/${id}`, { eventTypes: ['webhook.test'] })
    expect(refused.status).toBe(400)
    const change = { eventTypes: null, description: null, status: 'disabled' }
    const changed = (await call('PATCH', `/${id}`, change)).body.webhook
    expect(changed).toEqual({ ...webhook, ...change, disabledReason: 'person' })
    const removed = await call('DELETE', `/${id}`)
    expect(removed.body).toEqual({ webhook: changed, deletedAt: aTime })
    expect((await call('GET', '')).body).toEqual({ webhooks: [] })
    for (const { text } of [...shown, removed]) expect(text).not.toContain(made.body.secret)
  })

  it("are recorded in the trail, in the actor's name, without their URL and secret [TELL-2]", async () => {
    const { id } = await make()
    await call('PATCH', `/${id}`, { eventTypes: ['source.error'] })
    await call('POST', `/${id}/rotate`)
    const { delivery } = (await call('POST', `/${id}/test`)).body
    await call('POST', `/deliveries/${delivery.id}/replay`)
    await call('DELETE', `/${id}`)
    const trail = await service.call('GET', '/v1/console/audit-events', { key: admin.token })
    const common = { actorUserId: admin.userId, actorApiKeyId: null, targetType: 'webhook', targetId: id }
    const host = `127.0.0.1:${receiver.port}`
    expect(trail.body.auditEvents.toReversed()).toMatchObject([
      { ...common, action: 'webhook.create', metadata: { host, eventTypes: null } },
      { ...common, action: 'webhook.update', metadata: { eventTypes: ['source.error'] } },
      { ...common, action: 'webhook.rotate', metadata: {} },
      { ...common, action: 'webhook.test', metadata: { deliveryId: delivery.id } },
      { ...common, action: 'webhook.replay', metadata: { deliveryId: delivery.id, type: 'webhook.test' } },
      { ...common, action: 'webhook.delete', metadata: { host } },
    ])
    expect(trail.text).not.toMatch(/hidden|whsec_/)
  })

  it('are invisible to other workspaces and to members [TELL-1]', async () => {
    const { id } = await make()
    const { delivery } = (await call('POST', `/${id}/test`)).body
    const member = await person('member')
    const stranger = await service.organization()
    const { token } = await signIn(service, issuer, stranger.id, {
      organizationId: stranger.id,
      role: 'owner',
    })
    const calls: [string, string, unknown?][] = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { status: 'disabled' }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate`],
      ['POST', `/${id}/test`],
      ['GET', `/${id}/deliveries`],
      ['POST', `/deliveries/${delivery.id}/replay`],
    ]
    for (const [method, path, body] of calls) {
      expect(await call(method, path, body, token), path).toMatchObject({ status: 404 })
      expect(await call(method, path, body, member.token), path).toMatchObject({
        status: 403,
        body: { code: 'role_required' },
      })
    }
    expect((await call('GET', '', undefined, token)).body).toEqual({ webhooks: [] })
  })

  it('are at most twenty, even under concurrent creation [TELL-3]', async () => {
    const url = 'https://hooks.example.com/'
    const answers = await Promise.all(Array.from({ length: 22 }, () => call('POST', '', { url })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    for (const { body } of answers.filter(({ status }) => status !== 201))
      expect(body).toMatchObject({ code: 'webhook_limit_reached', used: 20, limit: 20 })
  })

  it('have a secret that is stored encrypted, and is in no log [TELL-2]', async () => {
    const { id, secret } = await make()
    const rotated = (await call('POST', `/${id}/rotate`)).body
    await call('POST', `/${id}/test`)
    await received('webhook.test')
    const { rows } = await service.database.db
      .selectFrom('outgoing_webhooks')
      .selectAll()
      .where('id', '=', id)
      .execute()
      .then((all) => ({ rows: all }))
    const stored = rows
      .map((row) => [row.secret_ciphertext, row.previous_secret_ciphertext].join(''))
      .join('')
    for (const one of [secret, rotated.secret]) {
      expect(stored).not.toContain(one)
      expect(logged.join('')).not.toContain(one)
    }
    expect(logged.join('')).not.toContain('hidden')
  })

  it('need a public https URL, unless the operator allows others [TELL-4]', async () => {
    const guarded = await startTestService({ environment: issuer.environment, database: service.database })
    try {
      for (const url of ['http://hooks.example.com/', receiver.url, 'https://127.0.0.1/', 'https://[::1]/']) {
        const answer = await guarded.call('POST', '/v1/console/webhooks', { key: admin.token, body: { url } })
        expect(answer, url).toMatchObject({
          status: 400,
          body: { code: 'validation_failed', issues: [{ path: 'url' }] },
        })
      }
    } finally {
      await guarded.close()
    }
  })
})

describe('webhook events', () => {
  it('are signed by the secret, and for a day after a rotation also by the previous one [TELL-5]', async () => {
    const { id, secret } = await make()
    const rotated = (await call('POST', `/${id}/rotate`)).body
    const expires = Date.parse(rotated.webhook.previousSecretExpiresAt)
    expect(Math.round((expires - Date.now()) / 3_600_000)).toBe(24)
    await call('POST', `/${id}/test`)
    const [request] = await received('webhook.test')
    for (const one of [secret, rotated.secret])
      expect(
        new Webhook(one).verify(request?.body ?? '', request?.headers as Record<string, string>),
      ).toEqual({
        type: 'webhook.test',
        timestamp: aTime,
        data: { organizationId: organization.id, webhookId: id },
      })
  })

  it('report changes of keys, members and plans, with only the listed fields [TELL-6]', async () => {
    await make()
    const key = { name: 'Bot', allowedActions: ['search'], allowedProviders: ['slack'] }
    const options = { key: organization.adminKey }
    const { apiKey, secret } = (await service.call('POST', '/v1/api-keys', { ...options, body: key })).body
    await service.call('DELETE', `/v1/api-keys/${apiKey.id}`, options)
    const told = {
      organizationId: organization.id,
      apiKeyId: apiKey.id,
      name: 'Bot',
      prefix: apiKey.prefix,
      actorType: 'agent',
      allowedActions: ['search'],
      allowedProviders: ['slack'],
    }
    expect((await received('api_key.created'))[0]?.event.data).toEqual(told)
    expect((await received('api_key.revoked'))[0]?.event.data).toEqual(told)
    const owner = await person('owner')
    const member = await person('member')
    const path = `/v1/console/members/${member.userId}`
    await service.call('PATCH', path, { key: owner.token, body: { role: 'admin' } })
    await service.call('DELETE', path, { key: owner.token })
    const whom = { organizationId: organization.id, userId: member.userId, role: 'admin' }
    expect((await received('member.updated'))[0]?.event.data).toEqual({ ...whom, previousRole: 'member' })
    expect((await received('member.removed'))[0]?.event.data).toEqual(whom)
    const link = await service.call('POST', '/v1/console/invitations', {
      key: owner.token,
      body: { role: 'member' },
    })
    await service.call('POST', '/v1/console/invitations/accept', {
      key: member.token,
      body: { token: new URL(link.body.url).hash.slice(1) },
    })
    expect((await received('member.joined'))[0]?.event.data).toEqual({ ...whom, role: 'member' })
    await service.call('PUT', `/operator/organizations/${organization.id}/subscription`, {
      key: 'operator-token-of-the-tests-0123456789',
      body: { status: 'active', tier: 'studio' },
    })
    expect((await received('subscription.updated'))[0]?.event.data).toEqual({
      organizationId: organization.id,
      status: 'active',
      previousStatus: 'internal',
      tier: 'studio',
      previousTier: null,
      cancelAtPeriodEnd: false,
      plannedChange: null,
    })
    expect(receiver.received.map(({ body }) => body).join('')).not.toContain(secret)
  })

  it("are listed in pages, with the outcome but not the answer's body, and are resent on request [TELL-7]", async () => {
    const { id } = await make()
    for (let n = 0; n < 3; n += 1) await call('POST', `/${id}/test`)
    const all = await until(
      'all have arrived',
      () => deliveriesOf(id, '?status=delivered'),
      (deliveries) => deliveries.length === 3,
    )
    expect(all[0]).toEqual({
      id: anId,
      webhookId: id,
      messageId: expect.stringMatching(/^msg_/),
      type: 'webhook.test',
      status: 'delivered',
      attempts: 1,
      nextAttemptAt: null,
      lastAttemptAt: aTime,
      responseStatus: 204,
      error: null,
      createdAt: aTime,
    })
    const first = (await call('GET', `/${id}/deliveries?limit=2`)).body
    const second = (await call('GET', `/${id}/deliveries?limit=2&cursor=${first.nextCursor}`)).body
    expect([...first.deliveries, ...second.deliveries]).toEqual(all)
    expect(second.nextCursor).toBeNull()
    // The delivery that a page ends with can be deleted before the next page is read.
    await service.database.db.deleteFrom('webhook_deliveries').where('id', '=', all[1].id).execute()
    const again = (await call('GET', `/${id}/deliveries?limit=2&cursor=${first.nextCursor}`)).body
    expect(again.deliveries).toEqual(second.deliveries)
    expect((await call('POST', `/deliveries/${all[0].id}/replay`)).body.delivery).toMatchObject({
      id: all[0].id,
      status: 'pending',
    })
    const ids = await until(
      'it came again',
      () => receiver.received.map(({ headers }) => headers['webhook-id']),
      (came) => came.length === 4,
    )
    expect(ids.filter((one) => one === all[0].messageId)).toHaveLength(2)
  })

  it('are not sent to a disabled webhook, not even as a test or resend [TELL-7]', async () => {
    const { id } = await make()
    const { delivery } = (await call('POST', `/${id}/test`)).body
    await received('webhook.test')
    await call('PATCH', `/${id}`, { status: 'disabled' })
    for (const path of [`/${id}/test`, `/deliveries/${delivery.id}/replay`])
      expect(await call('POST', path)).toMatchObject({ status: 409, body: { code: 'webhook_disabled' } })
  })

  it('are counted in the metrics', async () => {
    const { id } = await make()
    await call('POST', `/${id}/test`)
    await received('webhook.test')
    const metrics = await until(
      'it is counted',
      async () => (await service.call('GET', '/metrics')).text,
      (text) => /webhook_attempt_duration_seconds_count\{outcome="delivered"\} [1-9]/.test(text),
    )
    expect(metrics).toMatch(/^webhook_deliveries_waiting \d/m)
    expect(metrics).toMatch(/^webhook_deliveries_lag_seconds \d/m)
  })
})
