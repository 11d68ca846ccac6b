import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exportEvents } from '../../src/audit/export-events.ts'
import { type EventFilter, filterEvents, NEWEST } from '../../src/audit/list-events.ts'
import { newestFirst } from '../../src/database/list-page.ts'
import type { NewRow } from '../../src/database/schema.ts'
import type { ConsoleCaller } from '../../src/kernel/caller.ts'
import { databaseContents } from '../support/database-contents.ts'
import { interruptedDownload } from '../support/interrupted-download.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

const NOW = new Date('2026-05-04T10:20:30.456Z')
let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let admin: Person

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
})
beforeEach(async () => {
  organization = await service.organization()
  const membership = { organizationId: organization.id, role: 'admin' as const }
  admin = await signIn(service, issuer, `admin-of-${organization.id}`, membership)
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const get = (query = ''): Promise<Answer> =>
  service.call('GET', `/v1/console/audit-events${query}`, { key: admin.token })
const targetsOf = ({ body }: Answer): number[] =>
  body.auditEvents.map(({ targetId }: { targetId: string }) => Number(targetId))
const caller = (): ConsoleCaller => ({
  kind: 'console',
  organizationId: organization.id,
  userId: admin.userId,
  role: 'admin',
  allowedProviders: null,
})

/** Stores events with numbered targets; later ones are newer, unless `values` says otherwise. */
async function store(
  count: number,
  values: (at: number) => Partial<NewRow<'audit_events'>> = () => ({}),
): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => ({
    organization_id: organization.id,
    id: randomUUID(),
    actor_user_id: null,
    actor_api_key_id: organization.adminKeyId,
    action: 'source.update',
    target_type: 'source',
    target_id: String(at),
    metadata: '{}',
    created_at: new Date(NOW.getTime() + at * 1_000),
    ...values(at),
  }))
  await service.database.db.insertInto('audit_events').values(rows).execute()
}

