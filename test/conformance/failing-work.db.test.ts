import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/kernel/clock.ts'
import { createItems } from '../../src/items/index.ts'
import { createModelMove, createModelRegistry } from '../../src/models/index.ts'
import { createRemovals, createSources } from '../../src/sources/index.ts'
import { dropActiveRuns } from '../../src/sync/index.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  anyOffset,
  type FailingDatabase,
  failingDatabase,
  type Fault,
  faultsAt,
} from '../support/failing-database.ts'
import { createFakeProvider } from '../support/fake-provider.ts'
import { hashEmbeddingModel } from '../support/hash-embedding-model.ts'
import { manyItems } from '../support/items.ts'
import { insertOrganization, insertSource, type TestOrganization } from '../support/organizations.ts'
import { seededRandom } from '../support/random.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { startSyncBench } from '../support/sync.ts'

/*
 * Each statement of background work fails once. The work then goes on as leases and retries allow, and must end with the same rows as
 * without a fault: nothing missing, nothing twice.
 */

interface Work {
  organizationId: string
  /** Starts or continues the work. */
  act(): Promise<unknown>
  /** How long the failed worker's lease lasts. */
  letTimePass(): Promise<unknown>
  isDone(): Promise<boolean>
  /** Beside the number of rows. */
  outcome?(): Promise<unknown>
}

let database: TestDatabase
let failing: FailingDatabase
let service: TestService
const SIGNING_SECRET = 'signing-secret'

beforeAll(async () => {
  database = await createTestDatabase()
  failing = failingDatabase(database)
  service = await startTestService({
    database: failing.database,
    environment: {
      ROLE: 'api',
      SLACK_CLIENT_ID: 'client',
      SLACK_CLIENT_SECRET: 'secret',
      SLACK_SIGNING_SECRET: SIGNING_SECRET,
    },
  })
})
afterAll(async () => {
  await service.close()
  await database.close()
})

const oldModel = hashEmbeddingModel()
const newModel = hashEmbeddingModel({ id: 'hash-2', dimensions: 96 })
const registry = (configured: typeof oldModel) =>
  createModelRegistry({ configured, builtin: async () => oldModel })
const silent = { info: () => {}, warn: () => {}, error: () => {} }

async function syncRun(): Promise<Work> {
  const bench = await startSyncBench(failing.database)
  const provider = createFakeProvider('notion', { pageSize: 2 })
  const worker = bench.worker(provider.adapter)
  const source = await bench.connect()
  for (const id of ['a', 'b', 'c']) provider.put(id, `Page ${id}.`)
  await bench.queue(source)
  await worker.settle()
  bench.now += 60_000
  provider.put('b', 'Page b was changed.')
  provider.put('d', 'Page d is new.')
  provider.remove('a')
  await bench.queue(source)
  return {
    organizationId: bench.organization.id,
    act: () => worker.settle(),
    async letTimePass() {
      bench.now += 3_600_000
      await bench.expireLeases()
    },
    isDone: async () => (await bench.newestRun(source)).status === 'succeeded',
    outcome: async () => {
      // A run that fails is followed by another. Items that are read again are discovered again.
      const runs = await database.db
        .selectFrom('sync_runs')
        .select(['items_ingested', 'items_deleted', 'items_failed'])
        .where('source_id', '=', source)
        .execute()
      const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)
      return [
        await bench.stored(source),
        sum(runs.map((run) => run.items_ingested)),
        sum(runs.map((run) => run.items_deleted)),
        sum(runs.map((run) => run.items_failed)),
      ]
    },
  }
}

async function withItems(): Promise<TestOrganization> {
  const organization = await insertOrganization(database.db)
  const items = createItems({ db: database.db, models: registry(oldModel), clock: systemClock })
  await items.write(organization.id, manyItems(organization, 5))
  return organization
}

async function sourceRemoval(): Promise<Work> {
  const { db } = failing.database
  const organization = await withItems()
  const deps = { db, clock: systemClock, endRuns: dropActiveRuns, onError: () => {} }
  const sourceId = organization.sourceIds.notion
  const stopped = createRemovals(deps)
  await stopped.stop()
  await createSources({
    db,
    clock: systemClock,
    channels: { list: async () => [] },
    disconnect: { prepare: async () => {}, run: async () => {} },
    removals: stopped,
  }).remove(organization.caller(), sourceId)
  return {
    organizationId: organization.id,
    act: () => createRemovals(deps).finish({ organizationId: organization.id, sourceId }),
    letTimePass: async () => {},
    isDone: async () =>
      (await database.db.selectFrom('sources').select('id').where('id', '=', sourceId).execute()).length ===
      0,
  }
}

