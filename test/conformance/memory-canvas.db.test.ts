import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertPushOnlySource } from '../../src/sources/index.ts'
import {
  callCanvas,
  canvasId,
  canvasNodes,
  canvasWeights,
  chat,
  type Edge,
  mail,
  type Node,
  storeForCanvas,
} from '../support/canvas.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { signIn } from '../support/people.ts'
import { MISSING_ID } from '../support/route-calls.ts'
import { startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization

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
})

const store = (...values: Parameters<typeof storeForCanvas>[2][number][]) =>
  storeForCanvas(service, organization, values)
const canvas = (query: Record<string, string> = {}, key = organization.adminKey) =>
  callCanvas(service, key, query)
const nodesOf = (query: Record<string, string> = {}, key = organization.adminKey) =>
  canvasNodes(service, key, query)
const weights = (query: Record<string, string> = {}, key = organization.adminKey) =>
  canvasWeights(service, key, query)
const idOf = (label: string, key = organization.adminKey) => canvasId(service, key, label)

/** The graph without ids: identical for two workspaces with the same data. */
async function drawn(query: Record<string, string> = {}): Promise<unknown> {
  const { body } = await canvas(query)
  const labels = new Map(body.nodes.map(({ id, label }: Node) => [id, label]))
  const edges = body.edges.map(({ source, target, type, weight }: Edge) =>
    [
      type,
      ...(type === 'co_occurs'
        ? [labels.get(source), labels.get(target)].toSorted()
        : [labels.get(source), labels.get(target)]),
      weight,
    ].join(' '),
  )
  return {
    nodes: body.nodes.map((node: Node) => Object.assign({}, node, { id: '' })),
    edges: edges.toSorted(),
    complete: body.complete,
    itemsWaiting: body.itemsWaiting,
  }
}

const everyRow = async (): Promise<number> => {
  const tables = ['entities', 'item_entities', 'entity_totals', 'entity_names'] as const
  let rows = 0
  for (const table of tables) {
    const found = await service.database.db
      .selectFrom(table)
      .select('organization_id')
      .where('organization_id', '=', organization.id)
      .execute()
    rows += found.length
  }
  return rows
}

