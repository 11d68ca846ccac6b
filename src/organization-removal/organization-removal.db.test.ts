import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashEmbeddingModel } from '../../test/support/hash-embedding-model.ts'
import { manyItems } from '../../test/support/items.ts'
import { insertOrganization } from '../../test/support/organizations.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import {
  countRowsOf,
  type FilledOrganization,
  insertRowOfEveryTable,
  OWNED_TABLES,
  rowsOfOrganization,
} from '../../test/support/row-of-every-table.ts'
import { createModelRegistry } from '../models/index.ts'
import type { EmbeddingModel } from '../inference/embedding-model.ts'
import { createItems } from '../items/index.ts'
import { AppError } from '../kernel/errors.ts'
import { createModelMove } from '../models/index.ts'
import { dropActiveRuns } from '../sync/index.ts'
import { createRemovals } from '../sources/index.ts'
import { ownedTables } from './delete-rows.ts'
import { createOrganizationRemovals, type OrganizationRemovals } from './index.ts'
import { claim } from './lease.ts'

const START = new Date('2026-05-01T00:00:00.000Z')
const GRACE_MS = 5 * 60_000

let database: TestDatabase
let now: Date
let logged: { fields: object; message: string }[]
/** Billing's answer for every organization. */
let owed: AppError | null
let acme: FilledOrganization
let other: FilledOrganization

const clock = { now: () => now }
const note = (fields: object, message: string) => void logged.push({ fields, message })

beforeEach(async () => {
  database = await createTestDatabase()
  now = START
  logged = []
  owed = null
  acme = await insertRowOfEveryTable(database.db)
  other = await insertRowOfEveryTable(database.db, 'Globex')
})
afterEach(() => database.close())

function removalsOn({ works = true, db = database.db } = {}): OrganizationRemovals {
  const sources = createRemovals({
    db,
    clock,
    endRuns: dropActiveRuns,
    onError(error): never {
      throw error
    },
  })
  return createOrganizationRemovals({
    db,
    clock,
    logger: { info: note, warn: note, error: note },
    works,
    billing: {
      async whileNothingIsOwed(_id, act) {
        if (owed) throw owed
        return await act()
      },
    },
    disconnect: async (tx, { organizationId, sourceId }) => {
      await sql`
        insert into grant_revocations (organization_id, id, provider, external_account_id, ciphertext, next_attempt_at)
        values (${organizationId}, ${sourceId}, 'notion', 'a', '\\x00', ${now})`.execute(tx)
    },
    mark: sources.mark,
    onRemoved: () => {},
  })
}

const remove = (id = acme.id, removals = removalsOn({ works: false })) => removals.remove(randomUUID(), id)
const pass = (ms: number) => void (now = new Date(now.getTime() + ms))
const grantsEnd = () =>
  database.db.deleteFrom('grant_revocations').where('organization_id', '=', acme.id).execute()

describe('the tables that removal deletes from', () => {
  it('are all tables with rows of organizations, referring tables first', async () => {
    const tables = await ownedTables(database.db)
    expect(tables.map(({ name }) => name)).toEqual(OWNED_TABLES.toReversed())
    const filled = await countRowsOf(database.db, acme.id)
    expect(Object.keys(filled).toSorted()).toEqual([...OWNED_TABLES, 'organizations'].toSorted())
  })
})

