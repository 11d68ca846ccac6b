import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  callCanvas,
  canvasId,
  canvasNodes,
  canvasWeights,
  chat,
  mail,
  storeForCanvas,
} from '../support/canvas.ts'
import { MISSING_ID } from '../support/route-calls.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
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

it('begins a snippet with a whole word, and keeps the name if no space precedes it', async () => {
  const snippetOf = async (before: string): Promise<string> => {
    await store(mail({ externalId: 'm', title: 'Plans', body: `${before}Ada Lovelace decides on Orion.` }))
    const id = await idOf('Ada Lovelace')
    const found = await service.call('GET', `/v1/memory-canvas/entities/${id}`, {
      key: organization.adminKey,
    })
    return found.body.items[0].snippet
  }
  expect(await snippetOf(`${'deliberate '.repeat(30)}. We promised it to `)).toMatch(/^deliberate /)
  expect(await snippetOf('='.repeat(200))).toContain('Ada Lovelace')
})

describe('one person', () => {
  it('is one node when the evidence shows it, and two otherwise [CANVAS-11]', async () => {
    await store(
      mail({ externalId: 'm1', title: 'x', body: 'hello' }),
      mail({ externalId: 'm2', title: 'y', authorName: 'Lovelace, Ada', body: 'hello there' }),
      chat({ externalId: 's1', title: '#launch: x', body: 'ready' }),
      chat({
        externalId: 's2',
        title: '#launch: y',
        body: 'ask @ada',
        authorName: 'Bob Stone',
        metadata: { channel: 'launch', channelId: 'C1' },
      }),
      { externalId: 'n1', title: 'Notes', body: 'Ada Lovelace approves.', authorName: null },
      // Another person with the same handle in mail, and one without a known name.
      { externalId: 'n2', title: 'More', body: 'Ask ada.byron@other.org', authorName: null },
    )
    const people = await weights({ entityType: 'person' })
    expect(people).toEqual({ 'Ada Lovelace': 5, 'bob@acme.com': 2, 'Bob Stone': 1, 'ada.byron@other.org': 1 })
    const details = await service.call('GET', `/v1/memory-canvas/entities/${await idOf('Ada Lovelace')}`, {
      key: organization.adminKey,
    })
    expect(details.body.entity.aliases.toSorted()).toEqual(['@ada', 'Lovelace, Ada', 'ada@corp.com'])
    const said = details.body.entity.evidence.map(
      ({ name, items }: { name: string; items: number }) => `${name} ${items}`,
    )
    expect(said).toEqual(['ada@corp.com 3', '@ada 2', 'Ada Lovelace 2', 'Lovelace, Ada 1'])
    // Without the mails nothing reveals @ada's name.
    for (const externalId of ['m1', 'm2'])
      await service.call('DELETE', `/v1/source-items?provider=gmail&externalId=${externalId}`, {
        key: organization.adminKey,
      })
    expect(await weights({ entityType: 'person' })).toMatchObject({ '@ada': 2, 'Ada Lovelace': 1 })
  })

  it('is not merged with a namesake [CANVAS-12]', async () => {
    const from = (externalId: string, senderEmail: string) =>
      mail({
        externalId,
        title: externalId,
        body: 'hello',
        authorName: 'John Baker',
        metadata: { senderEmail },
      })
    await store(from('a', 'john@corp.com'), from('b', 'jbaker@acme.com'), {
      externalId: 'n',
      title: 'Notes',
      body: 'As John Baker said.',
      authorName: null,
    })
    const people = (await nodesOf({ entityType: 'person' })).map(({ label, weight }) => `${label} ${weight}`)
    expect(people.toSorted()).toEqual(['John Baker 1', 'John Baker 1', 'John Baker 1'])
  })
})

