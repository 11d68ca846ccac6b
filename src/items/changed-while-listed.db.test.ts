import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentOf, push } from '../../test/support/documents.ts'
import { startTestService, type TestService } from '../../test/support/service.ts'
import { Readable, type Viewer } from '../kernel/viewer.ts'
import { browseItems } from './filter-items.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(async () => await service.close())

it('repeats no item when one changes while a page is searched', async () => {
  const organization = await service.organization()
  const { db } = service.database
  for (const externalId of ['a', 'b', 'c', 'd', 'e', 'f'])
    await push(service, organization, documentOf(organization, { externalId, body: 'Unused vacation' }))
  const viewer: Viewer = {
    kind: 'agent',
    organizationId: organization.id,
    apiKeyId: organization.adminKeyId,
    actorType: 'agent',
    allowedActions: ['search'],
    allowedProviders: null,
    requiresUser: false,
    readable: Readable.everything,
  }
  let batches = 0
  const changing: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const [first] = result.rows
      // The second batch is [d, c].
      if (first !== undefined && 'bytes' in first && ++batches === 2)
        await db
          .updateTable('source_items')
          .set({ updated_at: new Date(Date.now() + 60_000) })
          .where('organization_id', '=', organization.id)
          .where('external_id', '=', 'c')
          .execute()
      return result
    },
  }
  const bounds = { itemsAtOnce: 2, bytesAtOnce: 1_000_000, rounds: 4 }
  const query = { q: 'vacation', limit: 3 } as const
  const first = await browseItems(db.withPlugin(changing), viewer, query, bounds)
  const second = await browseItems(db, viewer, { ...query, cursor: first.nextCursor ?? '' }, bounds)
  const names = [...first.items, ...second.items].map(({ externalId }) => externalId)
  expect(names).toEqual([...new Set(names)])
  expect(names.toSorted()).toEqual(expect.arrayContaining(['a', 'b', 'd', 'e', 'f']))
})
