import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import type { SentResponse } from '../http/log-responses.ts'
import { DAY_MS } from '../kernel/clock.ts'
import type { AgentCaller } from '../kernel/caller.ts'
import { listRequests } from './list-requests.ts'
import { createRequestLog, deleteExpiredRequests } from './request-log.ts'
import { REQUESTS_KEPT_DAYS } from '../kernel/retention.ts'

const START = new Date('2026-03-02T09:30:00.000Z')

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

async function workspace(limits: { requestsMax?: number; trimEvery?: number; waitingMax?: number } = {}) {
  const { db } = database
  const organizationId = randomUUID()
  await db.insertInto('organizations').values({ id: organizationId, name: 'w', created_at: START }).execute()
  const time = { now: START }
  const lost: number[] = []
  const log = createRequestLog({
    db,
    clock: { now: () => time.now },
    onLost: (requests) => lost.push(requests),
    ...limits,
  })
  const agent: AgentCaller = {
    kind: 'agent',
    organizationId,
    apiKeyId: randomUUID(),
    actorType: 'agent',
    allowedActions: ['search'],
    allowedProviders: null,
  }
  return {
    organizationId,
    agent,
    log,
    lost,
    at: (ms: number) => {
      time.now = new Date(START.getTime() + ms)
    },
    add: (response: Partial<SentResponse> = {}) => log.add(responseOf({ caller: agent, ...response })),
    async list(filter: Parameters<typeof listRequests>[2] = { limit: 100 }) {
      return await listRequests(db, organizationId, filter)
    },
  }
}

function responseOf(different: Partial<SentResponse>): SentResponse {
  return {
    requestId: randomUUID(),
    method: 'POST',
    route: '/v1/search',
    status: 200,
    seconds: 0.0126,
    credits: 1,
    isMcp: false,
    caller: null,
    ...different,
  }
}

describe('the request log', () => {
  it('keeps the newest requests of a workspace and deletes the others', async () => {
    const { log, add, at, list } = await workspace({ requestsMax: 5, trimEvery: 3 })
    for (let n = 0; n < 12; n += 1) {
      at(n)
      add({ status: 200 + n })
      await log.flush()
    }
    const { requests } = await list()
    expect(requests.length).toBeGreaterThanOrEqual(5)
    expect(requests.length).toBeLessThan(5 + 3)
    expect(requests.slice(0, 5).map(({ status }) => status)).toEqual([211, 210, 209, 208, 207])
  })

  it('lists the requests answered from one time on and before another', async () => {
    const { log, add, at, list } = await workspace()
    for (const [day, status] of [200, 201, 202, 203].entries()) {
      at(day * DAY_MS)
      add({ status })
      await log.flush()
    }
    const time = (days: number): string => new Date(START.getTime() + days * DAY_MS).toISOString()
    const { requests } = await list({ limit: 100, from: time(1), to: time(3) })
    expect(requests.map(({ status }) => status)).toEqual([202, 201])
  })

  it('deletes requests after a week, whether or not their workspace is still used', async () => {
    const { log, add, at, list } = await workspace()
    add({ status: 201 })
    at(DAY_MS)
    add({ status: 202 })
    await log.flush()
    await deleteExpiredRequests(database.db, new Date(START.getTime() + REQUESTS_KEPT_DAYS * DAY_MS + 1))
    expect((await list()).requests.map(({ status }) => status)).toEqual([202])
  })

  it('ignores people and strangers', async () => {
    const { log, add, agent, list } = await workspace()
    add({ caller: null })
    const { organizationId } = agent
    add({
      caller: {
        kind: 'console',
        organizationId,
        userId: randomUUID(),
        role: 'admin',
        allowedProviders: null,
      },
    })
    await log.flush()
    expect((await list()).requests).toEqual([])
  })

  it('writes the batches of other workspaces when one fails, and reports what is missing', async () => {
    const { log, add, lost, list } = await workspace()
    const failing = await workspace()
    log.add(responseOf({ caller: failing.agent, status: 100_000 }))
    add()
    await log.flush()
    expect((await list()).requests).toHaveLength(1)
    expect(lost).toEqual([1])
  })

  it('drops requests of a workspace that was removed without reporting them', async () => {
    const { log, add, agent, lost, list } = await workspace()
    log.add(responseOf({ caller: { ...agent, organizationId: randomUUID() } }))
    add()
    await log.flush()
    expect((await list()).requests).toHaveLength(1)
    expect(lost).toEqual([])
  })

  it('writes a large batch in several statements', async () => {
    const { log, add, list } = await workspace()
    for (let n = 0; n < 600; n += 1) add()
    await log.flush()
    expect((await list({ limit: 1000 })).requests).toHaveLength(600)
  })

  it('drops and reports requests that come faster than they can be written', async () => {
    const { log, add, lost, list } = await workspace({ waitingMax: 2 })
    for (let n = 0; n < 5; n += 1) add()
    await log.stop()
    expect((await list()).requests).toHaveLength(2)
    expect(lost).toEqual([3])
  })

  it('pages through requests of one instant', async () => {
    const { log, add, list } = await workspace()
    for (let n = 0; n < 5; n += 1) add({ status: 200 + n })
    await log.flush()
    const statuses: number[] = []
    let cursor: string | undefined
    do {
      const page = await list({ limit: 2, cursor })
      statuses.push(...page.requests.map(({ status }) => status))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(statuses.toSorted()).toEqual([200, 201, 202, 203, 204])
  })
})