describe('a key with a provider scope', () => {
  it('sees nothing derived from items out of scope: no node, weight, label, merge or edge [CANVAS-13]', async () => {
    const slackOnly = [
      chat({ externalId: 's1', title: '#launch: x', body: 'Zephyr is near' }),
      chat({ externalId: 's2', title: '#launch: y', body: 'Zephyr is here, Ada Lovelace' }),
    ]
    await store(...slackOnly)
    const { secret } = await organization.mint({ providers: ['slack'] })
    const strip = ({ body, status, text }: Answer) => {
      expect(status, text).toBe(200)
      return { ...body, generatedAt: '' }
    }
    const queries = [
      {},
      { q: 'ada' },
      { q: 'lovelace' },
      { since: '2020-01-01T00:00:00Z' },
      { entityType: 'topic' },
    ]
    const before = []
    for (const query of queries) before.push(strip(await canvas(query, secret)))
    const ada = await idOf('@ada', secret)
    const shown = await service.call('GET', `/v1/memory-canvas/entities/${ada}`, { key: secret })
    await store(
      ...slackOnly,
      mail({ externalId: 'm1', title: 'Zephyr', body: 'Zephyr and Orion with Grace Hopper' }),
      mail({
        externalId: 'm2',
        title: 'Zephyr',
        body: 'Zephyr with Lovelace, Ada <ada@corp.com> and Grace Hopper',
      }),
      { externalId: 'n1', title: 'Orion', body: 'Orion', authorName: 'Ada Lovelace' },
    )
    expect(await weights()).toMatchObject({ 'Ada Lovelace': 6 })
    for (const [n, query] of queries.entries())
      expect(strip(await canvas(query, secret)), JSON.stringify(query)).toEqual(before[n])
    expect((await service.call('GET', `/v1/memory-canvas/entities/${ada}`, { key: secret })).body).toEqual(
      shown.body,
    )
    const hidden = await idOf('Grace Hopper')
    for (const path of ['?around=', '/entities/']) {
      const [outside, missing] = await Promise.all(
        [hidden, MISSING_ID].map((id) =>
          service.call('GET', `/v1/memory-canvas${path}${id}`, { key: secret }),
        ),
      )
      expect([outside?.status, outside?.body]).toEqual([404, missing?.body])
    }
    expect(strip(await canvas({ provider: 'gmail' }, secret))).toMatchObject({
      nodes: [],
      complete: true,
      itemsWaiting: 0,
    })
  })
})

describe('GET /v1/memory-canvas/entities/{id}', () => {
  it('returns names, times, neighbors and the latest items with a passage [CANVAS-14]', async () => {
    await store(
      mail({
        externalId: 'm1',
        title: 'Orion timeline',
        body: `${'Before that. '.repeat(50)}We promised Zephyr with Orion to Grace Hopper.`,
        url: 'https://mail.example.com/1',
        sourceUpdatedAt: '2026-01-01T00:00:00Z',
      }),
      mail({
        externalId: 'm2',
        title: 'Orion',
        body: 'Orion is late',
        sourceUpdatedAt: '2026-02-01T00:00:00Z',
      }),
    )
    const { status, body, text } = await service.call(
      'GET',
      `/v1/memory-canvas/entities/${await idOf('Grace Hopper')}`,
      { key: organization.adminKey },
    )
    expect(status, text).toBe(200)
    expect(body.entity).toMatchObject({
      type: 'person',
      label: 'Grace Hopper',
      weight: 1,
      firstSeenAt: '2026-01-01T00:00:00.000Z',
      lastSeenAt: '2026-01-01T00:00:00.000Z',
    })
    expect(body.items).toEqual([
      {
        sourceItemId: expect.any(String),
        title: 'Orion timeline',
        url: 'https://mail.example.com/1',
        provider: 'gmail',
        snippet: expect.stringContaining('Grace Hopper'),
      },
    ])
    expect(body.neighbours).toContainEqual({
      id: expect.any(String),
      type: 'topic',
      label: 'Orion',
      weight: 1,
    })
    const ada = await service.call('GET', `/v1/memory-canvas/entities/${await idOf('Ada Lovelace')}`, {
      key: organization.adminKey,
    })
    expect(ada.body.entity).toMatchObject({
      firstSeenAt: '2026-01-01T00:00:00.000Z',
      lastSeenAt: '2026-02-01T00:00:00.000Z',
    })
    expect(ada.body.items.map(({ title }: { title: string }) => title)).toEqual(['Orion', 'Orion timeline'])
    const source = await service.call('GET', `/v1/memory-canvas/entities/${organization.sources.gmail}`, {
      key: organization.adminKey,
    })
    expect(source.status).toBe(404)
  })
})

describe('filter.entityId', () => {
  it('limits search and context to items that mention the entity, under any of its names [CANVAS-15]', async () => {
    await store(
      mail({ externalId: 'm1', title: 'Budget', body: 'the budget of March' }),
      { externalId: 'n1', title: 'Budget', body: 'the budget, by Ada Lovelace', authorName: null },
      { externalId: 'n2', title: 'Budget', body: 'the budget of nobody', authorName: null },
    )
    const entityId = await idOf('Ada Lovelace')
    for (const path of ['/v1/search', '/v1/context']) {
      const body = { query: 'budget', filter: { entityId } }
      const found = await service.call('POST', path, { key: organization.adminKey, body })
      expect(found.body.hits.map(({ content }: { content: string }) => content).toSorted()).toEqual([
        'the budget of March',
        'the budget, by Ada Lovelace',
      ])
      const none = await service.call('POST', path, {
        key: organization.adminKey,
        body: { query: 'budget', filter: { entityId: MISSING_ID } },
      })
      expect(none.body.hits).toEqual([])
      const { secret } = await organization.mint({ providers: ['notion'] })
      const scoped = await service.call('POST', path, { key: secret, body })
      expect(scoped.body.hits).toEqual([])
    }
  })
})
