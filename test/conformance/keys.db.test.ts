import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/assembly/routes.ts'
import { ACTIONS } from '../../src/kernel/actions.ts'
import { PROVIDERS } from '../../src/providers/index.ts'
import type { ProviderId } from '../../src/kernel/provider-id.ts'
import { push, documentOf } from '../support/documents.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aTime, anId } from '../support/shapes.ts'

let now = new Date('2026-05-04T10:20:30.456Z')
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService({ clock: { now: () => now } })
  organization = await service.organization()
})
afterAll(() => service.close())

async function mint(body: Record<string, unknown> = {}, key = organization.adminKey): Promise<Answer> {
  const wanted = { name: 'agent', allowedActions: ['search'], ...body }
  return await service.call('POST', '/v1/api-keys', { key, body: wanted })
}
const list = (key = organization.adminKey) => service.call('GET', '/v1/api-keys', { key })
const revoke = (id: string, key = organization.adminKey) =>
  service.call('DELETE', `/v1/api-keys/${id}`, { key })
const search = (key: string, on = service) =>
  on.call('POST', '/v1/search', { key, body: { query: 'paid time off' } })

describe('a new key', () => {
  it('returns 201 with the key and its secret, with every default [KEY-1, KEY-9, KEY-6, KEY-7, SURF-4, SURF-5]', async () => {
    const { status, body } = await mint()
    expect(status).toBe(201)
    expect(body).toEqual({
      apiKey: {
        id: anId,
        name: 'agent',
        prefix: body.secret.slice(0, 12),
        actorType: 'agent',
        allowedActions: ['search'],
        allowedProviders: null,
        requiresUser: false,
        lastUsedAt: null,
        createdAt: aTime,
      },
      secret: expect.stringMatching(/^svc_[\w-]{43}$/),
    })
  })

  it('has a secret of 32 random bytes and shows its first 12 characters as prefix [KEY-2, KEY-3]', async () => {
    const secrets = (await Promise.all([mint(), mint()])).map(({ body }) => body)
    for (const { secret, apiKey } of secrets) {
      expect(Buffer.from(secret.slice(4), 'base64url')).toHaveLength(32)
      expect(apiKey.prefix).toBe(secret.slice(0, 12))
      expect(apiKey.prefix).toMatch(/^svc_/)
    }
    expect(secrets[0].secret).not.toBe(secrets[1].secret)
  })

  it('never shows its secret again, and the database stores only its SHA-256 [KEY-4, KEY-5]', async () => {
    const { secret, apiKey } = (await mint()).body
    const listed = await list()
    expect(listed.text).toContain(apiKey.id)
    expect(listed.text).not.toContain(secret)
    expect(listed.text).not.toContain('secret')
    const { rows } = await sql<{ row: string; sha: Buffer }>`
      select api_keys::text as row, secret_sha256 as sha from api_keys where id = ${apiKey.id}`.execute(
      service.database.db,
    )
    expect(Buffer.from(rows[0]?.sha ?? [])).toEqual(hash('sha256', secret, 'buffer'))
    expect(rows[0]?.row).not.toContain(secret.slice(12))
  })

  it.each([
    ['no actions', { allowedActions: [] }],
    ['an action twice', { allowedActions: ['search', 'search'] }],
    ['an unknown action', { allowedActions: ['fly'] }],
    ['an empty list of providers', { allowedProviders: [] }],
    ['a provider twice', { allowedProviders: ['slack', 'slack'] }],
    ['an unknown provider', { allowedProviders: ['dropbox'] }],
    ['an unknown actor type', { actorType: 'robot' }],
    ['a blank name', { name: ' ' }],
    ['an unknown field', { allowedAction: ['search'] }],
  ])('is refused with %s [KEY-7, KEY-8, SURF-6]', async (_what, wrong) => {
    expect(await mint(wrong)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('can do what its actions allow, whatever its actor type [KEY-6]', async () => {
    for (const actorType of ['agent', 'application', 'admin']) {
      const { secret, apiKey } = (await mint({ actorType })).body
      expect(apiKey.actorType).toBe(actorType)
      expect((await search(secret)).status).toBe(200)
      expect((await list(secret)).status).toBe(403)
    }
  })
})

describe('the list of keys', () => {
  it("contains the organization's live keys, newest first [KEY-10, SURF-7]", async () => {
    const own = await service.organization()
    const ids: string[] = []
    for (const name of ['first', 'second', 'third']) {
      now = new Date(now.getTime() + 1000)
      ids.unshift((await mint({ name }, own.adminKey)).body.apiKey.id)
    }
    await revoke(ids[1] ?? '', own.adminKey)
    const { status, body } = await list(own.adminKey)
    expect(status).toBe(200)
    expect(body.apiKeys.map(({ id }: { id: string }) => id)).toEqual([ids[0], ids[2], own.adminKeyId])
  })
})

describe('a revoked key', () => {
  it('is returned with its revocation time [KEY-11]', async () => {
    const { apiKey } = (await mint()).body
    const { status, body } = await revoke(apiKey.id)
    expect(status).toBe(200)
    expect(body).toEqual({ apiKey, revokedAt: now.toISOString() })
    expect((await revoke(apiKey.id)).status).toBe(404)
  })

  it('is refused from the next request on, on every instance [KEY-12, KEY-13]', async () => {
    const second = await startTestService({ database: service.database, clock: { now: () => now } })
    try {
      const { secret, apiKey } = (await mint()).body
      expect((await search(secret)).status).toBe(200)
      expect((await search(secret, second)).status).toBe(200)
      await revoke(apiKey.id)
      expect(await search(secret, second)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(await search(secret)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    } finally {
      await second.close()
    }
  })

  it('cannot be the requesting key, however its id is written [KEY-14]', async () => {
    const id = organization.adminKeyId
    for (const written of [id, id.toUpperCase()]) {
      expect(await revoke(written)).toMatchObject({ status: 409, body: { code: 'cannot_revoke_self' } })
    }
    expect((await list()).status).toBe(200)
    const other = (await mint({ allowedActions: ['admin'] })).body
    expect((await revoke(other.apiKey.id)).status).toBe(200)
  })
})

describe('lastUsedAt', () => {
  it('is null until the first use, and then accurate to the minute [KEY-15]', async () => {
    const { secret, apiKey } = (await mint()).body
    const lastUsedAt = async () =>
      (await list()).body.apiKeys.find(({ id }: { id: string }) => id === apiKey.id).lastUsedAt
    expect(await lastUsedAt()).toBeNull()
    for (const [at, minute] of [
      ['2026-05-04T11:20:59.999Z', '2026-05-04T11:20:00.000Z'],
      ['2026-05-04T11:21:00.000Z', '2026-05-04T11:21:00.000Z'],
    ] as const) {
      now = new Date(at)
      await search(secret)
      expect(await lastUsedAt()).toBe(minute)
    }
  })
})

/** The routes of the API document with their actions, which must not follow from the code. */
const GRANTS = {
  admin: ['GET /v1/api-keys', 'POST /v1/api-keys', 'DELETE /v1/api-keys/{id}', 'GET /v1/audit-events'],
  search: ['POST /v1/search', 'GET /v1/source-items/{id}'],
  context: ['POST /v1/context'],
  ask: ['POST /v1/ask'],
  'sources:read': ['GET /v1/sources', 'GET /v1/sources/{id}/channels'],
  'sources:write': ['PATCH /v1/sources/{id}'],
  'sync:read': ['GET /v1/sync-runs'],
  'sync:write': ['POST /v1/sync-runs'],
  ingest: ['POST /v1/ingest', 'DELETE /v1/source-items/{id}', 'DELETE /v1/source-items'],
}

describe('an action', () => {
  it('is required by the routes that the API document grants with it [AUTH-2, AUTH-3, KEY-16, AUD-13]', () => {
    for (const [action, granted] of Object.entries(GRANTS))
      for (const address of granted) {
        const route = routes.find(({ method, path }) => `${method} ${path}` === address)
        expect(route?.access, address).toMatchObject({ surface: 'agent', action })
      }
  })

  it.each(ACTIONS)('%s grants its routes and no other [AUTH-2, AUTH-3, KEY-16, AUD-13]', async (action) => {
    const { mint: mintOwn } = await service.organization()
    const { secret } = await mintOwn({ actions: [action] })
    for (const { access, method, path } of routes) {
      if (access.surface !== 'agent') continue
      const url = path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
      const { status, body } = await service.call(method, url, {
        key: secret,
        // Refused after the key is.
        ...(method === 'GET' ? {} : { raw: '{' }),
      })
      if (access.action === action) expect(status, `${method} ${path}`).not.toBe(403)
      else
        expect({ status, code: body.code }, `${method} ${path}`).toEqual({
          status: 403,
          code: 'action_not_allowed',
        })
    }
  })
})

describe('a key with a provider scope', () => {
  const scopedAdmin = (providers: ProviderId[]) => organization.mint({ actions: ['admin'], providers })

  it('creates keys of its own or a narrower scope, its own by default [KEY-7, KEY-17]', async () => {
    const { secret } = await scopedAdmin(['slack', 'gmail'])
    for (const [asked, given] of [
      [{}, ['slack', 'gmail']],
      [{ allowedProviders: ['gmail', 'slack'] }, ['gmail', 'slack']],
      [{ allowedProviders: ['gmail'] }, ['gmail']],
    ] as const) {
      const { status, body } = await mint(asked, secret)
      expect([status, body.apiKey?.allowedProviders]).toEqual([201, given])
    }
  })

  it('cannot create a key with a wider scope by any means [KEY-17]', async () => {
    const { secret } = await scopedAdmin(['slack'])
    const before = (await list()).body.apiKeys.length
    for (const allowedProviders of [null, ['gmail'], ['slack', 'gmail'], [...PROVIDERS]]) {
      expect(await mint({ allowedProviders }, secret)).toMatchObject({
        status: 403,
        body: { code: 'provider_not_allowed', allowedProviders: ['slack'] },
      })
    }
    expect((await list()).body.apiKeys).toHaveLength(before)
    // All four current providers are fewer than every provider.
    const all = await scopedAdmin([...PROVIDERS])
    expect(await mint({ allowedProviders: null }, all.secret)).toMatchObject({ status: 403 })
  })

  it('revokes keys within its scope, but no wider ones [KEY-17]', async () => {
    const { secret } = await scopedAdmin(['slack', 'gmail'])
    for (const providers of [null, ['notion'], ['slack', 'notion']] as const) {
      const wider = await organization.mint({ providers })
      expect(await revoke(wider.id, secret)).toMatchObject({
        status: 403,
        body: { code: 'provider_not_allowed' },
      })
      expect((await search(wider.secret)).status).toBe(200)
    }
    const narrower = await organization.mint({ providers: ['gmail'] })
    expect((await revoke(narrower.id, secret)).status).toBe(200)
    expect((await search(narrower.secret)).status).toBe(401)
  })

  it('is refused for a job with a wider scope, before its body is read [KEY-19, MAINT-5]', async () => {
    const { secret } = await scopedAdmin(['gmail'])
    const slack = await scopedAdmin(['slack'])
    for (const [method, path] of [
      ['POST', '/v1/maintenance/reembed'],
      ['GET', '/v1/maintenance/reembed'],
      ['POST', '/v1/maintenance/slack/cleanup-system-events'],
    ] as const) {
      const answer = await service.call(method, path, {
        key: secret,
        ...(method === 'POST' ? { raw: '{' } : {}),
      })
      expect(answer, path).toMatchObject({ status: 403, body: { code: 'provider_not_allowed' } })
      expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
    }
    const cleanUp = (key: string) =>
      service.call('POST', '/v1/maintenance/slack/cleanup-system-events', { key, body: { dryRun: true } })
    expect((await cleanUp(slack.secret)).status).toBe(200)
    expect((await service.call('GET', '/v1/maintenance/reembed', { key: slack.secret })).status).toBe(403)
  })
})

describe('the number of live keys', () => {
  it('is at most 1,000, even under concurrency; a revoked one frees a place [KEY-18]', async () => {
    const own = await service.organization()
    const rows = Array.from({ length: 996 }, (_, at) => ({
      organization_id: own.id,
      id: crypto.randomUUID(),
      name: `key ${at}`,
      prefix: 'svc_00000000',
      secret_sha256: hash('sha256', `${own.id} ${at}`, 'buffer'),
      actor_type: 'agent' as const,
      allowed_actions: ['search' as const],
      allowed_providers: null,
      created_at: now,
    }))
    await service.database.db.insertInto('api_keys').values(rows).execute()
    const answers = await Promise.all(Array.from({ length: 8 }, () => mint({}, own.adminKey)))
    const minted = answers.filter(({ status }) => status === 201)
    expect(minted).toHaveLength(3)
    for (const refused of answers.filter(({ status }) => status !== 201)) {
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'key_limit_reached', limit: 1000, used: 1000, error: expect.stringContaining('1,000') },
      })
    }
    await revoke(minted[0]?.body.apiKey.id, own.adminKey)
    expect((await mint({}, own.adminKey)).status).toBe(201)
  })
})

describe('a provider scope', () => {
  it('of null restricts nothing [AUTH-4]', async () => {
    await push(
      service,
      organization,
      documentOf(organization, { provider: 'slack', externalId: 'a' }),
      documentOf(organization, { provider: 'gmail', externalId: 'b' }),
    )
    const { secret } = await organization.mint({ actions: ['search'], providers: null })
    const { hits } = (await search(secret)).body
    expect(new Set(hits.map(({ provider }: { provider: string }) => provider))).toEqual(
      new Set(['slack', 'gmail']),
    )
  })
})
