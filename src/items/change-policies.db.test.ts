import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { changePolicies } from './change-policies.ts'

const COUNT = 10
let bench: SyncBench
beforeEach(async () => {
  bench = await startSyncBench()
})
afterEach(() => bench.close())

it('changes the policies of large documents one at a time, because each text is hashed in one go', async () => {
  const { db } = bench
  const organizationId = bench.organization.id
  const sourceId = await bench.connect('google_drive')
  await sql`
    insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata,
      content_sha256, policy_id, synced_at, created_at, updated_at)
    select ${organizationId}::uuid, gen_random_uuid(), 'google_drive', 'doc-' || n, ${sourceId}::uuid, 'document', 'Title',
      repeat('word ', 200000), '{}', '\\x00', 0, '2026-01-01', '2026-01-01', '2026-01-01'
    from generate_series(0, ${COUNT - 1}::int) n`.execute(db)
  await sql`
    insert into synced_items (organization_id, source_id, external_id, source_item_id, has_policy)
    select organization_id, source_id, external_id, id, false from source_items
    where organization_id = ${organizationId} and source_id = ${sourceId}`.execute(db)
  const now = new Date(bench.now)
  let transactions = 0
  const within = async (): Promise<void> => {
    transactions += 1
  }
  const accessPolicy = { visibility: 'public' } as const
  const changed = await changePolicies(
    db,
    { organizationId, sourceId, provider: 'google_drive' },
    Array.from({ length: COUNT }, (_, n) => ({ externalId: `doc-${n}`, accessPolicy })),
    { since: now, now, within },
  )
  expect(changed).toBe(COUNT)
  expect(transactions).toBe(COUNT)
})
