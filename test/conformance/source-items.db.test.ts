import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PROVIDERS } from '../../src/providers/index.ts'
import { insertPushOnlySource } from '../../src/sources/index.ts'
import { databaseContents } from '../support/database-contents.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let now = new Date()
let issuer: TestIssuer
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ clock: { now: () => now }, environment: issuer.environment })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})
beforeEach(async () => {
  organization = await service.organization()
})

/** Pushes documents a second after the previous ones; those of one call change at the same moment. */
async function pushLater(...values: Parameters<typeof documentOf>[1][]): Promise<void> {
  now = new Date(now.getTime() + 1000)
  const documents = values.map((value) => documentOf(organization, value))
  expect((await push(service, organization, ...documents)).status).toBe(200)
}

/** One document per id, each a second after the previous one. */
async function pushEach(...externalIds: string[]): Promise<void> {
  for (const externalId of externalIds) await pushLater({ externalId })
}

const list = (query: Record<string, string> = {}, key = organization.adminKey): Promise<Answer> =>
  service.call('GET', `/v1/source-items?${new URLSearchParams(query).toString()}`, { key })

async function namesOf(query: Record<string, string> = {}, key = organization.adminKey): Promise<string[]> {
  const { status, body, text } = await list(query, key)
  expect(status, text).toBe(200)
  return body.sourceItems.map(({ externalId }: { externalId: string }) => externalId)
}

describe('a title to list by', () => {
  it('finds it in any case and anywhere in the title or the external id, page by page', async () => {
    await pushLater(
      { externalId: 'a', title: 'Vacation policy' },
      { externalId: 'vacation/b', title: 'Other' },
    )
    await pushLater({ externalId: 'c', title: '100% of it' }, { externalId: 'd', title: 'Nothing' })
    expect((await namesOf({ title: 'VACATION' })).toSorted()).toEqual(['a', 'vacation/b'])
    expect(await namesOf({ title: '100%' })).toEqual(['c'])
    expect(await namesOf({ title: '%' })).toEqual(['c'])
    expect(await namesOf({ title: '_' })).toEqual([])
    expect((await allPages({ title: 'vacation', limit: '1' })).flat().toSorted()).toEqual(['a', 'vacation/b'])
    const { body } = await list({ title: 'vacation', limit: '1' })
    expect((await list({ title: 'other', cursor: body.nextCursor })).status).toBe(400)
  })
})

/** Every page of a list, with what a test does between two of them. */
async function allPages(
  query: Record<string, string>,
  between: (page: number) => Promise<void> = async () => {},
): Promise<string[][]> {
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body, text } = await list({ ...query, ...(cursor === '' ? {} : { cursor }) })
    expect(status, text).toBe(200)
    pages.push(body.sourceItems.map(({ externalId }: { externalId: string }) => externalId))
    cursor = body.nextCursor
    if (cursor !== null) await between(pages.length)
  }
  return pages
}

