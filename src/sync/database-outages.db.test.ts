import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { openPostgres } from '../database/drivers/postgres.ts'
import { isDatabaseOutage } from '../database/retry-conflicts.ts'
import { createFakeProvider } from '../../test/support/fake-provider.ts'
import { startSyncBench, type SyncBench } from '../../test/support/sync.ts'

let bench: SyncBench

beforeEach(async () => {
  bench = await startSyncBench()
})
afterEach(() => bench.close())

/** Terminates `count` busy connections. */
async function cutConnections(url: string, count: number, signal: AbortSignal): Promise<void> {
  const other = await openPostgres({ url, connectionsMax: 1 })
  try {
    for (let cut = 0; cut < count && !signal.aborted;) {
      await new Promise((resolve) => setTimeout(resolve, 60))
      const { rows } = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`.execute(other.db)
      cut += rows.length
    }
  } finally {
    await other.close()
  }
}

describe.runIf(process.env.TEST_DRIVER === 'postgres')('a run whose database connections are cut', () => {
  it('resumes from its last page and does not fail', async () => {
    const { url } = bench.database
    if (url === null) throw new Error('there is no server')
    const provider = createFakeProvider()
    for (let n = 0; n < 150; n++) provider.put(`doc-${n}`, `The body of ${n}.`)
    const sourceId = await bench.connect()
    const runId = await bench.queue(sourceId)
    const done = new AbortController()
    const cutting = cutConnections(url, 8, done.signal)
    const faults: unknown[] = []
    const ignoringOutages = async <Result>(act: Promise<Result>): Promise<Result | undefined> =>
      await act.catch((error: unknown) => {
        faults.push(error)
        return undefined
      })
    for (let worker = 0; worker < 100; worker++) {
      await ignoringOutages(bench.worker(provider.adapter).settle())
      await ignoringOutages(bench.expireLeases())
      const run = await ignoringOutages(bench.run(runId))
      if (run && run.status !== 'running' && run.status !== 'queued') break
    }
    done.abort()
    await cutting
    expect(await bench.run(runId)).toMatchObject({ status: 'succeeded', items_ingested: 150 })
    expect(Object.keys(await bench.stored(sourceId))).toHaveLength(150)
    expect([...faults, ...bench.errors].filter((error) => !isDatabaseOutage(error))).toEqual([])
  })

  it('recognizes a timed-out statement and transaction', async () => {
    const slow = bench.db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 20`.execute(tx)
      await sql`select pg_sleep(5)`.execute(tx)
    })
    expect(isDatabaseOutage(await slow.catch((error: unknown) => error))).toBe(true)
    const idle = bench.db.transaction().execute(async (tx) => {
      await sql`set local idle_in_transaction_session_timeout = 20`.execute(tx)
      await new Promise((resolve) => setTimeout(resolve, 200))
      await sql`select 1`.execute(tx)
    })
    expect(isDatabaseOutage(await idle.catch((error: unknown) => error))).toBe(true)
  })
})

it('a run with a broken socket is left to the next worker', async () => {
  const provider = createFakeProvider()
  provider.put('doc', 'Words.')
  const runId = await bench.queue(await bench.connect())
  const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const dead = { write: () => Promise.reject(broken) }
  await bench.worker(provider.adapter, { items: dead }).settle()
  expect(bench.errors).toEqual([broken])
  expect((await bench.run(runId)).status).toBe('running')
  await bench.expireLeases()
  await bench.worker(provider.adapter).settle()
  expect((await bench.run(runId)).status).toBe('succeeded')
})
