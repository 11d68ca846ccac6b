import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, push } from '../support/documents.ts'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let ada: Person
let bob: Person
let policyId: string

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization()
  ada = await signIn(service, issuer, 'ada', { organizationId: organization.id, role: 'owner' })
  bob = await signIn(service, issuer, 'bob', { organizationId: organization.id, role: 'member' })
  policyId = await ingest('policy')
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})

const REQUEST_ID = 'e8d5a2f1-6c3b-4b97-a1d4-0f9c7e5b2d83'
const turnOf = (question: string, citedId = policyId) => ({
  question,
  answer: 'Zebras get 25 days [1].',
  citations: [
    { index: 1, sourceItemId: citedId, title: 'Zebra policy', url: 'https://wiki.example.com/zebra' },
  ],
  requestId: REQUEST_ID,
})

/** Ingests a document and returns the ID of its item. */
async function ingest(externalId: string): Promise<string> {
  const { status, text } = await push(service, organization, documentOf(organization, { externalId }))
  if (status !== 200) throw new Error(text)
  const { body } = await service.call('GET', '/v1/source-items?limit=1', { key: organization.adminKey })
  return body.sourceItems[0].id
}

const call = (who: Person, method: string, path = '', body?: unknown): Promise<Answer> =>
  service.call(method, `/v1/console/threads${path}`, { key: who.token, body })

async function start(who: Person, question: string): Promise<{ id: string; turnId: string }> {
  const { status, body } = await call(who, 'POST', '', turnOf(question))
  expect(status).toBe(201)
  return { id: body.thread.id, turnId: body.turn.id }
}

describe('threads', () => {
  it('are listed by last use, in pages, and shown with all their questions [CON-21]', async () => {
    const first = await start(bob, 'How many\n days?')
    const second = await start(bob, 'Who approves travel?')
    const added = await call(bob, 'POST', `/${first.id}/turns`, turnOf('And for zebras?'))
    expect([added.status, added.body.thread.turnCount]).toEqual([201, 2])
    const page = await call(bob, 'GET', '?limit=1')
    expect(page.body.threads).toMatchObject([{ id: first.id, title: 'How many days?', turnCount: 2 }])
    const next = await call(bob, 'GET', `?limit=1&cursor=${page.body.nextCursor}`)
    expect([next.body.threads[0].id, next.body.nextCursor]).toEqual([second.id, null])
    const shown = await call(bob, 'GET', `/${first.id}`)
    expect(shown.body.turns).toMatchObject([
      { ...turnOf('How many\n days?'), feedback: null },
      turnOf('And for zebras?'),
    ])
  })

  it('belong to one user: no one else lists, reads, extends, rates or deletes them [CON-21]', async () => {
    const { id, turnId } = await start(bob, 'Private?')
    expect((await call(ada, 'GET')).body.threads).toEqual([])
    const answers = await Promise.all([
      call(ada, 'GET', `/${id}`),
      call(ada, 'POST', `/${id}/turns`, turnOf('x')),
      call(ada, 'PUT', `/${id}/turns/${turnId}/feedback`, { feedback: 'wrong' }),
      call(ada, 'DELETE', `/${id}`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect((await call(ada, 'DELETE')).body).toEqual({ deleted: 0 })
    expect((await call(bob, 'GET', `/${id}`)).status).toBe(200)
  })

  it("accept feedback, which the trail records with the answer's request id and no text [CON-21]", async () => {
    const { id, turnId } = await start(bob, 'Rated?')
    const path = `/${id}/turns/${turnId}/feedback`
    const rated = await call(bob, 'PUT', path, { feedback: 'missing_source' })
    expect([rated.status, rated.body]).toEqual([200, { feedback: 'missing_source' }])
    await call(bob, 'PUT', path, { feedback: null })
    expect((await call(bob, 'GET', `/${id}`)).body.turns[0].feedback).toBeNull()
    expect((await call(bob, 'PUT', path, { feedback: 'great' })).status).toBe(400)
    const missing = `/${id}/turns/${REQUEST_ID}/feedback`
    expect((await call(bob, 'PUT', missing, { feedback: 'useful' })).status).toBe(404)
    const trail = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    const events: { action: string; targetId: string; metadata: unknown }[] = trail.body.auditEvents
    expect(events.filter(({ targetId }) => targetId === id)).toMatchObject([
      { action: 'thread.feedback', metadata: { turnId, feedback: null, requestId: REQUEST_ID } },
      { action: 'thread.feedback', metadata: { turnId, feedback: 'missing_source', requestId: REQUEST_ID } },
      { action: 'thread.create', metadata: { turnId, citationCount: 1 } },
    ])
    expect(trail.text).not.toMatch(/Zebra/i)
  })

  it('withhold an answer that cites a deleted item [CON-21]', async () => {
    const { id } = await start(bob, 'Kept?')
    const citedId = await ingest('short-lived')
    await call(bob, 'POST', `/${id}/turns`, turnOf('Hidden?', citedId))
    const answers = async () => {
      const { body } = await call(bob, 'GET', `/${id}`)
      return body.turns.map(({ withheld, answer, citations }: Record<string, unknown>) => [
        withheld,
        answer,
        citations,
      ])
    }
    const { answer, citations } = turnOf('Kept?')
    const shown = [false, answer, citations]
    expect(await answers()).toEqual([shown, [false, answer, turnOf('Hidden?', citedId).citations]])
    const deleted = await service.call('DELETE', '/v1/source-items?provider=notion&externalId=short-lived', {
      key: organization.adminKey,
    })
    expect(deleted.status).toBe(200)
    expect(await answers()).toEqual([shown, [true, '', []]])
  })

  it('keep their last 50 questions', async () => {
    const { id } = await start(bob, 'number 0')
    for (let at = 1; at <= 50; at += 1) await call(bob, 'POST', `/${id}/turns`, turnOf(`number ${at}`))
    const { body } = await call(bob, 'GET', `/${id}`)
    const questions = body.turns.map(({ question }: { question: string }) => question)
    expect([questions.length, questions[0], questions.at(-1)]).toEqual([50, 'number 1', 'number 50'])
  })

  it('are deleted one by one, all at once, and when their user leaves [CON-21]', async () => {
    const { id } = await start(bob, 'Gone?')
    expect((await call(bob, 'DELETE', `/${id}`)).body.thread.id).toBe(id)
    expect((await call(bob, 'GET', `/${id}`)).status).toBe(404)
    await start(ada, 'Mine?')
    expect((await call(bob, 'DELETE')).body.deleted).toBeGreaterThan(0)
    expect((await call(bob, 'GET')).body.threads).toEqual([])
    await start(bob, 'Left behind?')
    const left = await service.call('DELETE', `/v1/console/members/${bob.userId}`, { key: ada.token })
    expect(left.status).toBe(200)
    const rows = await service.database.db
      .selectFrom('threads')
      .select('user_id')
      .where('organization_id', '=', organization.id)
      .execute()
    expect(rows).toEqual([{ user_id: ada.userId }])
  })
})
