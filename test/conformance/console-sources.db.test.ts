import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Readable } from '../../src/kernel/viewer.ts'
import { readOverview } from '../../src/sources/count-stored.ts'
import { databaseContents } from '../support/database-contents.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { sampleDocx, samplePdf } from '../support/sample-files.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aTime, anId } from '../support/shapes.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let admin: Person
let member: Person

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
})
beforeEach(async () => {
  organization = await service.organization()
  const { id: organizationId } = organization
  admin = await signIn(service, issuer, `admin-of-${organizationId}`, { organizationId, role: 'admin' })
  member = await signIn(service, issuer, `member-of-${organizationId}`, { organizationId, role: 'member' })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const call = (person: Person, method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/v1/console/${path}`, { key: person.token, body })
const refused = (status: number, code: string) => ({ status, body: { code } })
const documents = (count: number, provider: 'notion' | 'slack', prefix = provider) =>
  Array.from({ length: count }, (_, at) =>
    documentOf(organization, { provider, externalId: `${prefix}-${at}`, body: `Text ${at}. `.repeat(300) }),
  )

async function stored(): Promise<{ items: number; chunks: number }> {
  const { rows } = await sql<{ items: number; chunks: number }>`
    select (select count(*)::int from source_items i where i.organization_id = ${organization.id}) as items,
      (select count(*)::int from chunks c where c.organization_id = ${organization.id}) as chunks`.execute(
    service.database.db,
  )
  return rows[0] ?? { items: 0, chunks: 0 }
}

describe('the preview of a removal', () => {
  it('counts what the removal deletes, without changing anything [CON-14]', async () => {
    const { notion } = organization.sources
    const body = { provider: 'notion', displayName: 'Another' }
    const other = (await call(admin, 'POST', 'sources', body)).body.source.id
    await push(service, organization, ...documents(6, 'notion'), ...documents(3, 'slack'))
    const claim = (sourceId: string, externalId: string) =>
      sql`
      insert into synced_items (organization_id, source_id, external_id, source_item_id)
      select organization_id, ${sourceId}, external_id, id from source_items
      where organization_id = ${organization.id} and external_id = ${externalId}`.execute(service.database.db)
    // Both claim one item, one item belongs only to the source, and one is only claimed because another account read
    // it last.
    await claim(notion, 'notion-0')
    await claim(other, 'notion-0')
    await claim(notion, 'notion-1')
    await claim(notion, 'notion-2')
    await claim(other, 'notion-2')
    await sql`update source_items set source_id = ${other}
      where organization_id = ${organization.id} and external_id = 'notion-2'`.execute(service.database.db)
    const run = { organization_id: organization.id, source_id: notion, status: 'succeeded' as const }
    await service.database.db
      .insertInto('sync_runs')
      .values({ ...run, id: randomUUID(), full_resync: false, created_at: new Date() })
      .execute()

    const contents = await databaseContents(service.database.db)
    const before = await stored()
    const preview = await call(admin, 'GET', `sources/${notion}/removal`)
    expect(await databaseContents(service.database.db)).toEqual(contents)
    await call(admin, 'DELETE', `sources/${notion}`)
    const after = await stored()
    expect(preview).toMatchObject({
      status: 200,
      body: {
        removal: {
          items: before.items - after.items,
          chunks: before.chunks - after.chunks,
          itemsKept: 2,
          syncRuns: 1,
        },
      },
    })
    expect(before.items - after.items).toBe(4)
    expect(before.chunks - after.chunks).toBeGreaterThan(4)
    expect(await call(admin, 'GET', `sources/${notion}/removal`)).toMatchObject(refused(404, 'not_found'))
    expect(await call(member, 'GET', `sources/${other}/removal`)).toMatchObject(refused(403, 'role_required'))
  })
})

describe('the overview', () => {
  it('shows the stored counts to every member [CON-15]', async () => {
    await push(service, organization, ...documents(4, 'notion'), ...documents(2, 'slack'))
    const others = await service.organization()
    await push(service, others, documentOf(others))
    const { status, body } = await call(member, 'GET', 'overview')
    const { chunks } = await stored()
    expect(status).toBe(200)
    expect(body).toEqual({
      items: 6,
      chunks,
      itemsWaiting: expect.any(Number),
      sources: expect.any(Array),
      isCapped: false,
    })
    expect(body.itemsWaiting).toBeLessThanOrEqual(6)
    expect(body.sources).toHaveLength(4)
    expect(body.sources).toContainEqual({
      id: organization.sources.notion,
      provider: 'notion',
      displayName: expect.any(String),
      status: 'active',
      items: 4,
      lastSyncedAt: null,
    })
    await service.app.readForCanvas()
    expect((await call(member, 'GET', 'overview')).body.itemsWaiting).toBe(0)
  })

  it('stops counting at its limit, and says so [CON-15]', async () => {
    await push(service, organization, ...documents(4, 'notion'))
    const viewer = {
      kind: 'console',
      organizationId: organization.id,
      userId: member.userId,
      role: 'member',
      allowedProviders: null,
      readable: Readable.everything,
    } as const
    const { db } = service.database
    expect(await readOverview(db, viewer, { itemsOfSource: 3, chunks: 1_000 })).toMatchObject({
      items: 3,
      isCapped: true,
    })
    expect(await readOverview(db, viewer, { itemsOfSource: 10, chunks: 2 })).toMatchObject({
      items: 4,
      chunks: 2,
      isCapped: true,
    })
  })
})

describe('requests for gated providers', () => {
  it('are listed with their state, to admins [CON-16]', async () => {
    expect((await call(admin, 'GET', 'connector-access')).body).toEqual({ requests: [] })
    const { request } = (await call(admin, 'POST', 'connector-access', { provider: 'gmail' })).body
    expect((await call(admin, 'GET', 'connector-access')).body).toEqual({ requests: [request] })
    expect(request).toEqual({ id: anId, provider: 'gmail', status: 'pending', createdAt: aTime })
    expect(await call(member, 'GET', 'connector-access')).toMatchObject(refused(403, 'role_required'))
  })
})

describe('documents in the console', () => {
  it('are pushed and removed by admins as by keys, and recorded in their name [CON-17, CON-5]', async () => {
    const body = { documents: [documentOf(organization, { externalId: 'a' })] }
    expect(await call(member, 'POST', 'ingest', body)).toMatchObject(refused(403, 'role_required'))
    expect(await call(admin, 'POST', 'ingest', body)).toMatchObject({
      status: 200,
      body: { ingested: 1, skipped: 0 },
    })
    const { sourceItems } = (await call(member, 'GET', 'source-items')).body
    expect(sourceItems).toMatchObject([{ externalId: 'a' }])
    const path = `source-items/${sourceItems[0].id}`
    expect(await call(member, 'DELETE', path)).toMatchObject(refused(403, 'role_required'))
    expect(await call(admin, 'DELETE', path)).toMatchObject({ status: 200 })
    expect((await call(admin, 'GET', 'audit-events')).body.auditEvents).toMatchObject([
      { action: 'source_item.delete', actorUserId: admin.userId },
      { action: 'source_item.ingest', actorUserId: admin.userId },
    ])
  })
})

describe('a file in the console', () => {
  const drop = (
    name: string,
    bytes: Buffer | string,
    { type = '', by = admin, into = organization.sources.notion, headers = {} } = {},
  ): Promise<Answer> =>
    service.call('POST', `/v1/console/files?connectorId=${into}&name=${encodeURIComponent(name)}`, {
      key: by.token,
      raw: bytes,
      headers: { 'Content-Type': type === '' ? 'application/octet-stream' : type, ...headers },
    })
  const found = async (query: string) =>
    (await service.call('POST', '/v1/search', { key: organization.adminKey, body: { query, limit: 25 } }))
      .body.hits

  it('of each kind is searchable when the call returns [CON-18]', async () => {
    const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
    const files: [string, string, Buffer][] = [
      ['notes.md', 'text/markdown', Buffer.from('# Travel\n\nThe train to Lyon leaves at noon.')],
      ['folder/page.html', 'text/html', Buffer.from('<title>Travel</title><p>The train to Lyon leaves.</p>')],
      ['plain.txt', 'text/plain', Buffer.from('The train to Lyon leaves at noon.')],
      ['trip.docx', docx, await sampleDocx('Travel', 'The train to Lyon leaves at noon.')],
      ['trip.pdf', 'application/pdf', samplePdf('The train to Lyon leaves at noon.')],
      // Some browsers do not know the type, or send an unknown one.
      ['unknown.md', '', Buffer.from('# Travel\n\nThe train to Lyon leaves at noon.')],
      ['odd.md', 'application/x-odd', Buffer.from('# Travel\n\nThe train to Lyon leaves at noon.')],
    ]
    for (const [name, type, bytes] of files) {
      const answer = await drop(name, bytes, { type })
      expect(answer, name).toMatchObject({
        status: 200,
        body: { file: { externalId: name, isTruncated: false }, ingested: 1, skipped: 0 },
      })
    }
    const hits: { metadata: { path: string } }[] = await found('train to Lyon')
    const names = hits.map(({ metadata }) => metadata.path)
    expect(new Set(names)).toEqual(new Set(files.map(([name]) => name)))
    expect(
      (await call(admin, 'GET', 'audit-events?action=source_item.ingest&limit=1')).body.auditEvents,
    ).toMatchObject([
      { action: 'source_item.ingest', actorUserId: admin.userId, metadata: { documents: 1, ingested: 1 } },
    ])
  })

  it('replaces the former one of the same name, and is skipped when unchanged [CON-18]', async () => {
    await drop('notes.md', 'The train leaves at noon.')
    expect((await drop('notes.md', 'The train leaves at noon.')).body).toMatchObject({
      ingested: 0,
      skipped: 1,
    })
    expect((await drop('notes.md', 'The train leaves at nine.')).body).toMatchObject({ ingested: 1 })
    expect((await call(admin, 'GET', 'source-items')).body.sourceItems).toHaveLength(1)
  })

  it('is cut at the longest document, and the answer says so [CON-18]', async () => {
    const { body } = await drop('long.txt', 'All work and no play. '.repeat(60_000))
    expect(body.file).toMatchObject({ isTruncated: true })
  })

  it('that cannot be read is refused with the reason, and nothing is stored [CON-18]', async () => {
    const others = await service.organization()
    const before = await databaseContents(service.database.db)
    for (const [name, bytes, reason] of [
      ['photo.gif', 'GIF', 'format'],
      ['style.css', 'a {}', 'format'],
      ['no-name', 'text', 'format'],
      ['blank.txt', ' \n ', 'empty'],
      ['broken.docx', 'no zip at all', 'unreadable'],
      ['broken.pdf', 'no pdf at all', 'unreadable'],
    ] as const) {
      expect(await drop(name, bytes), name).toMatchObject({
        status: 400,
        body: { code: 'file_unreadable', reason, error: expect.any(String) },
      })
    }
    expect(await drop('a.txt', gzipSync('text'), { headers: { 'Content-Encoding': 'gzip' } })).toMatchObject(
      refused(415, 'unsupported_media_type'),
    )
    expect(await drop('large.txt', Buffer.alloc(25 * 1024 * 1024 + 1, 'a'))).toMatchObject(
      refused(413, 'body_too_large'),
    )
    for (const name of ['', ' ', 'x'.repeat(501), 'a\u0007b.txt', 'a\nb.txt'])
      expect(await drop(name, 'text')).toMatchObject(refused(400, 'validation_failed'))
    expect(await drop('a.txt', 'text', { by: member })).toMatchObject(refused(403, 'role_required'))
    for (const into of [others.sources.notion, randomUUID()])
      expect(await drop('a.txt', 'text', { into })).toMatchObject(refused(404, 'not_found'))
    expect(await databaseContents(service.database.db)).toEqual(before)
  })
})

describe('the history of runs', () => {
  /** Ended runs of a source, a microsecond apart. @returns their ids, newest first */
  async function runsOf(sourceId: string, count: number): Promise<string[]> {
    const ids: string[] = []
    for (let at = 0; at < count; at += 1) {
      const id = randomUUID()
      ids.unshift(id)
      const when = `2026-01-20T10:00:00.${String(at).padStart(6, '0')}Z`
      await sql`insert into sync_runs (organization_id, id, source_id, status, full_resync, created_at)
        values (${organization.id}, ${id}, ${sourceId}, 'succeeded', false, ${when}::timestamptz)`.execute(
        service.database.db,
      )
    }
    return ids
  }

  async function readAll(query: Record<string, string>): Promise<string[]> {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const search = new URLSearchParams({ ...query, ...(cursor === undefined ? {} : { cursor }) })
      const { status, body } = await call(admin, 'GET', `sync-runs?${search.toString()}`)
      expect(status).toBe(200)
      expect(body.syncRuns.length).toBeLessThanOrEqual(Number(query.limit))
      ids.push(...body.syncRuns.map(({ id }: { id: string }) => id))
      cursor = body.nextCursor
    } while (cursor !== undefined)
    return ids
  }

  it('is paged, for one source or all, each run once and newest first [CON-19]', async () => {
    const { notion, slack } = organization.sources
    const [ofNotion, ofSlack] = [await runsOf(notion, 7), await runsOf(slack, 9)]
    expect(await readAll({ connectorId: notion, limit: '3' })).toEqual(ofNotion)
    expect(await readAll({ connectorId: slack, limit: '9' })).toEqual(ofSlack)
    const all = await readAll({ limit: '5' })
    expect(all.toSorted()).toEqual([...ofNotion, ...ofSlack].toSorted())
    expect(all.filter((id) => ofNotion.includes(id))).toEqual(ofNotion)
  })

  it('accepts a cursor only for the same list, and excludes other workspaces [CON-19]', async () => {
    const { notion, slack } = organization.sources
    await runsOf(notion, 3)
    const { nextCursor } = (await call(admin, 'GET', `sync-runs?connectorId=${notion}&limit=1`)).body
    for (const path of [
      `connectorId=${slack}&cursor=${nextCursor}`,
      `cursor=${nextCursor}`,
      'cursor=x',
      'limit=0',
    ])
      expect(await call(admin, 'GET', `sync-runs?${path}`), path).toMatchObject(
        refused(400, 'validation_failed'),
      )
    const other = await service.organization()
    const stranger = await signIn(service, issuer, `admin-of-${other.id}`, {
      organizationId: other.id,
      role: 'admin',
    })
    const foreign = await call(stranger, 'GET', `sync-runs?connectorId=${notion}`)
    expect(foreign).toMatchObject({ status: 200, body: { syncRuns: [] } })
    const carried = await call(stranger, 'GET', `sync-runs?connectorId=${notion}&cursor=${nextCursor}`)
    expect(carried).toMatchObject(refused(400, 'validation_failed'))
    expect(await call(member, 'GET', 'sync-runs')).toMatchObject(refused(403, 'role_required'))
  })
})