describe('GET /v1/memory-canvas', () => {
  it('returns people, organizations, channels, topics and sources, with their relations [CANVAS-1]', async () => {
    await store(
      mail({ externalId: 'm1', title: 'Orion timeline', body: 'We need Orion in March, says Grace Hopper.' }),
      chat({ externalId: 's1', title: '#launch: hi', body: 'The demo of Orion is ready.' }),
    )
    const { status, body } = await canvas()
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual([
      'complete',
      'edges',
      'generatedAt',
      'itemsWaiting',
      'nodes',
    ])
    expect(body).toMatchObject({ complete: true, itemsWaiting: 0 })
    const nodes: Node[] = body.nodes
    const entity = (label: string) => nodes.find((node) => node.label === label && node.kind === 'entity')
    expect(entity('Ada Lovelace')).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      kind: 'entity',
      type: 'person',
      label: 'Ada Lovelace',
      provider: null,
      weight: 2,
    })
    expect(entity('bob@acme.com')).toMatchObject({ type: 'person', weight: 1 })
    expect(entity('Grace Hopper')).toMatchObject({ type: 'person', weight: 1 })
    expect(entity('acme.com')).toMatchObject({ type: 'organization', weight: 1 })
    expect(entity('corp.com')).toMatchObject({ type: 'organization', weight: 2 })
    expect(entity('#launch')).toMatchObject({ type: 'channel', weight: 1 })
    expect(entity('Projects')).toMatchObject({ type: 'channel', weight: 1 })
    expect(entity('Orion')).toMatchObject({ type: 'topic', weight: 2 })
    const source = nodes.find(({ id }) => id === organization.sources.gmail)
    expect(source).toEqual({
      id: organization.sources.gmail,
      kind: 'source',
      type: 'gmail',
      label: 'gmail',
      provider: 'gmail',
      weight: 1,
    })
    const ids = Object.fromEntries(nodes.map(({ label, id }) => [label, id]))
    const between = (type: string, from: string, to: string) =>
      body.edges.find(
        (edge: Edge) => edge.type === type && edge.source === ids[from] && edge.target === ids[to],
      )?.weight
    expect(between('authored', 'Ada Lovelace', 'gmail')).toBe(1)
    expect(between('mentions', 'Ada Lovelace', 'Orion')).toBe(2)
    expect(between('mentions', 'slack', 'Orion')).toBe(1)
    expect(between('posted_in', 'Ada Lovelace', '#launch')).toBe(1)
    expect(between('posted_in', 'slack', '#launch')).toBe(1)
    const [first = '', second = ''] = [ids['Orion'] ?? '', ids['Grace Hopper'] ?? ''].toSorted()
    expect(body.edges).toContainEqual({
      id: `co_occurs:${first}:${second}`,
      source: first,
      target: second,
      type: 'co_occurs',
      weight: 1,
    })
  })

  it('reports its progress: pending items are counted but not yet included [CANVAS-2]', async () => {
    const { db } = service.database
    await store(mail({ title: 'Orion', body: 'Orion' }))
    // Simulates another process that is reading, so that this one waits.
    await sql`
      update canvas_work set lease_id = ${randomUUID()}, lease_expires_at = now() + interval '1 hour'
      where organization_id = ${organization.id}`.execute(db)
    await store(mail({ externalId: 'other', title: 'Zephyr', body: 'About Zephyr and Orion.' }))
    expect((await canvas()).body).toMatchObject({ complete: false, itemsWaiting: 1 })
    expect(await weights()).toMatchObject({ 'Ada Lovelace': 1 })
    // The other process has died.
    await sql`
      update canvas_work set lease_expires_at = now() - interval '1 second' where organization_id = ${organization.id}`.execute(
      db,
    )
    await service.app.readForCanvas()
    expect((await canvas()).body).toMatchObject({ complete: true, itemsWaiting: 0 })
    expect(await weights()).toMatchObject({ 'Ada Lovelace': 2, Orion: 2 })
  })

  it('finds by name, alias, prefix, and by meaning when no name matches [CANVAS-3]', async () => {
    await store(
      mail({ externalId: 'm1', title: 'Orion timeline', body: 'Orion is late.' }),
      { externalId: 'n1', title: 'Kubernetes runbook', body: 'quokka wombat', authorName: 'Grace Hopper' },
      { externalId: 'n2', title: 'Kubernetes upgrade', body: 'numbat', authorName: 'Grace Hopper' },
    )
    for (const q of ['Ada Lovelace', 'lovelace', 'LOVEL', 'ada@corp.com', 'Lovelace, Ada']) {
      expect(Object.keys(await weights({ q })), q).toEqual(['Ada Lovelace'])
    }
    expect(Object.keys(await weights({ q: 'quokka wombat' }))).toContain('Grace Hopper')
    expect(Object.keys(await weights({ q: 'quokka wombat' }))).not.toContain('Ada Lovelace')
    expect(await nodesOf({ q: '!!! ( & | :*' })).toEqual(expect.any(Array))
  })

  it('filters by provider, kind, neighborhood, time and number of nodes [CANVAS-4]', async () => {
    await store(
      mail({ externalId: 'm1', title: 'Orion', body: 'Orion', sourceUpdatedAt: '2026-01-01T00:00:00Z' }),
      mail({
        externalId: 'm2',
        title: 'Orion',
        body: 'Orion again',
        sourceUpdatedAt: '2026-03-01T00:00:00Z',
      }),
      chat({
        externalId: 's1',
        title: '#launch: x',
        body: 'Zephyr with @grace',
        sourceUpdatedAt: '2026-02-01T00:00:00Z',
      }),
    )
    expect(await weights({ provider: 'slack' })).toMatchObject({ '@ada': 1, '#launch': 1 })
    expect(Object.keys(await weights({ provider: 'slack' }))).not.toContain('Orion')
    const people = await nodesOf({ entityType: 'person' })
    expect(new Set(people.map(({ type }) => type))).toEqual(new Set(['person']))
    expect(await weights({ since: '2026-02-15T00:00:00Z' })).toMatchObject({ 'Ada Lovelace': 1 })
    expect(Object.keys(await weights({ since: '2026-02-15T00:00:00+00:00' }))).not.toContain('#launch')
    expect(await nodesOf({ since: '2027-01-01T00:00:00Z' })).toEqual([])
    expect(await nodesOf({ since: '9999-12-31T23:59:59-14:00' })).toEqual([])
    expect(await weights({ since: '0000-01-01T00:00:00Z' })).toMatchObject({ 'Ada Lovelace': 3 })
    const around = await weights({ around: await idOf('#launch') })
    expect(around).toMatchObject({ '#launch': 1, 'Ada Lovelace': 1, Zephyr: 1, '@grace': 1 })
    expect(Object.keys(around)).not.toContain('Orion')
    expect(Object.keys(await weights({ around: organization.sources.slack }))).toContain('Zephyr')
    for (const limit of [1, 2, 5, 500])
      expect((await nodesOf({ limit: `${limit}` })).length).toBeLessThanOrEqual(limit)
    const all = await canvas({ limit: '3' })
    const shown = new Set(all.body.nodes.map(({ id }: Node) => id))
    for (const { source, target } of all.body.edges)
      expect([shown.has(source), shown.has(target)]).toEqual([true, true])
  })

  it('shows the neighborhood of a source as any other graph with that source [CANVAS-4]', async () => {
    await store(
      mail({ externalId: 'm1', title: 'Orion', body: 'Orion' }),
      mail({ externalId: 'm2', title: 'Orion' }),
    )
    const around = organization.sources.gmail
    const [center, whole] = [await canvas({ around }), await canvas({ provider: 'gmail' })]
    expect(center.body.edges.length).toBeGreaterThan(0)
    expect([center.body.nodes, center.body.edges]).toEqual([whole.body.nodes, whole.body.edges])
    expect((await nodesOf({ around, limit: '1' })).map(({ id }) => id)).toEqual([around])
  })

  it('refuses out-of-range values, and returns 404 for an unknown node [CANVAS-5]', async () => {
    const wrong = [
      'limit=0',
      'limit=501',
      'limit=x',
      'q=',
      'entityType=source',
      'provider=x',
      'around=x',
      'since=yesterday',
      'Q=x',
    ]
    for (const query of wrong) {
      const { status, body } = await service.call('GET', `/v1/memory-canvas?${query}`, {
        key: organization.adminKey,
      })
      expect([status, body.code], query).toEqual([400, 'validation_failed'])
    }
    expect(await canvas({ around: MISSING_ID })).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('returns the same graph for the same data in any order [CANVAS-6]', async () => {
    const values = Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0
        ? mail({
            externalId: `m${n}`,
            title: `Orion ${n}`,
            body: `Orion and Zephyr, says Grace Hopper <grace@corp.com>. ${n}`,
          })
        : chat({
            externalId: `s${n}`,
            title: '#launch: x',
            body: `Zephyr with @grace and Grace Hopper ${n}`,
          }),
    ).map((value, n) =>
      Object.assign({ sourceUpdatedAt: `2026-01-${String(n + 1).padStart(2, '0')}T00:00:00Z` }, value),
    )
    await store(...values)
    const [one, again] = [await canvas(), await canvas()]
    expect({ ...again.body, generatedAt: '' }).toEqual({ ...one.body, generatedAt: '' })
    const before = await drawn()
    organization = await service.organization()
    for (const value of values.toReversed()) await store(value)
    expect(await drawn()).toEqual(before)
  })

  it('reflects a deletion at once, and drops what existed only there [CANVAS-7]', async () => {
    await store(
      mail({ externalId: 'm1', title: 'Orion', body: 'Orion by Grace Hopper' }),
      mail({ externalId: 'm2', title: 'Orion', body: 'Orion of Zephyr' }),
    )
    expect(await weights()).toMatchObject({ Orion: 2, 'Grace Hopper': 1 })
    const gone = await idOf('Grace Hopper')
    await service.call('DELETE', '/v1/source-items?provider=gmail&externalId=m1', {
      key: organization.adminKey,
    })
    expect(Object.keys(await weights())).not.toContain('Grace Hopper')
    expect(await weights()).toMatchObject({ 'Ada Lovelace': 1 })
    expect((await canvas({ around: gone })).status).toBe(404)
    await service.call('DELETE', '/v1/source-items?provider=gmail&externalId=m2', {
      key: organization.adminKey,
    })
    expect((await canvas()).body).toMatchObject({ nodes: [], edges: [], complete: true })
    expect(await everyRow()).toBe(0)
  })

  it('hides and deletes everything of a removed source at once [CANVAS-8]', async () => {
    const { token } = await signIn(service, issuer, `owner-${organization.id}`, {
      organizationId: organization.id,
      role: 'owner',
    })
    const connectorId = await service.database.db.transaction().execute((tx) =>
      insertPushOnlySource(tx, {
        organizationId: organization.id,
        provider: 'notion',
        displayName: 'Other',
        at: new Date(),
      }),
    )
    await store({
      externalId: 'n1',
      connectorId,
      title: 'Zephyr',
      body: 'Zephyr',
      authorName: 'Grace Hopper',
    })
    expect(await weights()).toMatchObject({ 'Grace Hopper': 1 })
    const { status, text } = await service.call('DELETE', `/v1/console/sources/${connectorId}`, {
      key: token,
    })
    expect(status, text).toBe(200)
    expect(await nodesOf()).toEqual([])
    await expect.poll(everyRow, { timeout: 60_000 }).toBe(0)
  })

  it('ignores an unchanged re-ingest, and replaces changed content [CANVAS-9]', async () => {
    await store(mail({ externalId: 'm1', title: 'Orion', body: 'Orion by Grace Hopper' }))
    const before = await canvas()
    await store(mail({ externalId: 'm1', title: 'Orion', body: 'Orion by Grace Hopper' }))
    expect({ ...(await canvas()).body, generatedAt: '' }).toEqual({ ...before.body, generatedAt: '' })
    await store(mail({ externalId: 'm1', title: 'Zephyr', body: 'Zephyr by Alan Turing' }))
    const after = Object.keys(await weights())
    expect(after).toContain('Alan Turing')
    expect(after).not.toContain('Grace Hopper')
  })

  it('costs no credit and requires memory:read; the console has it too [CANVAS-10]', async () => {
    await store(mail({ title: 'Orion', body: 'Orion' }))
    const { secret } = await organization.mint({ actions: ['memory:read'] })
    const { status, headers } = await canvas({}, secret)
    expect([status, headers.get('x-credits-remaining')]).toEqual([200, null])
    const { token } = await signIn(service, issuer, `member-${organization.id}`, {
      organizationId: organization.id,
      role: 'member',
    })
    const shown = await service.call('GET', '/v1/console/memory-canvas', { key: token })
    expect({ ...shown.body, generatedAt: '' }).toEqual({ ...(await canvas()).body, generatedAt: '' })
  })
})
