import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentOf, push } from '../../test/support/documents.ts'
import { startTestService, type TestOrganization, type TestService } from '../../test/support/service.ts'
import type { Hit } from '../retrieval/index.ts'
import { Readable, type Viewer } from '../kernel/viewer.ts'
import { createReadAround } from './read-around.ts'

let service: TestService
let organization: TestOrganization
beforeAll(async () => {
  service = await startTestService()
  organization = await service.organization({ status: 'active', tier: 'builder' })
})
afterAll(() => service.close())

const part = (n: number): string => `## Part ${n}\n\n${`Word${n} stands here among many others. `.repeat(32)}`

it('reads the chunks beside each hit with their headings, of its own organization only', async () => {
  const body = `# Guide\n\n${[1, 2, 3, 4, 5, 6, 7, 8, 9].map(part).join('\n\n')}`
  await push(
    service,
    organization,
    documentOf(organization, { body, sourceUpdatedAt: '2026-02-03T00:00:00Z' }),
  )
  const { body: found } = await service.call('POST', '/v1/search', {
    key: organization.adminKey,
    body: { query: 'Word2 stands here', limit: 20 },
  })
  const hit: Hit = found.hits.find(({ content }: Hit) => content.includes('Word2'))
  const readAround = createReadAround(service.database.db)
  const viewer = (organizationId: string): Viewer => ({
    kind: 'console',
    organizationId,
    userId: randomUUID(),
    role: 'member',
    allowedProviders: null,
    readable: Readable.everything,
  })
  const gone = { ...hit, content: 'gone' }
  const read = await readAround(viewer(organization.id), [hit, gone, hit])
  const [best, missing, around] = read
  expect(missing).toBeUndefined()
  expect(best?.beside.map(({ content }) => /Word\d/.exec(content)?.[0])).toEqual(
    [1, 3, 4, 5, 6, 7, 8].map((n) => `Word${n}`),
  )
  expect(around?.changedAt).toEqual(new Date('2026-02-03T00:00:00Z'))
  expect(around?.beside.map(({ position }) => position - (around?.position ?? 0))).toEqual([-1, 1])
  expect(around?.beside.map(({ content }) => /Word\d/.exec(content)?.[0])).toEqual(['Word1', 'Word3'])
  const other = await service.organization()
  expect(await readAround(viewer(other.id), [hit])).toEqual([undefined])
})
