import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startIssuer, type TestIssuer } from '../support/issuer.ts'
import { type Person, signIn } from '../support/people.ts'
import { documentOf, push } from '../support/documents.ts'
import { type Answer, startTestService, type TestOrganization, type TestService } from '../support/service.ts'

let issuer: TestIssuer
let service: TestService
let organization: TestOrganization
let ada: Person
let grace: Person
let bob: Person

beforeAll(async () => {
  issuer = await startIssuer()
  service = await startTestService({ environment: issuer.environment })
  organization = await service.organization()
  const { id: organizationId } = organization
  ada = await signIn(service, issuer, 'ada', { organizationId, role: 'owner' })
  grace = await signIn(service, issuer, 'grace', { organizationId, role: 'admin' })
  bob = await signIn(service, issuer, 'bob', { organizationId, role: 'member' })
})
afterAll(async () => {
  await service.close()
  await issuer.close()
})
beforeEach(() => call(ada, 'DELETE', '/evaluation/questions'))

const call = (who: Person, method: string, path: string, body?: unknown): Promise<Answer> =>
  service.call(method, `/v1/console${path}`, { key: who.token, body })

const VACATION = { question: 'How many zebra days?', page: 'Zebra policy', fact: '25 days' }
const TRAVEL = { question: 'Who approves zebra travel?', page: null, fact: 'Grace' }
const put = (...questions: object[]): Promise<Answer> =>
  call(ada, 'PUT', '/evaluation/questions', { questions })
const questions = async () => (await call(ada, 'GET', '/evaluation/questions')).body.questions
const measurement = (more: object = {}) => ({
  rank: 2,
  hasFact: true,
  change: 'new',
  answer: 'Zebras get 25 days [1].',
  citations: [],
  contextItemIds: [],
  ...more,
})

/** Ingests a document and returns the ID of its item. */
async function ingest(externalId: string): Promise<string> {
  const { status, text } = await push(service, organization, documentOf(organization, { externalId }))
  if (status !== 200) throw new Error(text)
  const { body } = await service.call('GET', '/v1/source-items?limit=1', { key: organization.adminKey })
  return body.sourceItems[0].id
}

/** Starts a run and returns its path with the ids of its questions. */
async function start(who = ada): Promise<{ path: string; ids: string[] }> {
  const { status, body } = await call(who, 'POST', '/evaluation/runs')
  expect(status).toBe(201)
  const path = `/evaluation/runs/${body.run.id}`
  const { results } = (await call(who, 'GET', path)).body
  return { path, ids: results.map(({ questionId }: { questionId: string }) => questionId) }
}

describe('questions of the evaluation', () => {
  it('are stored once each, in their order, and discard a measurement of another page [CON-23]', async () => {
    expect((await put(VACATION, TRAVEL)).body).toEqual({ added: 2, replaced: 0 })
    const { path, ids } = await start()
    for (const id of ids) await call(ada, 'PUT', `${path}/results/${id}`, measurement())
    expect((await put({ ...VACATION, page: 'Other' }, TRAVEL)).body).toEqual({ added: 0, replaced: 2 })
    expect(await questions()).toMatchObject([
      { ...VACATION, page: 'Other', lastRank: null, lastMeasuredAt: null },
      { ...TRAVEL, lastRank: 2, lastHasFact: true },
    ])
  })

  it('are deleted one by one or all at once; a run keeps its own [CON-23]', async () => {
    await put(VACATION, TRAVEL)
    const { path, ids } = await start()
    expect((await call(ada, 'DELETE', `/evaluation/questions/${ids[0]}`)).body).toEqual({ deleted: 1 })
    expect((await call(ada, 'DELETE', `/evaluation/questions/${ids[0]}`)).status).toBe(404)
    expect((await call(ada, 'DELETE', '/evaluation/questions')).body).toEqual({ deleted: 1 })
    expect(await questions()).toEqual([])
    expect((await call(ada, 'GET', path)).body.results).toMatchObject([VACATION, TRAVEL])
  })

  it('are at most 1,000, also when they are added in parts', async () => {
    const many = Array.from({ length: 999 }, (_, at) => ({ question: `number ${at}`, page: 'a' }))
    expect((await put(...many)).body).toEqual({ added: 999, replaced: 0 })
    expect((await put(VACATION, TRAVEL)).body.code).toBe('validation_failed')
    expect((await put(VACATION, { question: 'number 5', page: 'b' })).body).toEqual({ added: 1, replaced: 1 })
    const stored = await questions()
    expect([stored.length, stored[5], stored[999]]).toMatchObject([1_000, { page: 'b' }, VACATION])
  })

  it('are for admins: a member neither sees nor changes them [CON-23]', async () => {
    await put(VACATION)
    const { path, ids } = await start()
    const answers = await Promise.all([
      call(bob, 'GET', '/evaluation/questions'),
      call(bob, 'PUT', '/evaluation/questions', { questions: [VACATION] }),
      call(bob, 'DELETE', '/evaluation/questions'),
      call(bob, 'GET', '/evaluation/runs'),
      call(bob, 'POST', '/evaluation/runs'),
      call(bob, 'GET', `${path}/results/${ids[0]}`),
      call(bob, 'DELETE', path),
    ])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
  })
})

