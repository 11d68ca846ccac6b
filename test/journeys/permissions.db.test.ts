import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMember } from '../../src/organizations/index.ts'
import { embeddingInput } from '../../src/models/index.ts'
import { principalsOf } from '../../src/people/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { documentOf } from '../support/documents.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { type TestIssuer, startIssuer } from '../support/issuer.ts'
import type { Person } from '../support/people.ts'
import { rounds, seededRandom } from '../support/random.ts'
import { GROUPS, mayRead, randomPolicy } from '../support/permissions.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { createScore, lengthOf } from '../../src/vector-scan/score.ts'

/** `TEST_ROUNDS=1000` repeats it 10,000 times. */
const ROUNDS = rounds(10)
const FIRST_DOCUMENTS = 90
const random = seededRandom('permissions')
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

const WORDS = Array.from({ length: 24 }, (_, n) => `word${n}`)
const AUTHORS = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edith Clarke', 'Karen Jones']
const PROVIDERS = ['notion', 'slack', 'google_drive'] as const
const EMAILS = [
  'ada@corp.com',
  'bob@corp.com',
  'eve@partner.org',
  'Dan@Partner.org',
  'kim@corp.com',
  'stranger@elsewhere.net',
]

interface Stored {
  externalId: string
  title: string
  body: string
  authorName: string
  provider: (typeof PROVIDERS)[number]
  policy: unknown
}

const model = hashEmbeddingModel()
let issuer: TestIssuer
let database: TestDatabase
let services: TestService[]
let organization: TestOrganization
const people = new Map<string, Person>()
const members = new Set<string>()
const stored = new Map<string, Stored>()
const scores = new Map<string, Float16Array>()
let made = 0

const anyService = (): TestService => pick(services)

beforeAll(async () => {
  issuer = await startIssuer()
  database = await createTestDatabase()
  // Only one process can have the embedded database open.
  const instances = database.url === null ? 1 : 2
  services = []
  for (let n = 0; n < instances; n++)
    services.push(
      await startTestService({ database, embeddingModel: model, environment: issuer.environment }),
    )
  organization = await anyService().organization()
  for (const email of EMAILS.slice(0, -1)) await join(email)
  await push(Array.from({ length: FIRST_DOCUMENTS }, newDocument))
})
afterAll(async () => {
  for (const service of services) await service.close()
  await database.close()
  await issuer.close()
})

function newDocument(): Stored {
  made += 1
  return {
    externalId: `d${made}`,
    title: `title${made}`,
    body: Array.from({ length: 4 + Math.floor(random() * 6) }, () => pick(WORDS)).join(' '),
    authorName: pick(AUTHORS),
    provider: pick(PROVIDERS),
    policy: randomPolicy(random, EMAILS),
  }
}

async function push(documents: readonly Stored[]): Promise<void> {
  const service = anyService()
  const { status, text } = await service.call('POST', '/v1/ingest', {
    key: organization.adminKey,
    body: {
      documents: documents.map(({ policy, ...document }) =>
        documentOf(organization, {
          ...document,
          sourceKind: 'message',
          metadata: policy === undefined ? {} : { accessPolicy: policy },
        }),
      ),
    },
  })
  expect(status, text).toBe(200)
  for (const document of documents) {
    stored.set(document.externalId, document)
    const input = embeddingInput(document.title, { content: document.body, heading: null })
    scores.set(document.title, new Float16Array((await model.embedDocuments([input]))[0] ?? []))
  }
  await service.app.readForCanvas()
}

async function remove({ externalId, provider }: Stored): Promise<void> {
  const query = new URLSearchParams({ provider, externalId }).toString()
  const path = `/v1/source-items?${query}`
  const { status, text } = await anyService().call('DELETE', path, { key: organization.adminKey })
  expect(status, text).toBe(200)
  stored.delete(externalId)
}

async function join(email: string): Promise<void> {
  const { database: of, call } = anyService()
  const token = await issuer.token({ subject: email, email, emailVerified: true })
  const { body } = await call('GET', '/v1/console/me', { key: token })
  const userId: string = body.user.id
  await addMember(of.db, { organizationId: organization.id, userId, role: 'member', at: new Date() })
  people.set(email, { userId, token })
  members.add(email)
}

async function leave(email: string): Promise<void> {
  const person = people.get(email)
  if (!person) throw new Error(`${email} never joined`)
  const path = `/v1/console/members/${person.userId}`
  const headers = { 'X-Organization-Id': organization.id }
  const { status, text } = await anyService().call('DELETE', path, { key: person.token, headers })
  expect(status, text).toBe(200)
  members.delete(email)
}

