import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgres } from '../../src/database/drivers/postgres.ts'
import { documentOf } from '../support/documents.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  OPERATOR_TOKEN,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/service.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

describe.runIf(process.env.TEST_DRIVER === 'postgres')('while the database cannot be reached', () => {
  let database: TestDatabase
  let proxy: TcpProxy
  let service: TestService
  let organization: TestOrganization

  beforeAll(async () => {
    database = await createTestDatabase()
    const url = new URL(database.url ?? '')
    proxy = await startTcpProxy(url)
    url.host = `127.0.0.1:${proxy.port}`
    const through = await openPostgres({ url: url.href })
    service = await startTestService({ database: { ...through, url: url.href } })
    organization = await service.organization()
  })
  afterAll(async () => {
    proxy.mend()
    await service.close()
    await service.database.close()
    await proxy.close()
    await database.close()
  })

  const calls = (): [method: string, path: string, key: string, body?: unknown][] => [
    ['POST', '/v1/search', organization.adminKey, { query: 'x' }],
    ['POST', '/v1/ask', organization.adminKey, { query: 'x' }],
    ['POST', '/v1/ingest', organization.adminKey, { documents: [documentOf(organization)] }],
    ['GET', '/v1/sources', organization.adminKey],
    ['GET', '/operator/organizations', OPERATOR_TOKEN],
    ['GET', '/v1/oauth/slack/callback?state=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&code=x', ''],
    ['GET', '/readyz', ''],
  ]

  it('returns 503 with Retry-After on every surface, keeps the process running, and recovers automatically [ERR-14, ERR-3]', async () => {
    expect((await service.call('GET', '/v1/sources', { key: organization.adminKey })).status).toBe(200)
    proxy.cut()
    const everything = Array.from({ length: 5 }, calls).flat()
    const answers = await Promise.all(
      everything.map(async ([method, path, key, body]) => {
        const answer = await service.call(method, path, { key, body })
        return { path, answer }
      }),
    )
    for (const {
      path,
      answer: { status, body, headers },
    } of answers) {
      // A callback's state is checked before any lookup.
      if (path.startsWith('/v1/oauth/') && status === 400) continue
      expect({ path, status, code: body.code }).toEqual({
        path,
        status: 503,
        code: expect.stringMatching(/^(not_ready|overloaded)$/),
      })
      expect(headers.get('retry-after'), path).toMatch(/^\d+$/)
    }
    expect((await service.call('GET', '/healthz')).status).toBe(200)
    proxy.mend()
    for (const [method, path, key, body] of calls().slice(0, 4))
      expect((await service.call(method, path, { key, body })).status, path).toBe(200)
  })
})