describe('a run of the evaluation', () => {
  it('counts what was measured, and has the previous measurement of each question [CON-23]', async () => {
    await put(VACATION, TRAVEL, { question: 'Unfinished?' })
    const first = await start()
    expect(first.ids).toHaveLength(2)
    await call(ada, 'PUT', `${first.path}/results/${first.ids[0]}`, measurement())
    const missed = measurement({ rank: null, hasFact: false })
    const counted = await call(ada, 'PUT', `${first.path}/results/${first.ids[1]}`, missed)
    expect(counted.body.run).toMatchObject({ questions: 2, measured: 2, hitsAt1: 0, hitsAt3: 1, hitsAt10: 1 })
    expect(counted.body.run).toMatchObject({ facts: 2, factsInAnswers: 1, better: 0, worse: 0 })
    const second = await start()
    const better = measurement({ rank: 1, change: 'better' })
    await call(ada, 'PUT', `${second.path}/results/${second.ids[0]}`, better)
    const { run, results } = (await call(ada, 'GET', second.path)).body
    expect(run).toMatchObject({ questions: 2, measured: 1, hitsAt1: 1, better: 1, userId: ada.userId })
    expect(results).toMatchObject([
      { ...VACATION, previousRank: 2, previousHasFact: true, rank: 1, hasFact: true, change: 'better' },
      { ...TRAVEL, previousRank: null, previousHasFact: false, rank: null, measuredAt: null },
    ])
    expect(results[1].previousMeasuredAt).not.toBeNull()
    const listed = (await call(ada, 'GET', '/evaluation/runs')).body.runs
    expect(listed[0]).toEqual(run)
  })

  it('is refused without a question that has a page or a fact', async () => {
    await put({ question: 'Unfinished?' })
    expect((await call(ada, 'POST', '/evaluation/runs')).body.code).toBe('validation_failed')
  })

  it('is continued only by who started it, and is deleted by any admin [CON-23]', async () => {
    await put(VACATION)
    const { path, ids } = await start()
    expect((await call(grace, 'PUT', `${path}/results/${ids[0]}`, measurement())).status).toBe(404)
    expect((await call(ada, 'GET', `${path}/results/${ids[0]}`)).status).toBe(404)
    expect((await call(grace, 'DELETE', path)).status).toBe(200)
    expect((await call(ada, 'GET', path)).status).toBe(404)
  })

  it('does not compare the next run with measurements of a page that was changed meanwhile', async () => {
    await put(VACATION)
    const { path, ids } = await start()
    await put({ ...VACATION, page: 'Other' })
    await call(ada, 'PUT', `${path}/results/${ids[0]}`, measurement())
    expect(await questions()).toMatchObject([{ page: 'Other', lastRank: null, lastMeasuredAt: null }])
  })

  it('withholds an answer that cites a deleted item, and leaves no text in the trail [CON-24]', async () => {
    const citedId = await ingest('cited')
    await put(VACATION)
    const { path, ids } = await start()
    const result = `${path}/results/${ids[0]}`
    const citations = [{ index: 1, sourceItemId: citedId, title: 'Zebra policy' }]
    await call(ada, 'PUT', result, measurement({ citations }))
    const { answer } = measurement()
    expect((await call(grace, 'GET', result)).body).toEqual({ answer, citations, withheld: false })
    await service.call('DELETE', '/v1/source-items?provider=notion&externalId=cited', {
      key: organization.adminKey,
    })
    expect((await call(grace, 'GET', result)).body).toEqual({ answer: '', citations: [], withheld: true })
    const trail = await service.call('GET', '/v1/audit-events', { key: organization.adminKey })
    expect(trail.body.auditEvents.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining([
        'evaluation_question.update',
        'evaluation_run.create',
        'evaluation_run.update',
      ]),
    )
    expect(trail.text).not.toMatch(/zebra/i)
  })

  it('replaces the oldest one beyond 20', async () => {
    await put(VACATION)
    const { path } = await start()
    for (let more = 0; more < 20; more += 1) await call(ada, 'POST', '/evaluation/runs')
    expect((await call(ada, 'GET', '/evaluation/runs')).body.runs).toHaveLength(20)
    expect((await call(ada, 'GET', path)).status).toBe(404)
  })
})

describe('a rated question of a thread', () => {
  /** A question of bob's threads with this rating. @returns the path of its turn */
  async function rated(question: string, feedback: string | null, citedId: string): Promise<string> {
    const citations = [{ index: 1, sourceItemId: citedId, title: 'Zebra policy' }]
    const { body } = await call(bob, 'POST', '/threads', { question, answer: 'Zebras [1].', citations })
    const path = `/threads/${body.thread.id}/turns/${body.turn.id}`
    await call(bob, 'PUT', `${path}/feedback`, { feedback })
    return path
  }

  it('is added by its person, with the item of a useful answer and nothing else of the thread [CON-25]', async () => {
    const citedId = await ingest('useful')
    const useful = await rated('Useful?', 'useful', citedId)
    const wrong = await rated('Wrong?', 'wrong', citedId)
    expect((await call(ada, 'POST', `${useful}/evaluation`)).status).toBe(404)
    for (const path of [useful, useful, wrong])
      expect((await call(bob, 'POST', `${path}/evaluation`)).status).toBe(201)
    const added = await call(ada, 'GET', '/evaluation/questions')
    expect(added.body.questions).toMatchObject([
      { question: 'Useful?', page: citedId, fact: null, feedback: 'useful' },
      { question: 'Wrong?', page: null, fact: null, feedback: 'wrong' },
    ])
    expect(added.text).not.toMatch(/zebra/i)
  })

  it('is refused without a rating, and keeps what an admin expects [CON-25]', async () => {
    const citedId = await ingest('kept')
    const silent = await rated(VACATION.question, null, citedId)
    expect((await call(bob, 'POST', `${silent}/evaluation`)).body.code).toBe('validation_failed')
    await put(VACATION)
    const useful = await rated(VACATION.question, 'useful', citedId)
    await call(bob, 'POST', `${useful}/evaluation`)
    expect(await questions()).toMatchObject([{ ...VACATION, feedback: 'useful' }])
    await put({ ...VACATION, fact: '30 days' })
    expect(await questions()).toMatchObject([{ fact: '30 days', feedback: 'useful' }])
  })
})