async function modelMove(): Promise<Work> {
  const organization = await withItems()
  const move = createModelMove({
    db: failing.database.db,
    models: registry(newModel),
    clock: systemClock,
    logger: silent,
    works: true,
  })
  // The move's own first step is a request: those are tried elsewhere.
  await createModelMove({
    db: database.db,
    models: registry(newModel),
    clock: systemClock,
    logger: silent,
    works: false,
  }).start(organization.caller())
  return {
    organizationId: organization.id,
    act: () => move.resume(),
    letTimePass: () =>
      sql`update reembeddings set lease_expires_at = statement_timestamp() - interval '1 hour'
        where lease_expires_at is not null`.execute(database.db),
    isDone: async () => (await move.status(organization.id)).status === 'succeeded',
    outcome: async () => {
      const { chunksDone, chunksTotal, answeringModel } = await move.status(organization.id)
      return [chunksDone, chunksTotal, answeringModel]
    },
  }
}

let teams = 0
async function slackEvent(): Promise<Work> {
  const organization = await insertOrganization(database.db)
  const team = `T${(teams += 1)}`
  await insertSource(database.db, organization.id, {
    provider: 'slack',
    push_only: false,
    external_account_id: team,
  })
  const raw = JSON.stringify({
    type: 'event_callback',
    team_id: team,
    event_id: 'Ev1',
    event: { type: 'message', channel: 'C1', user: 'U1', ts: '1760000000.000100', text: 'hi' },
  })
  let status = 0
  return {
    organizationId: organization.id,
    async act() {
      const at = String(Math.floor(Date.now() / 1000))
      const hex = createHmac('sha256', SIGNING_SECRET).update(`v0:${at}:${raw}`).digest('hex')
      const headers = { 'X-Slack-Request-Timestamp': at, 'X-Slack-Signature': `v0=${hex}` }
      ;({ status } = await service.call('POST', '/v1/webhooks/slack', { raw, headers }))
    },
    // Slack sends an event again that was not answered with 200.
    letTimePass: async () => {},
    isDone: async () => status === 200,
  }
}

/** How many rows each table has of an organization. */
async function rowsOf(organizationId: string): Promise<Record<string, number>> {
  tables ??= await tablesOfOrganizations()
  const counts = tables.map(
    (name) =>
      sql`select ${name}::text as name, count(*)::int as rows from ${sql.table(name)} where organization_id = ${organizationId}`,
  )
  const { rows } = await sql<{ name: string; rows: number }>`${sql.join(counts, sql` union all `)}`.execute(
    database.db,
  )
  return Object.fromEntries(rows.filter((row) => row.rows > 0).map((row) => [row.name, row.rows]))
}
let tables: string[] | undefined

async function tablesOfOrganizations(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name = 'organization_id'
      and c.table_name not in ('item_changes', 'sync_runs')`.execute(database.db)
  return rows.map(({ name }) => name)
}

const TRIES_MAX = 5

/** Does the work with one fault, and then again until it is done. */
async function attempt(
  prepare: () => Promise<Work>,
  { at, fault }: { at: number; fault: Fault },
): Promise<{ statements: number; failed: string | null; outcome: unknown }> {
  const work = await prepare()
  const ran = await failing.during(at, fault, async () => {
    await work.act().catch((error: unknown) => {
      if (at === 0) throw error
    })
  })
  for (let tries = 1; !(await work.isDone()) && tries < TRIES_MAX; tries++) {
    await work.letTimePass()
    await work.act()
  }
  const outcome = [await work.isDone(), await rowsOf(work.organizationId), await work.outcome?.()]
  return { ...ran, outcome }
}

const offset = anyOffset(seededRandom('failing work'))

describe('work whose statement fails is done in the end, once', () => {
  it.each([
    ['a sync run', syncRun],
    ['the removal of a source', sourceRemoval],
    ['a move to another model', modelMove],
    ['an event of Slack', slackEvent],
  ] as const)(
    '%s',
    async (_name, prepare) => {
      const whole = await attempt(prepare, { at: 0, fault: 'refused' })
      expect(whole.statements).toBeGreaterThan(0)
      const wrong: object[] = []
      for (let at = 1; at <= whole.statements; at++)
        for (const fault of faultsAt(at, offset)) {
          const { failed, outcome } = await attempt(prepare, { at, fault })
          if (!isDeepStrictEqual(outcome, whole.outcome)) wrong.push({ at, fault, failed, outcome })
        }
      expect(wrong, JSON.stringify(whole.outcome)).toEqual([])
    },
    300_000,
  )
})
