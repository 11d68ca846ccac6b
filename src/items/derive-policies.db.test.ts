import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentOf, push } from '../../test/support/documents.ts'
import { startTestService, type TestOrganization, type TestService } from '../../test/support/service.ts'
import { createPolicyDeriver } from './index.ts'

const ADA = 'ada@corp.com'
let service: TestService
let organization: TestOrganization

beforeAll(async () => {
  // Its own deriver does not run.
  service = await startTestService({ environment: { ROLE: 'api' } })
  organization = await service.organization()
  const metadata = { accessPolicy: { visibility: 'restricted', users: [ADA] } }
  await push(service, organization, documentOf(organization, { title: 'hers', metadata }))
})
afterAll(() => service.close())

async function titles(): Promise<string[]> {
  const body = { query: 'paid time off', onBehalfOf: { email: ADA } }
  const answer = await service.call('POST', '/v1/search', { key: organization.adminKey, body })
  return answer.body.hits.map(({ title }: { title: string }) => title)
}

it('hides an item without a policy until it is derived from its metadata', async () => {
  const { db } = service.database
  expect(await titles()).toEqual(['hers'])
  await db
    .updateTable('source_items')
    .set({ policy_id: null })
    .where('organization_id', '=', organization.id)
    .execute()
  // Searches notice rows changed by hand only at the next revision.
  await db
    .updateTable('item_revisions')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('organization_id', '=', organization.id)
    .execute()
  expect(await titles()).toEqual([])
  const failures: unknown[] = []
  const logger = {
    debug() {},
    info() {},
    warn() {},
    error: (fields: object) => void failures.push(fields),
  }
  await createPolicyDeriver({ db, logger }).derive()
  expect(failures).toEqual([])
  expect(await titles()).toEqual(['hers'])
})
