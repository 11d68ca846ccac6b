import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { documentOf, push } from '../../test/support/documents.ts'
import { startIssuer, type TestIssuer } from '../../test/support/issuer.ts'
import {
  type Answer,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../../test/support/service.ts'
import { Readable, type Viewer } from '../kernel/viewer.ts'
import { addMember } from '../organizations/index.ts'
import { browseItems } from './filter-items.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let owner: string
let people = 0

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})
beforeEach(async () => {
  organization = await service.organization()
  owner = await join('owner')
})

async function join(role: 'owner' | 'admin' | 'member'): Promise<string> {
  people += 1
  const token = await issuer.token({ subject: `person-${people}`, email: address(), emailVerified: true })
  const { body } = await service.call('GET', '/v1/console/me', { key: token })
  const member = { organizationId: organization.id, userId: body.user.id, role, at: new Date() }
  await addMember(service.database.db, member)
  return token
}

/** The address of the person who joined last. */
const address = (): string => `person-${people}@example.com`

async function store(...documents: Parameters<typeof documentOf>[1][]): Promise<void> {
  const answer = await push(
    service,
    organization,
    ...documents.map((document) => documentOf(organization, document)),
  )
  expect(answer.status, answer.text).toBe(200)
}

const readerOfEverything = (): Viewer => ({
  kind: 'console',
  userId: '',
  organizationId: organization.id,
  role: 'owner',
  allowedProviders: null,
  readable: Readable.everything,
})

const browse = (query: Record<string, string> = {}, key = owner): Promise<Answer> =>
  service.call('GET', `/v1/console/items?${new URLSearchParams(query).toString()}`, { key })

interface Browsed {
  id: string
  externalId: string
  isFile: boolean
}

async function namesOf(query: Record<string, string>, key = owner): Promise<string[]> {
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body, text } = await browse({ ...query, ...(cursor === '' ? {} : { cursor }) }, key)
    expect(status, text).toBe(200)
    names.push(...body.items.map(({ externalId }: Browsed) => externalId))
    cursor = body.nextCursor
  }
  return names.toSorted()
}

async function idsOf(key = owner): Promise<Map<string, string>> {
  const { body } = await browse({ limit: '200' }, key)
  return new Map(body.items.map(({ externalId, id }: Browsed) => [externalId, id]))
}

const remove = (ids: (string | undefined)[], key = owner): Promise<Answer> =>
  service.call('POST', '/v1/console/items/delete', { key, body: { ids } })

const enforce = async (): Promise<void> => {
  const path = `/v1/console/organizations/${organization.id}`
  expect((await service.call('PATCH', path, { key: owner, body: { permissions: 'enforced' } })).status).toBe(
    200,
  )
}