async function readableBy(email: string): Promise<Map<string, Stored>> {
  const principals = new Set((await principalsOf(database.db, organization.id, email)).allow)
  return new Map(
    [...stored.values()]
      .filter(({ policy }) => mayRead(policy, principals, email))
      .map((document) => [document.title, document]),
  )
}

interface Hit {
  title: string
  score: number
}

/** Every readable document with any similarity, and its score. */
async function expectedScores(query: string, readable: ReadonlyMap<string, Stored>): Promise<number[]> {
  const score = createScore(await model.embedQuery(query))
  return [...readable.keys()]
    .map((title) => {
      const values = scores.get(title) ?? new Float16Array()
      return score({ values, length: lengthOf(values) })
    })
    .filter((value) => value > 0)
    .toSorted((a, b) => b - a)
}

function ok({ status, body, text }: Answer) {
  expect(status, text).toBe(200)
  return body
}

const asked = (email: string) => ({ key: organization.adminKey, onBehalfOf: { email } })

/** A user's question on every surface, compared with brute force. */
async function expectNoLeakNorGap(email: string): Promise<void> {
  const service = anyService()
  const readable = await readableBy(email)
  const query = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(WORDS)).join(' ')
  const limit = 1 + Math.floor(random() * 25)
  const expected = await expectedScores(query, readable)
  const { key, onBehalfOf } = asked(email)
  const body = { query, limit, onBehalfOf }
  const titled = (hits: readonly Hit[]): void => {
    for (const { title } of hits)
      expect([...readable.keys()], `${email} must not read ${title}`).toContain(title)
    expect(new Set(hits.map(({ title }) => title)).size).toBe(hits.length)
  }

  const search = ok(await service.call('POST', '/v1/search', { key, body }))
  titled(search.hits)
  expect(search.hits.map(({ score }: Hit) => score)).toEqual(expected.slice(0, limit))

  const hybrid = ok(await service.call('POST', '/v1/search', { key, body: { ...body, rank: 'hybrid' } }))
  titled(hybrid.hits)
  expect(hybrid.hits).toHaveLength(Math.min(limit, expected.length))

  const context = ok(await service.call('POST', '/v1/context', { key, body }))
  titled(context.hits)
  expect(context.hits.map(({ score }: Hit) => score)).toEqual(expected.slice(0, limit))
  expect(context.limitations.map(({ code }: { code: string }) => code)).toContain('permissions_applied')

  const answer = ok(await service.call('POST', '/v1/ask', { key, body }))
  titled(answer.context)
  for (const { title } of answer.citations) expect([...readable.keys()]).toContain(title)

  const tool = await callTool(service, 'search', { ...body, rank: 'vector' })
  const ids = (list: readonly { id?: string; sourceItemId?: string }[]): unknown[] =>
    list.map(({ id, sourceItemId }) => id ?? sourceItemId)
  expect(ids(tool.structuredContent.results)).toEqual(ids(search.hits))

  if (members.has(email)) {
    const token = people.get(email)?.token
    const own = ok(
      await service.call('POST', '/v1/console/search', {
        key: token,
        body: { query, limit, onBehalfOf },
        headers: { 'X-Organization-Id': organization.id },
      }),
    )
    expect(own.hits).toEqual(search.hits)
  }
}

const all = async (path: string, email: string, service: TestService): Promise<Answer> => {
  const separator = path.includes('?') ? '&' : '?'
  const named = `${path}${separator}onBehalfOf=${encodeURIComponent(email)}`
  return await service.call('GET', named, { key: organization.adminKey })
}

/** What is stored and drawn for a user, compared with brute force. */
async function expectOwnItems(email: string): Promise<void> {
  const service = anyService()
  const readable = await readableBy(email)
  const listed = ok(await all('/v1/source-items?limit=200', email, service))
  expect(listed.sourceItems.map(({ title }: Hit) => title).toSorted()).toEqual(
    [...readable.keys()].toSorted(),
  )
  const whole = ok(await service.call('GET', '/v1/source-items?limit=200', { key: organization.adminKey }))
  const some = pick<{ id: string; title: string }>(whole.sourceItems)
  const one = await all(`/v1/source-items/${some.id}`, email, service)
  expect(one.status).toBe(readable.has(some.title) ? 200 : 404)
  const mcp = await callTool(service, 'fetch', { id: some.id, onBehalfOf: { email } })
  expect(mcp.isError === true).toBe(!readable.has(some.title))

  await service.app.readForCanvas()
  const canvas = ok(await all('/v1/memory-canvas?entityType=person&limit=500', email, service))
  const weights = Object.fromEntries(
    canvas.nodes.map(({ label, weight }: { label: string; weight: number }) => [label, weight]),
  )
  const counts: Record<string, number> = {}
  for (const { authorName } of readable.values()) counts[authorName] = (counts[authorName] ?? 0) + 1
  expect(weights).toEqual(counts)
  await expectOwnEntity(service, email, readable)
}