describe('a removed organization', () => {
  it('is inaccessible at once: its keys, members, invitations and sources', async () => {
    const rows = await rowsOfOrganization(database.db, other.id)
    expect(await remove()).toEqual({ id: acme.id, name: 'Acme', removedAt: START.toISOString() })
    const left = Object.keys(await countRowsOf(database.db, acme.id))
    for (const table of ['api_keys', 'memberships', 'invitations', 'oauth_states', 'payment_accounts'])
      expect(left).not.toContain(table)
    expect(left).toContain('source_items')
    const source = await database.db
      .selectFrom('sources')
      .select(['removed_at', 'status'])
      .where('organization_id', '=', acme.id)
      .executeTakeFirstOrThrow()
    expect(source).toEqual({ removed_at: START, status: 'disabled' })
    expect(logged).toMatchObject([
      { fields: { organizationId: acme.id, name: 'Acme' }, message: 'the operator removed an organization' },
    ])
    expect(await rowsOfOrganization(database.db, other.id)).toEqual(rows)
  })

  it('leaves no row in any table once deleted, and no other organization loses one [OPS-9]', async () => {
    const rows = await rowsOfOrganization(database.db, other.id)
    await remove()
    const removals = removalsOn()
    await removals.settle()
    // Its own row waits for earlier requests; its grants wait to be revoked.
    expect(await countRowsOf(database.db, acme.id)).toEqual({ organizations: 1, grant_revocations: 2 })
    await grantsEnd()
    pass(GRACE_MS)
    await removals.settle()
    expect(await countRowsOf(database.db, acme.id)).toEqual({})
    expect(await rowsOfOrganization(database.db, other.id)).toEqual(rows)
    expect(logged.at(-1)?.message).toMatch(/deleted all data of a removed organization/)
    await expect(remove()).rejects.toMatchObject({ code: 'not_found' })
  })

  /** A user who belongs to organizations, and has left others. */
  const user = async (organizationIds: string[], left: string[] = []) => {
    const { db } = database
    const id = randomUUID()
    const named = { issuer: 'i', subject: id, email: null, name: null, created_at: START }
    await db
      .insertInto('users')
      .values({ id, ...named })
      .execute()
    for (const organization_id of organizationIds)
      await db
        .insertInto('memberships')
        .values({ organization_id, user_id: id, role: 'member', created_at: START })
        .execute()
    for (const organization_id of left)
      await db.insertInto('former_members').values({ organization_id, user_id: id, left_at: START }).execute()
    return id
  }
  const usersLeft = async (): Promise<string[]> => {
    const left = await database.db.selectFrom('users').select('id').execute()
    return left.map(({ id }) => id).toSorted()
  }

  it('also deletes members whom no other organization has or names', async () => {
    const { db } = database
    const both = await user([acme.id, other.id])
    const invited = await user([acme.id])
    await db
      .updateTable('invitations')
      .set({ accepted_by_user_id: invited })
      .where('organization_id', '=', other.id)
      .execute()
    const none = await user([])
    await remove()
    expect(await usersLeft()).toEqual([other.userId, both, invited, none].toSorted())
  })

  it('also deletes former members once it was the last to name them [OPS-10]', async () => {
    const leftIt = await user([], [acme.id])
    const leftBoth = await user([], [acme.id, other.id])
    const elsewhere = await user([other.id], [acme.id])
    expect(await usersLeft()).toContain(leftIt)
    await remove()
    expect(await usersLeft()).toEqual([other.userId, leftBoth, elsewhere].toSorted())
    await remove(other.id)
    expect(await usersLeft()).toEqual([])
  })

  it('is removed once, however often the operator asks', async () => {
    const first = await remove()
    pass(1_000)
    owed = new AppError('removal_refused', 'not asked again')
    expect(await Promise.all([remove(), remove()])).toEqual([first, first])
    expect(logged).toHaveLength(1)
  })

  it('is marked once by concurrent requests', async () => {
    const answers = await Promise.all([remove(), remove(), remove()])
    expect(new Set(answers.map(({ removedAt }) => removedAt)).size).toBe(1)
    const grants = database.db.selectFrom('grant_revocations').select('id').where('id', '=', acme.sourceId)
    expect(await grants.execute()).toHaveLength(1)
  })

  it('stays unchanged while it owes a payment', async () => {
    const before = await rowsOfOrganization(database.db, acme.id)
    owed = new AppError('removal_refused', 'cancel first')
    await expect(remove()).rejects.toBe(owed)
    expect(await rowsOfOrganization(database.db, acme.id)).toEqual(before)
    expect(logged).toEqual([])
  })

  it('is no longer the local workspace: the next start creates a new one', async () => {
    await database.db.updateTable('organizations').set({ is_local: true }).where('id', '=', acme.id).execute()
    await remove()
    const local = database.db.selectFrom('organizations').select('id').where('is_local', '=', true)
    expect(await local.execute()).toEqual([])
  })
})

