import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadBuiltinModel } from '../../src/inference/embedding-models/builtin/builtin.ts'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'
import { aText } from '../support/shapes.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({
    embeddingModel: await loadBuiltinModel(),
    environment: issuer.environment,
  })
})
beforeEach(async () => {
  organization = await service.organization({ status: 'active', tier: 'builder' })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const call = (route: string, body: object, key = organization.adminKey): Promise<Answer> =>
  service.call('POST', `/v1/${route}`, { key, body })

const member = (): Promise<Person> =>
  signIn(service, issuer, `member-of-${organization.id}`, {
    organizationId: organization.id,
    role: 'member',
  })

const ANSWERED = 'How many days of paid time off do I get per year?'
const FOREIGN = [
  'hello',
  'thank you very much',
  'Which river flows through Paris?',
  'Who won the football world cup in 2022?',
]
const weak = [{ code: 'weak_evidence', message: aText }]

const pushRooms = (count: number) =>
  push(
    service,
    organization,
    ...Array.from({ length: count }, (_, at) =>
      documentOf(organization, {
        externalId: `room-${at}`,
        title: `Room ${at}`,
        body: `Room ${at} on the second floor has a projector, a whiteboard and ${at + 4} chairs.`,
      }),
    ),
  )

describe.each([0, 60])('weak evidence in a memory of one document and %i others', (others) => {
  beforeEach(async () => {
    await push(service, organization, documentOf(organization))
    await pushRooms(others)
  })

  it('is a limitation of context and ask, for agents and in the console [CTX-12, ASK-11]', async () => {
    for (const query of [...FOREIGN, ANSWERED]) {
      const expected = query === ANSWERED ? [] : weak
      const { body: contract } = await call('context', { query, limit: 3 })
      const { body: answer } = await call('ask', { query })
      expect([query, contract.limitations, answer.limitations]).toEqual([query, expected, expected])
      const person = await member()
      for (const route of ['context', 'ask']) {
        const { body } = await service.call('POST', `/v1/console/${route}`, {
          key: person.token,
          body: { query },
        })
        expect([query, route, body.limitations]).toEqual([query, route, expected])
      }
    }
  })

  it('is a limitation of both for a greeting, however near a passage [CTX-12, ASK-11]', async () => {
    const query = 'hello'
    await push(
      service,
      organization,
      documentOf(organization, { externalId: 'program', body: 'hello world' }),
    )
    const { body: contract } = await call('context', { query })
    const { body: answer } = await call('ask', { query })
    expect([contract.limitations, answer.limitations]).toEqual([weak, weak])
  })

  it('yields an answer without passages when none shares a content word with the question, even streamed [ASK-5, ASK-11]', async () => {
    const person = await member()
    for (const query of ['hello', 'Which river flows through Paris?']) {
      const { body } = await call('ask', { query })
      const answer = `I could not find company context for: ${query}`
      expect(body).toEqual({ question: query, answer, citations: [], context: [], limitations: weak })
      const inConsole = await service.call('POST', '/v1/console/ask', { key: person.token, body: { query } })
      expect(inConsole.body).toEqual(body)
      expect((await call('context', { query })).body.hits).toEqual(
        (await call('search', { query })).body.hits,
      )
    }
  })

  it('is stated first in the answer, with the closest passages cited, even streamed [ASK-11]', async () => {
    const query = 'In which year did Brazil win the football world cup against Germany?'
    const { body } = await call('ask', { query })
    expect(body.answer).toMatch(/^Nothing stored answers this directly\.[^\n]*\n\n[^]+\[\d+\]/)
    expect(body.citations.length).toBeGreaterThan(0)
    expect((await call('ask', { query: ANSWERED })).body.answer).toMatch(/^Employees accrue 25 days/)
    const streamed = await service.call('POST', '/v1/ask', {
      key: organization.adminKey,
      body: { query },
      headers: { accept: 'text/event-stream' },
    })
    const done = streamed.text.slice(streamed.text.lastIndexOf('data: ') + 6).trim()
    expect(JSON.parse(done)).toEqual(body)
  })

  it('costs the same as any answer [ASK-11, CRED-1]', async () => {
    const used = async (): Promise<number> =>
      (
        await service.database.db
          .selectFrom('subscriptions')
          .select('credits_used')
          .where('organization_id', '=', organization.id)
          .executeTakeFirstOrThrow()
      ).credits_used
    const before = await used()
    for (const query of ['hello', ANSWERED]) await call('ask', { query })
    expect(await used()).toBe(before + 2)
  })
})

it('is not reported for an empty memory, and ignores what is out of scope [CTX-12, SEA-9]', async () => {
  const query = 'Which chairs are on the second floor?'
  expect((await call('context', { query })).body.limitations).toEqual([])
  await push(service, organization, documentOf(organization, { provider: 'slack' }))
  const scoped = (await organization.mint({ providers: ['slack'] })).secret
  const before = (await call('context', { query }, scoped)).body.limitations
  await pushRooms(60)
  expect((await call('context', { query }, scoped)).body.limitations).toEqual(before)
  expect((await call('context', { query })).body.limitations).toEqual([])
})

it('does not affect hybrid order on request, within scope, filter and limit, for agents and in the console [SEA-10]', async () => {
  await pushRooms(30)
  await push(
    service,
    organization,
    documentOf(organization, { provider: 'slack', body: 'Room 7 is closed.' }),
  )
  const body = { query: 'chairs of room 7', rank: 'hybrid', limit: 5 }
  const person = await member()
  const { hits } = (await call('search', body)).body
  expect(hits).toHaveLength(5)
  const relevances = hits.map(({ relevance }: { relevance: number }) => relevance)
  expect(relevances).toEqual(relevances.toSorted((a: number, b: number) => b - a))
  expect(Math.min(...relevances)).toBeGreaterThan(0)
  expect(Math.max(...relevances)).toBeLessThanOrEqual(1)
  for (const route of ['search', 'context']) {
    const { body: inConsole } = await service.call('POST', `/v1/console/${route}`, {
      key: person.token,
      body,
    })
    expect(inConsole.hits).toEqual(hits)
  }
  const scoped = (await organization.mint({ providers: ['slack'] })).secret
  expect((await call('search', body, scoped)).body.hits).toMatchObject([{ provider: 'slack' }])
  expect((await call('search', { ...body, filter: { providers: ['slack'] } })).body.hits).toHaveLength(1)
  for (const hit of (await call('search', { ...body, rank: 'vector' })).body.hits)
    expect(hit).not.toHaveProperty('relevance')
  expect(await call('search', { ...body, rank: 'words' })).toMatchObject({ status: 400 })
})