describe('the list of items', () => {
  it('finds characters in titles, external ids and texts, page by page', async () => {
    await store(
      { externalId: 'a', title: 'Vacation', body: 'Days' },
      { externalId: 'vacation/b', title: 'Other', body: 'Nothing' },
      { externalId: 'c', title: 'Third', body: 'Unused VACATION days expire' },
      { externalId: 'd', title: '100%', body: 'A_b' },
    )
    expect(await namesOf({ q: 'vacation' })).toEqual(['a', 'c', 'vacation/b'])
    expect(await namesOf({ q: 'vacation', limit: '1' })).toEqual(['a', 'c', 'vacation/b'])
    expect(await namesOf({ q: '%' })).toEqual(['d'])
    expect(await namesOf({ q: '_' })).toEqual(['d'])
    expect(await namesOf({ q: 'a\\_b' })).toEqual([])
    expect(await namesOf({ q: 'no such words' })).toEqual([])
    expect((await browse({ q: ' ' })).status).toBe(400)
  })

  it('begins with the latest or the earliest change, page by page', async () => {
    for (const externalId of ['a', 'b', 'c']) await store({ externalId })
    await store(...['d', 'e', 'f'].map((externalId) => ({ externalId, sourceKind: 'message' })))
    const inOrder = async (query: Record<string, string>): Promise<string[]> => {
      const ids: string[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await browse({ ...query, ...(cursor === '' ? {} : { cursor }) })
        ids.push(...body.items.map(({ id }: Browsed) => id))
        cursor = body.nextCursor
      }
      return ids
    }
    const newest = await inOrder({})
    expect(newest).toHaveLength(6)
    for (const limit of ['1', '2', '200'])
      expect(await inOrder({ order: 'oldest', limit })).toEqual(newest.toReversed())
    const { body } = await browse({ limit: '1' })
    expect((await browse({ order: 'oldest', cursor: body.nextCursor })).status).toBe(400)
    expect((await browse({ by: 'changed', cursor: body.nextCursor })).status).toBe(400)
  })

  it('orders and filters by the date of the source, or by the last change here without one', async () => {
    await store(
      { externalId: 'changed in 2025', sourceUpdatedAt: '2025-06-01T00:00:00Z' },
      { externalId: 'written in 2023', sourceCreatedAt: '2023-06-01T00:00:00Z' },
      { externalId: 'changed in 2024', sourceUpdatedAt: '2024-06-01T00:00:00Z' },
      { externalId: 'without a date' },
    )
    const inOrder = async (query: Record<string, string>): Promise<string[]> => {
      const { body } = await browse({ by: 'changed', ...query })
      const next = body.nextCursor === null ? [] : await inOrder({ ...query, cursor: body.nextCursor })
      return [...body.items.map(({ externalId }: Browsed) => externalId), ...next]
    }
    const newest = ['without a date', 'changed in 2025', 'changed in 2024', 'written in 2023']
    for (const limit of ['1', '200']) {
      expect(await inOrder({ limit })).toEqual(newest)
      expect(await inOrder({ limit, order: 'oldest' })).toEqual(newest.toReversed())
    }
    expect(await inOrder({ updatedBefore: '2024-07-01T00:00:00Z' })).toEqual(newest.slice(2))
    expect(await inOrder({ q: 'in 20', limit: '2' })).toEqual(newest.slice(1))
    const { body } = await browse()
    const times = new Map(body.items.map((one: Browsed) => [one.externalId, one]))
    expect(times.get('written in 2023')).toMatchObject({ changedAt: '2023-06-01T00:00:00.000Z' })
    const undated = times.get('without a date')
    expect(undated).toMatchObject({ changedAt: expect.any(String), sourceUpdatedAt: null })
  })

  it('ends a page after its share of texts, and the next page continues there', async () => {
    await store(...Array.from({ length: 9 }, (_, at) => ({ externalId: `filler-${at}` })))
    await store({ externalId: 'needle' })
    const viewer = readerOfEverything()
    const read = async (bounds: NonNullable<Parameters<typeof browseItems>[3]>): Promise<string[][]> => {
      const pages: string[][] = []
      let cursor: string | undefined
      do {
        const query = { q: 'filler', limit: 4, ...(cursor === undefined ? {} : { cursor }) }
        const page = await browseItems(service.database.db, viewer, query, bounds)
        pages.push(page.items.map(({ externalId }) => externalId))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return pages
    }
    const all = Array.from({ length: 9 }, (_, at) => `filler-${at}`)
    const byNumber = await read({ itemsAtOnce: 2, bytesAtOnce: 1_000_000, rounds: 1 })
    expect(byNumber.map(({ length }) => length)).toEqual([1, 2, 2, 2, 2])
    expect(byNumber.flat().toSorted()).toEqual(all)
    const bySize = await read({ itemsAtOnce: 5, bytesAtOnce: 1, rounds: 3 })
    expect(bySize.map(({ length }) => length)).toEqual([2, 3, 3, 1])
    expect(bySize.flat().toSorted()).toEqual(all)
    expect(
      (await read({ itemsAtOnce: 50, bytesAtOnce: 1_000_000, rounds: 1 })).map((page) => page.length),
    ).toEqual([4, 4, 1])
  })

  it('counts the share of texts by their characters, however well they compress', async () => {
    const body = 'a'.repeat(100_000)
    for (let at = 0; at < 4; at += 1) await store({ externalId: `filler-${at}`, body })
    const viewer = readerOfEverything()
    const bounds = { itemsAtOnce: 50, bytesAtOnce: 250_000, rounds: 1 }
    const page = await browseItems(service.database.db, viewer, { q: 'filler', limit: 50 }, bounds)
    expect(page.items).toHaveLength(2)
  })

  it('filters by provider, source, kind, date and file, and counts what matches', async () => {
    await store(
      { externalId: 'old', sourceUpdatedAt: '2024-01-01T00:00:00Z' },
      { externalId: 'new', sourceUpdatedAt: '2025-06-01T00:00:00Z', sourceKind: 'message' },
      { externalId: 'file', metadata: { path: 'a/b.md', folder: 'a', fileType: 'markdown' }, url: null },
    )
    const { body } = await browse()
    expect(body.total).toBe(3)
    expect(body.items.filter(({ isFile }: Browsed) => isFile).map((one: Browsed) => one.externalId)).toEqual([
      'file',
    ])
    const provider = body.items[0].provider
    expect(await namesOf({ origin: provider })).toEqual(['new', 'old'])
    expect(await namesOf({ origin: 'files' })).toEqual(['file'])
    expect((await browse({ origin: 'files' })).body.total).toBe(1)
    expect(await namesOf({ connectorId: body.items[0].connectorId })).toHaveLength(3)
    expect(await namesOf({ origin: 'gmail' })).toEqual([])
    expect(await namesOf({ sourceKind: 'message' })).toEqual(['new'])
    expect(
      await namesOf({ updatedAfter: '2025-01-01T00:00:00Z', updatedBefore: '2025-06-02T00:00:00Z' }),
    ).toEqual(['new'])
    expect((await browse({ q: 'old' })).body.total).toBeNull()
  })

  it('refuses a cursor of other filters', async () => {
    await store({ externalId: 'a' }, { externalId: 'b' })
    const { body } = await browse({ limit: '1' })
    expect((await browse({ limit: '1', q: 'a', cursor: body.nextCursor })).status).toBe(400)
  })

  it('filters by access for admins only', async () => {
    const policy = (visibility: string, users: string[] = []) => ({ accessPolicy: { visibility, users } })
    await store(
      { externalId: 'public', metadata: policy('public') },
      { externalId: 'workspace', metadata: policy('workspace') },
      { externalId: 'limited', metadata: policy('restricted', ['ada@example.com']) },
      { externalId: 'nobody', metadata: policy('private') },
      { externalId: 'none', metadata: {} },
    )
    expect(await namesOf({ access: 'everyone' })).toEqual(['public', 'workspace'])
    expect(await namesOf({ access: 'limited' })).toEqual(['limited'])
    expect(await namesOf({ access: 'nobody' })).toEqual(['nobody', 'none'])
    expect(await namesOf({ access: 'source' })).toEqual([])
    const member = await join('member')
    const refused = await browse({ access: 'limited' }, member)
    expect([refused.status, refused.body.code]).toEqual([403, 'role_required'])
  })

  it('shows and counts only what a viewer may read', async () => {
    const member = await join('member')
    await store(
      { externalId: 'mine', metadata: { accessPolicy: { visibility: 'private', users: [address()] } } },
      {
        externalId: 'theirs',
        metadata: { accessPolicy: { visibility: 'private', users: ['x@example.com'] } },
      },
    )
    const ids = await idsOf()
    await enforce()
    expect(await namesOf({}, member)).toEqual(['mine'])
    expect(await namesOf({ q: 'theirs' }, member)).toEqual([])
    expect((await browse({}, member)).body.total).toBe(1)
    const chunksOf = (name: string) =>
      service.call('GET', `/v1/console/items/${ids.get(name)}/chunks`, { key: member })
    expect((await chunksOf('mine')).status).toBe(200)
    expect((await chunksOf('theirs')).status).toBe(404)
  })

  it('leaves out other organizations', async () => {
    await store({ externalId: 'ours' })
    const ids = await idsOf()
    const other = await service.organization()
    organization = other
    const stranger = await join('owner')
    expect(await namesOf({}, stranger)).toEqual([])
    expect((await remove([ids.get('ours')], stranger)).body).toEqual({
      deleted: [],
      notFound: [ids.get('ours')],
    })
    expect(await namesOf({})).toEqual(['ours'])
  })
})

describe('deleting several items', () => {
  it('deletes existing items with an event each, and names those not found', async () => {
    await store({ externalId: 'a' }, { externalId: 'b' }, { externalId: 'c' })
    const ids = await idsOf()
    const missing = '00000000-0000-4000-8000-000000000000'
    const { status, body } = await remove([ids.get('a'), missing, ids.get('c')])
    expect(status).toBe(200)
    expect(body.deleted.toSorted()).toEqual([ids.get('a'), ids.get('c')].toSorted())
    expect(body.notFound).toEqual([missing])
    expect(await namesOf({})).toEqual(['b'])
    const { body: trail } = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    const events = trail.auditEvents.filter(
      ({ action }: { action: string }) => action === 'source_item.delete',
    )
    expect(events.map(({ targetId }: { targetId: string }) => targetId).toSorted()).toEqual(
      body.deleted.toSorted(),
    )
    const nameOf = ({ metadata }: { metadata: { externalId: string } }) => metadata.externalId
    expect(events.map(nameOf).toSorted()).toEqual(['a', 'c'])
    const search = await service.call('POST', '/v1/search', {
      key: (await organization.mint({ actions: ['search'] })).secret,
      body: { query: 'How many days of paid time off do employees accrue?', limit: 25 },
    })
    expect(
      new Set(search.body.hits.map(({ sourceItemId }: { sourceItemId: string }) => sourceItemId)),
    ).toEqual(new Set([ids.get('b')]))
  })

  it('refuses members, and more than a hundred items', async () => {
    await store({ externalId: 'a' })
    const ids = await idsOf()
    expect((await remove([ids.get('a')], await join('member'))).status).toBe(403)
    const many = Array.from(
      { length: 101 },
      (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
    )
    expect((await remove(many)).status).toBe(400)
    expect(await namesOf({})).toEqual(['a'])
  })

  it('does not delete what an admin may not read', async () => {
    await store(
      { externalId: 'open', metadata: { accessPolicy: { visibility: 'public' } } },
      {
        externalId: 'closed',
        metadata: { accessPolicy: { visibility: 'private', users: ['x@example.com'] } },
      },
    )
    const ids = await idsOf()
    await enforce()
    const { body } = await remove([ids.get('open'), ids.get('closed')])
    expect(body).toEqual({ deleted: [ids.get('open')], notFound: [ids.get('closed')] })
    const { body: listed } = await service.call('GET', '/v1/source-items', { key: organization.adminKey })
    expect(listed.sourceItems.map(({ externalId }: Browsed) => externalId)).toEqual(['closed'])
  })
})

describe('deleting one item', () => {
  it('answers an admin who may not read it as for a missing one, and deletes nothing', async () => {
    const admin = await join('admin')
    const policy = (users: string[]) => ({ metadata: { accessPolicy: { visibility: 'private', users } } })
    await store(
      { externalId: 'mine', ...policy([address()]) },
      { externalId: 'theirs', ...policy(['x@example.com']) },
    )
    const ids = await idsOf()
    const drop = async (path: string, key = admin): Promise<number> =>
      (await service.call('DELETE', path, { key })).status
    await enforce()
    const { body } = await service.call('GET', '/v1/source-items', { key: organization.adminKey })
    const [{ provider }] = body.sourceItems
    expect(await drop(`/v1/console/source-items/${ids.get('theirs')}`)).toBe(404)
    expect(await drop(`/v1/console/source-items?provider=${provider}&externalId=theirs`)).toBe(404)
    expect(await drop(`/v1/console/source-items/${ids.get('mine')}`)).toBe(200)
    expect(await drop(`/v1/source-items/${ids.get('theirs')}`, organization.adminKey)).toBe(200)
  })
})

describe('a list of items that name an entity', () => {
  it('has the items in which the canvas found the name, with their total', async () => {
    await store(
      { externalId: 'one', title: 'One', body: 'Ada Lovelace keeps the schedule of the engine room.' },
      {
        externalId: 'two',
        title: 'Two',
        body: 'Ada Lovelace answers questions about the analytical engine.',
      },
      { externalId: 'three', title: 'Three', body: 'Receipts go to finance within thirty days.' },
    )
    await service.app.readForCanvas()
    const canvas = await service.call('GET', '/v1/console/memory-canvas?q=Lovelace', { key: owner })
    const ada = canvas.body.nodes.find(({ label }: { label: string }) => label === 'Ada Lovelace')
    const list = (id: string) => service.call('GET', `/v1/console/items?entityId=${id}`, { key: owner })
    const { body } = await list(ada.id)
    expect(body.items.map(({ title }: { title: string }) => title).toSorted()).toEqual(['One', 'Two'])
    expect(body.total).toBe(ada.weight)
    const other = 'ffffffff-ffff-4fff-8fff-ffffffffffff'
    expect((await list(other)).body).toMatchObject({ items: [], total: 0 })
  })
})

describe('the chunks of an item', () => {
  it('come in reading order, page by page, with their number', async () => {
    const body = Array.from(
      { length: 60 },
      (_, at) => `## Part ${at}\n\n${`Sentence ${at}. `.repeat(60)}`,
    ).join('\n\n')
    await store({ externalId: 'long', body })
    const id = (await idsOf()).get('long')
    const positions: number[] = []
    let total = 0
    for (let after: number | null = -1; after !== null;) {
      const query = after === -1 ? '' : `&after=${after}`
      const page = await service.call('GET', `/v1/console/items/${id}/chunks?limit=7${query}`, { key: owner })
      expect(page.status, page.text).toBe(200)
      positions.push(...page.body.chunks.map(({ position }: { position: number }) => position))
      total = page.body.total
      after = page.body.nextAfter
    }
    expect(positions.length).toBeGreaterThan(14)
    expect(positions).toEqual(Array.from({ length: total }, (_, at) => at))
  })
})