describe('work in progress for a removed organization', () => {
  it('ends without an error while its chunks move to another model [OPS-9]', async () => {
    const organization = await insertOrganization(database.db)
    const [former, next] = [hashEmbeddingModel({ id: 'former' }), hashEmbeddingModel({ id: 'next' })]
    const modelsOf = (configured: EmbeddingModel) =>
      createModelRegistry({ configured, builtin: async () => former })
    const items = createItems({ db: database.db, models: modelsOf(former), clock })
    await items.write(organization.id, manyItems(organization, 5))
    const moved = createModelMove({
      db: database.db,
      models: modelsOf({
        ...next,
        async embedDocuments(documents, signal) {
          await remove(organization.id)
          return await next.embedDocuments(documents, signal)
        },
      }),
      clock,
      logger: { info: () => {}, warn: note, error: note },
      works: false,
    })
    await database.db.deleteFrom('reembeddings').execute()
    await moved.start(organization.caller())
    await moved.resume()
    expect(next.calls.documents).toBeGreaterThan(0)
    expect(logged.map(({ message }) => message)).toEqual(['the operator removed an organization'])
    pass(GRACE_MS)
    await removalsOn().settle()
    expect(await countRowsOf(database.db, organization.id)).toEqual({
      organizations: 1,
      grant_revocations: 4,
    })
  })
})

/** Enough rows for several statements. */
async function addItems(count: number): Promise<void> {
  await sql`
    insert into source_items (organization_id, id, provider, external_id, source_id, source_kind, title, body, metadata,
      content_sha256, synced_at, created_at, updated_at)
    select ${acme.id}::uuid, gen_random_uuid(), 'notion', 'made-' || n, ${acme.sourceId}::uuid, 'document', 'Made', 'made', '{}',
      sha256('made'), now(), now(), now() from generate_series(1, ${count}::int) n`.execute(database.db)
}

describe('the deletion of a removed organization', () => {
  it('continues in another process after one died', async () => {
    await addItems(1_200)
    await remove()
    // The state that a dead process leaves: some rows deleted, and its lease.
    await sql`delete from chunks where organization_id = ${acme.id}`.execute(database.db)
    expect(await claim(database.db, acme.id, 60)).not.toBeNull()
    const next = removalsOn()
    pass(GRACE_MS)
    await grantsEnd()
    await next.settle()
    expect(await countRowsOf(database.db, acme.id)).toMatchObject({ source_items: 1_201, organizations: 1 })
    await database.db
      .updateTable('organizations')
      .set({ removal_lease_expires_at: new Date(Date.now() - 1_000) })
      .where('id', '=', acme.id)
      .execute()
    await next.settle()
    expect(await countRowsOf(database.db, acme.id)).toEqual({})
  })

  it('stops between two steps, releases its lease, and continues', async () => {
    await addItems(2_000)
    await remove()
    const first = removalsOn()
    const working = first.settle()
    await first.stop()
    await working
    const lease = database.db.selectFrom('organizations').select('removal_lease_id').where('id', '=', acme.id)
    expect(await lease.executeTakeFirst()).toEqual({ removal_lease_id: null })
    expect(await countRowsOf(database.db, acme.id)).toMatchObject({ organizations: 1 })
    await removalsOn().settle()
    expect(Object.keys(await countRowsOf(database.db, acme.id))).toEqual([
      'grant_revocations',
      'organizations',
    ])
  })

  it('also deletes what an earlier request stores in the meantime', async () => {
    await remove()
    const removals = removalsOn()
    await removals.settle()
    const late = { organization_id: acme.id, revision: 7, item_ids: null }
    await database.db.insertInto('item_changes').values(late).execute()
    await grantsEnd()
    pass(GRACE_MS)
    await removals.settle()
    expect(await countRowsOf(database.db, acme.id)).toEqual({})
  })

  it('keeps grants that could not be revoked for some days, and no longer', async () => {
    await remove()
    const removals = removalsOn()
    pass(3 * 24 * 3_600_000)
    await removals.settle()
    expect(await countRowsOf(database.db, acme.id)).toEqual({ organizations: 1, grant_revocations: 2 })
    pass(24 * 3_600_000)
    await removals.settle()
    expect(await countRowsOf(database.db, acme.id)).toEqual({})
  })

  it('reports how many answers over the cap were never billed', async () => {
    await database.db
      .updateTable('overage_reports')
      .set({ sent_at: null })
      .where('organization_id', '=', acme.id)
      .execute()
    await remove()
    await removalsOn().settle()
    expect(logged.find(({ message }) => message.includes('over the cap'))?.fields).toEqual({
      organizationId: acme.id,
      answers: 3,
    })
  })

  it('is left to a process that runs background work', async () => {
    const removals = removalsOn({ works: false })
    await remove(acme.id, removals)
    removals.start()
    await removals.stop()
    expect(await countRowsOf(database.db, acme.id)).toMatchObject({ source_items: 1 })
  })
})