describe('the trail for people', () => {
  it('pages through events without gaps or duplicates, even at the same timestamp [AUD-15]', async () => {
    await store(95, (at) => ({ created_at: new Date(NOW.getTime() + Math.floor(at / 30) * 1_000) }))
    const seen: number[] = []
    let cursor: string | null = null
    do {
      const page: Answer = await get(`?limit=10${cursor === null ? '' : `&cursor=${cursor}`}`)
      expect(page.status).toBe(200)
      seen.push(...targetsOf(page))
      cursor = page.body.nextCursor ?? null
      // Newer events do not change the remaining pages.
      if (seen.length === 50)
        await store(1, () => ({ created_at: new Date(NOW.getTime() + 60_000), target_id: '999' }))
    } while (cursor !== null)
    expect(seen).toHaveLength(95)
    expect(new Set(seen).size).toBe(95)
    const moments = seen.map((at) => Math.floor(at / 30))
    expect(moments).toEqual(moments.toSorted((a, b) => b - a))
  })

  it('returns only what matches every filter, and nothing of another organization [AUD-15, AUD-4]', async () => {
    const other = await service.organization()
    await store(40, (at) => ({
      ...(at % 2 === 0 ? { action: 'api_key.create' } : {}),
      ...(at % 5 === 0 ? { actor_user_id: admin.userId, actor_api_key_id: null } : {}),
      ...(at === 39 ? { organization_id: other.id } : {}),
    }))
    const at = (second: number) => new Date(NOW.getTime() + second * 1_000).toISOString()
    const all = Array.from({ length: 39 }, (_, n) => 38 - n)
    const cases: [string, (n: number) => boolean][] = [
      ['', () => true],
      ['action=api_key.create', (n) => n % 2 === 0],
      [`actor=${admin.userId}`, (n) => n % 5 === 0],
      [`actor=${organization.adminKeyId.toUpperCase()}`, (n) => n % 5 !== 0],
      ['target=7', (n) => n === 7],
      [`from=${at(30)}`, (n) => n >= 30],
      [`to=${at(4)}`, (n) => n < 4],
      [
        `action=api_key.create&actor=${admin.userId}&from=${at(10)}&to=${at(30)}`,
        (n) => n % 10 === 0 && n >= 10 && n < 30,
      ],
      [`actor=${randomUUID()}`, () => false],
    ]
    for (const [query, holds] of cases) {
      const answer = await get(`?${query}`)
      expect(targetsOf(answer), query).toEqual(all.filter(holds))
      expect(Object.keys(answer.body), query).toEqual(['auditEvents'])
    }
  })

  it('finds who deleted an item by its external id, event by event and in groups [AUD-15]', async () => {
    const id = randomUUID()
    const metadata = JSON.stringify({ provider: 'notion', externalId: 'handbook/vacation' })
    await store(3, (at) => (at === 1 ? { action: 'source_item.delete', target_id: id, metadata } : {}))
    const other = await service.organization()
    await store(1, () => ({ organization_id: other.id, action: 'source_item.delete', metadata }))
    const target = encodeURIComponent('handbook/vacation')
    const { body } = await get(`?target=${target}`)
    expect(body.auditEvents).toMatchObject([{ targetId: id, action: 'source_item.delete' }])
    expect((await get(`/groups?target=${target}`)).body.groups).toMatchObject([
      { count: 1, event: { targetId: id } },
    ])
    expect((await get(`?target=${id}`)).body.auditEvents).toHaveLength(1)
  })

  it('accepts a cursor only for the same list [AUD-15]', async () => {
    await store(5)
    const { nextCursor } = (await get('?limit=2')).body
    const stranger = await service.organization()
    const membership = { organizationId: stranger.id, role: 'admin' as const }
    const { token } = await signIn(service, issuer, `admin-of-${stranger.id}`, membership)
    const refused = { status: 400, body: { code: 'validation_failed', issues: [{ path: 'cursor' }] } }
    expect(await get(`?limit=2&cursor=${nextCursor}&action=source.update`)).toMatchObject(refused)
    expect(await get('?cursor=nonsense')).toMatchObject(refused)
    expect(
      await service.call('GET', `/v1/console/audit-events?cursor=${nextCursor}`, { key: token }),
    ).toMatchObject(refused)
    for (const query of [
      'action=nothing',
      'actor=ada',
      'from=yesterday',
      'to=2026-13-01T00:00:00Z',
      'target=',
    ])
      expect(await get(`?${query}`), query).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      })
  })

  it('is unchanged on the route of agents [AUD-3]', async () => {
    await store(3)
    const key = organization.adminKey
    expect((await service.call('GET', '/v1/audit-events?action=source.update', { key })).status).toBe(400)
    const { body } = await service.call('GET', '/v1/audit-events', { key })
    expect(body).toEqual({ auditEvents: (await get()).body.auditEvents })
  })

  it.each([
    ['audit_events_pkey', {}],
    ['audit_events_by_action', { action: 'api_key.revoke' }],
    ['audit_events_by_actor', { actor: randomUUID() }],
    ['audit_events_by_target', { target: '1700' }],
  ] as const)('finds its events by %s, without sorting [AUD-15]', async (index, filter: EventFilter) => {
    await store(3_000, (at) => ({ action: at === 0 ? 'api_key.revoke' : 'source.update' }))
    await sql`analyze audit_events`.execute(service.database.db)
    const place = { at: new Date(NOW.getTime() + 2_000_000).toISOString(), id: randomUUID() }
    const events = filterEvents(service.database.db, caller(), filter).selectAll()
    const plan = await newestFirst(events, NEWEST, place).limit(50).explain()
    const text = JSON.stringify(plan)
    expect(text).toContain(index)
    expect(text).not.toMatch(/Seq Scan|Sort/)
  })
})

