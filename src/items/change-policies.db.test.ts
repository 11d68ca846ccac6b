import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'
import { changePolicies } from './change-policies.ts'

const COUNT = 100
let bench: SyncBench
beforeEach(async () => {
  bench = await startSyncBench()
})
afterEach(() => bench.close())

it('changes the policies of many large documents without keeping the event loop busy', async () => {
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
  // The longest work of this thread without a pause, in CPU time, which other load does not change.
  let longest = 0
  let before = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1000)
    before = process.threadCpuUsage()
  }, 1)
  const accessPolicy = { visibility: 'public' } as const
  const changed = await changePolicies(
    db,
    { organizationId, sourceId, provider: 'google_drive' },
    Array.from({ length: COUNT }, (_, n) => ({ externalId: `doc-${n}`, accessPolicy })),
    { since: now, now, within: async () => {} },
  )
  clearInterval(timer)
  expect(changed).toBe(COUNT)
  expect(longest).toBeLessThan(100)
})