/** An entity of the whole canvas as a user sees it: nothing, unless an item they may read names it. */
async function expectOwnEntity(
  service: TestService,
  email: string,
  readable: ReadonlyMap<string, Stored>,
): Promise<void> {
  const { key, onBehalfOf } = asked(email)
  const whole = ok(await service.call('GET', '/v1/memory-canvas?entityType=person&limit=500', { key }))
  const { id, label } = pick<{ id: string; label: string }>(whole.nodes)
  const own = [...readable.values()]
    .filter(({ authorName }) => authorName === label)
    .map(({ title }) => title)
  const entity = await all(`/v1/memory-canvas/entities/${id}`, email, service)
  const around = await all(`/v1/memory-canvas?around=${id}`, email, service)
  expect([entity.status, around.status]).toEqual(own.length > 0 ? [200, 200] : [404, 404])
  for (const { title } of entity.body.items ?? []) expect(own).toContain(title)
  const body = { query: WORDS.join(' '), limit: 25, onBehalfOf, filter: { entityId: id } }
  const { hits } = ok(await service.call('POST', '/v1/search', { key, body }))
  expect(hits).toHaveLength(Math.min(25, own.length))
  for (const { title } of hits) expect(own).toContain(title)
}

async function callTool(service: TestService, name: string, args: object) {
  const { text } = await service.call('POST', '/mcp', {
    key: organization.adminKey,
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    },
  })
  // As one event of a stream, or as JSON.
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text).result
}

/** All of a user's answers, without what differs between requests. */
async function everythingFor(email: string): Promise<unknown> {
  const service = anyService()
  const { key, onBehalfOf } = asked(email)
  const answers: unknown[] = []
  for (const query of ['word1 word2', 'word3', 'Who wrote word5 word6?']) {
    const body = { query, limit: 12, onBehalfOf }
    for (const rank of ['vector', 'hybrid'])
      answers.push(ok(await service.call('POST', '/v1/search', { key, body: { ...body, rank } })))
    const { contract: _, ...context } = ok(await service.call('POST', '/v1/context', { key, body }))
    answers.push(context, ok(await service.call('POST', '/v1/ask', { key, body })))
  }
  await service.app.readForCanvas()
  for (const path of ['/v1/source-items?limit=200', '/v1/memory-canvas?limit=200', '/v1/memory-canvas?q=ada'])
    answers.push({ ...ok(await all(path, email, service)), generatedAt: null })
  return answers
}

/** A document that a user can read neither before nor after. */
function hiddenFrom(email: string, principals: ReadonlySet<string>): Stored {
  for (;;) {
    const document = newDocument()
    if (!mayRead(document.policy, principals, email)) return document
  }
}

async function expectUnmoved(email: string): Promise<void> {
  const principals = new Set((await principalsOf(database.db, organization.id, email)).allow)
  const hidden = [...stored.values()].filter(({ policy }) => !mayRead(policy, principals, email))
  const before = await everythingFor(email)
  const next = hiddenFrom(email, principals)
  const known = hidden.length > 0 ? pick(hidden) : undefined
  if (known && random() < 0.4) await remove(known)
  else if (known && random() < 0.6)
    await push([{ ...next, externalId: known.externalId, provider: known.provider }])
  else await push([next, hiddenFrom(email, principals)])
  expect(await everythingFor(email)).toEqual(before)
}

async function regroup(): Promise<void> {
  const body = { members: EMAILS.filter(() => random() < 0.4) }
  const options = { key: organization.adminKey, body }
  const { status, text } = await anyService().call('PUT', `/v1/groups/${pick(GROUPS)}`, options)
  expect(status, text).toBe(200)
}

async function change(): Promise<void> {
  const chance = random()
  const known = pick([...stored.values()])
  if (chance < 0.3) await push([newDocument()])
  else if (chance < 0.6) await push([{ ...known, policy: randomPolicy(random, EMAILS) }])
  else if (chance < 0.75 && stored.size > FIRST_DOCUMENTS / 2) await remove(known)
  else if (chance < 0.87) await regroup()
  else {
    const email = pick(EMAILS.slice(1, -1))
    await (members.has(email) ? leave(email) : join(email))
  }
}

describe('reading on behalf of a user', () => {
  it(`leaks nothing and misses nothing in ${ROUNDS} rounds of changes and questions`, async () => {
    for (let round = 1; round <= ROUNDS; round++) {
      await change()
      await expectNoLeakNorGap(pick(EMAILS))
      if (round % 4 === 0) await expectOwnItems(pick(EMAILS))
      if (round % 10 === 0) await expectUnmoved(pick(EMAILS))
    }
  }, 3_600_000)
})