describe('an export of the trail', () => {
  const exported = (query: string) => get(`/export?${query}`)

  it('has every matching event as JSON lines, and is recorded [AUD-16]', async () => {
    await store(450, (at) => ({ action: at % 2 === 0 ? 'api_key.create' : 'source.update' }))
    const answer = await exported('format=jsonl&action=source.update')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit-events.jsonl"')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const lines = answer.text.trimEnd().split('\n')
    const events = lines.map((line): { targetId: string } => JSON.parse(line))
    expect(events.map(({ targetId }) => Number(targetId))).toEqual(
      Array.from({ length: 225 }, (_, n) => 449 - 2 * n),
    )
    expect(events.slice(0, 100)).toEqual((await get('?action=source.update')).body.auditEvents)
    expect((await get('?action=audit.export')).body.auditEvents).toMatchObject([
      {
        actorUserId: admin.userId,
        targetType: 'organization',
        targetId: organization.id,
        metadata: { format: 'jsonl', action: 'source.update' },
      },
    ])
  })

  it('is CSV without formulas [AUD-16]', async () => {
    const hostile = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', 'a "quoted", one\nof two lines']
    await store(hostile.length, (at) => ({ target_id: hostile[at] ?? '', metadata: '{"note":"=1"}' }))
    const { text, headers } = await exported('format=csv&action=source.update')
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(text.split('\r\n')[0]).toBe(
      '"createdAt","id","action","actorUserId","actorApiKeyId","targetType","targetId","metadata"',
    )
    const cells = [...text.matchAll(/"((?:[^"]|"")*)"(?:,|\r\n)/g)].map(([, cell = '']) =>
      cell.replaceAll('""', '"'),
    )
    expect(cells).toHaveLength(8 * (hostile.length + 1))
    expect(cells.filter((cell) => /^[=+\-@\t\r＝]/.test(cell))).toEqual([])
    const targets = cells.filter((_, at) => at % 8 === 6).slice(1)
    expect(targets).toEqual(hostile.map((one, at) => (at === 7 ? one : `'${one}`)).toReversed())
    expect(cells.at(-1)).toBe('{"note":"=1"}')
  })

  it('is streamed: events deleted meanwhile are missing [AUD-16]', async () => {
    await store(1_000)
    const { db } = service.database
    const clock = { now: () => NOW }
    const query = { format: 'jsonl', action: 'source.update' } as const
    const text = await exportEvents(db, clock, caller(), query, async () => undefined)
    const first = await text.next()
    expect(String(first.value).trimEnd().split('\n')).toHaveLength(200)
    await db.deleteFrom('audit_events').where('organization_id', '=', organization.id).execute()
    expect(await text.next()).toEqual({ done: true, value: undefined })
  })

  it('breaks off once its person is no longer an admin [AUD-16]', async () => {
    const note = 'x'.repeat(20_000)
    await store(1_000, () => ({ metadata: JSON.stringify({ note }) }))
    const change = (role: 'admin' | 'member') =>
      service.database.db
        .updateTable('memberships')
        .set({ role })
        .where('organization_id', '=', organization.id)
        .where('user_id', '=', admin.userId)
        .execute()
    const rest = (act: () => Promise<unknown>) =>
      interruptedDownload(
        `${service.url}/v1/console/audit-events/export?format=jsonl`,
        { headers: { Authorization: `Bearer ${admin.token}` } },
        async () => void (await act()),
      )
    expect((await rest(() => change('admin'))).length).toBeGreaterThan(10_000_000)
    expect((await rest(() => change('member'))).slice(0, 100)).toMatch(/terminated/)
  })

  it('needs a format and the role admin; a refused one is not recorded [AUD-16]', async () => {
    const membership = { organizationId: organization.id, role: 'member' as const }
    const { token } = await signIn(service, issuer, `member-of-${organization.id}`, membership)
    const before = await databaseContents(service.database.db)
    const path = '/v1/console/audit-events/export'
    expect(await service.call('GET', `${path}?format=csv`, { key: token })).toMatchObject({ status: 403 })
    expect(await service.call('GET', path, { key: admin.token })).toMatchObject({ status: 400 })
    expect(await service.call('GET', `${path}?format=csv`, { key: organization.adminKey })).toMatchObject({
      status: 401,
    })
    expect(await databaseContents(service.database.db)).toEqual(before)
  })
})