describe('GET /v1/source-items', () => {
  it('lists stored items, without texts and metadata [LIST-1]', async () => {
    await pushLater({
      url: 'https://example.com/pto',
      authorName: 'Ada',
      sourceUpdatedAt: '2025-01-02T03:04:05Z',
      metadata: { a: 'b' },
    })
    const { body } = await list()
    expect(body).toEqual({
      sourceItems: [
        {
          id: expect.stringMatching(/^[\da-f-]{36}$/),
          provider: 'notion',
          connectorId: organization.sources.notion,
          sourceKind: 'document',
          externalId: 'pto',
          title: 'PTO policy',
          url: 'https://example.com/pto',
          authorName: 'Ada',
          sourceUpdatedAt: '2025-01-02T03:04:05.000Z',
          updatedAt: now.toISOString(),
          syncedAt: now.toISOString(),
        },
      ],
      nextCursor: null,
    })
    const shown = await service.call('GET', `/v1/source-items/${body.sourceItems[0].id}`, {
      key: organization.adminKey,
    })
    expect(shown.body.sourceItem).toMatchObject(body.sourceItems[0])
  })

  it('is ordered by last change, and by id within the same moment [LIST-2]', async () => {
    await pushEach('a', 'b', 'c')
    expect(await namesOf()).toEqual(['c', 'b', 'a'])
    await pushLater({ externalId: 'a', body: 'Something else entirely' })
    expect(await namesOf()).toEqual(['a', 'c', 'b'])
    await pushLater(...Array.from({ length: 20 }, (_, n) => ({ externalId: `same-${n}` })))
    const { body } = await list({ limit: '20' })
    const ids: string[] = body.sourceItems.map(({ id }: { id: string }) => id)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(body.sourceItems.map(({ updatedAt }: { updatedAt: string }) => updatedAt)).size).toBe(1)
  })

  it('does not move an unchanged re-ingested item, even from another source [LIST-3]', async () => {
    await pushEach('a', 'b')
    const before = await list()
    await pushLater({ externalId: 'a' })
    // Only the confirmation time changes.
    const [b, a] = before.body.sourceItems
    expect((await list()).body.sourceItems).toEqual([b, { ...a, syncedAt: now.toISOString() }])
    const connectorId = await service.database.db.transaction().execute((tx) =>
      insertPushOnlySource(tx, {
        organizationId: organization.id,
        provider: 'notion',
        displayName: 'Other',
        at: now,
      }),
    )
    await pushLater({ externalId: 'a', connectorId })
    const { sourceItems } = (await list()).body
    expect(sourceItems.map(({ externalId }: { externalId: string }) => externalId)).toEqual(['b', 'a'])
    expect(sourceItems[1]).toMatchObject({
      connectorId,
      updatedAt: before.body.sourceItems[1].updatedAt,
      syncedAt: now.toISOString(),
    })
  })

  it('filters by provider, source and kind, also combined [LIST-4]', async () => {
    for (const provider of PROVIDERS) {
      for (const sourceKind of ['message', 'document', 'file']) {
        await pushLater({ provider, sourceKind, externalId: `${provider}-${sourceKind}` })
      }
    }
    expect(await namesOf({ provider: 'slack' })).toEqual(['slack-file', 'slack-document', 'slack-message'])
    expect(await namesOf({ sourceKind: 'file' })).toEqual(
      PROVIDERS.map((provider) => `${provider}-file`).toReversed(),
    )
    expect(await namesOf({ connectorId: organization.sources.gmail.toUpperCase() })).toHaveLength(3)
    const all = { provider: 'gmail', connectorId: organization.sources.gmail, sourceKind: 'message' }
    expect(await namesOf(all)).toEqual(['gmail-message'])
    expect(await namesOf({ ...all, provider: 'slack' })).toEqual([])
  })

  it('accepts a limit from 1 to 200, 50 by default, and refuses unknown parameters [LIST-5]', async () => {
    await pushLater(...Array.from({ length: 201 }, (_, n) => ({ externalId: `n${n}` })))
    expect(await namesOf()).toHaveLength(50)
    expect(await namesOf({ limit: '1' })).toHaveLength(1)
    const most = (await list({ limit: '200' })).body
    expect(most.sourceItems).toHaveLength(200)
    expect(await namesOf({ limit: '200', cursor: most.nextCursor })).toHaveLength(1)
    for (const wrong of [
      { limit: '0' },
      { limit: '201' },
      { limit: '-1' },
      { limit: '1.5' },
      { limit: 'ten' },
      { provider: 'dropbox' },
      { sourceKind: 'mail' },
      { connectorId: 'mine' },
      { Provider: 'slack' },
      { offset: '10' },
    ]) {
      expect(await list(wrong), JSON.stringify(wrong)).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      })
    }
  })

  it('returns each item once over all pages of any size, even at one timestamp [LIST-6]', async () => {
    await pushEach('a', 'b', 'c')
    await pushLater(...Array.from({ length: 9 }, (_, n) => ({ externalId: `same-${n}` })))
    await pushLater({ externalId: 'd', provider: 'slack' })
    // A restored database may distinguish timestamps that are equal as JavaScript dates.
    const { rows } = await sql<{ later: string }>`
      select (updated_at + interval '1 microsecond')::text as later from source_items
      where organization_id = ${organization.id} and external_id = 'same-3'`.execute(service.database.db)
    await sql`update source_items set updated_at = ${rows[0]?.later}::timestamptz
      where organization_id = ${organization.id} and external_id in ('same-3', 'same-4')`.execute(
      service.database.db,
    )
    const whole = await namesOf()
    expect(whole).toHaveLength(13)
    for (const limit of ['1', '2', '5', '12', '13', '14']) {
      const pages = await allPages({ limit })
      expect(pages.flat(), limit).toEqual(whole)
      for (const page of pages.slice(0, -1)) expect(page).toHaveLength(Number(limit))
      expect(pages.at(-1)).not.toEqual([])
    }
  })

  it('neither misses nor duplicates unchanged items while others are added, changed and deleted [LIST-6]', async () => {
    const steady = Array.from({ length: 12 }, (_, n) => `steady-${n}`)
    await pushEach('changing-1', 'going-1')
    await pushLater(...steady.map((externalId) => ({ externalId })))
    await pushEach('going-2', 'changing-2')
    const pages = await allPages({ limit: '3' }, async (page) => {
      await pushLater({ externalId: `new-${page}` }, { externalId: 'changing-1', body: `Version ${page}` })
      const gone = new URLSearchParams({ provider: 'notion', externalId: `going-${page}` })
      await service.call('DELETE', `/v1/source-items?${gone.toString()}`, { key: organization.adminKey })
    })
    const seen = pages.flat()
    expect(seen.filter((name) => name.startsWith('steady')).toSorted()).toEqual(steady.toSorted())
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((name) => name.startsWith('new'))).toEqual([])
  })

  it('refuses a foreign cursor, also of other filters or another organization [LIST-7]', async () => {
    await pushEach('a', 'b')
    const { nextCursor } = (await list({ limit: '1' })).body
    const other = await service.organization()
    const body = (await list({ cursor: nextCursor }, other.adminKey)).body
    expect(body).toMatchObject({ code: 'validation_failed', issues: [{ path: 'cursor' }] })
    const [version, , id, name] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString())
    const forged = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const wrong: Record<string, string>[] = [
      ...['', 'x', '%00', 'null', nextCursor.slice(0, -8), 'A'.repeat(1000), 'A'.repeat(2000)].map(
        (cursor) => ({ cursor }),
      ),
      { cursor: forged(version, '0000-01-01T00:00:00Z', id, name) },
      { cursor: forged(version, '2026-13-01T00:00:00Z', id, name) },
      { cursor: forged(version, null, id, name) },
      { cursor: forged(version, '2026-01-01T00:00:00Z', "' or 1=1", name) },
      { cursor: forged(version + 1, '2026-01-01T00:00:00Z', id, name) },
      { cursor: nextCursor, provider: 'notion' },
      { cursor: nextCursor, sourceKind: 'document' },
      { cursor: nextCursor, connectorId: organization.sources.notion },
    ]
    for (const query of wrong) {
      const answer = await list(query)
      expect(answer.status, JSON.stringify(query)).toBe(400)
      expect(answer.body.issues[0].path).toBe('cursor')
    }
    // The page size may change between pages.
    expect(await namesOf({ cursor: nextCursor, limit: '7' })).toEqual(['a'])
    expect(nextCursor).toMatch(/^[\w-]+$/)
  })

  it("shows nothing of another organization, of a provider out of the key's scope, or of a removed source [LIST-8, SEA-9]", async () => {
    const own = organization
    organization = await service.organization()
    await pushLater({ externalId: 'foreign' })
    const foreign = organization
    organization = own
    await pushLater({ externalId: 'wiki' })
    await pushLater({ externalId: 'chat', provider: 'slack' })
    expect(await namesOf()).toEqual(['chat', 'wiki'])
    const { secret } = await organization.mint({ providers: ['notion'] })
    expect(await namesOf({}, secret)).toEqual(['wiki'])
    const nothing = { sourceItems: [], nextCursor: null }
    for (const query of [
      { provider: 'slack' },
      { connectorId: organization.sources.slack },
      { connectorId: foreign.sources.notion },
      { connectorId: '00000000-0000-4000-8000-000000000000' },
    ]) {
      expect((await list(query, secret)).body).toEqual(nothing)
    }
    await service.database.db
      .updateTable('sources')
      .set({ removed_at: now })
      .where('organization_id', '=', organization.id)
      .where('id', '=', organization.sources.notion)
      .execute()
    expect(await namesOf()).toEqual(['chat'])
    expect(await namesOf({ connectorId: organization.sources.notion })).toEqual([])
  })

  it('is the same for any member in the console, free of credits, in the window of search [LIST-9, CRED-2]', async () => {
    const paying = await service.organization({ status: 'canceled', tier: 'builder' })
    organization = paying
    await pushEach('a', 'b')
    const membership = { organizationId: organization.id, role: 'member' as const }
    const { token } = await signIn(service, issuer, organization.id, membership)
    const before = await databaseContents(service.database.db)
    const shown = await service.call('GET', '/v1/console/source-items?limit=1', { key: token })
    const same = await list({ limit: '1' })
    expect(shown).toMatchObject({ status: 200, body: same.body })
    expect(same.headers.get('x-ratelimit-remaining')).toBe('99999')
    expect(await databaseContents(service.database.db)).toEqual(before)
    const { secret } = await organization.mint({ actions: ['ingest', 'context', 'sources:read'] })
    expect(await list({}, secret)).toMatchObject({ status: 403, body: { code: 'action_not_allowed' } })
    const limited = await service.call('POST', '/v1/search', {
      key: organization.adminKey,
      body: { query: 'x' },
    })
    expect(limited.status).toBe(402)
    expect(limited.headers.get('x-ratelimit-remaining')).toBe('99998')
  })
})
