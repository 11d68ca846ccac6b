import { sql } from 'kysely'
import { z } from 'zod'
import { LeaseLost, renewLease, within } from '../background/index.ts'
import type { Db, OpenDatabase } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { findIndex } from './catalog.ts'
import { createIndex, dropIndex, indexName } from './index-ddl.ts'
import { claim, finish, giveUp, type Held } from './store.ts'
import type { Logger } from '../kernel/logger.ts'
import { messageOf } from '../kernel/thrown-errors.ts'

/** How long a lease lasts, and how often it is renewed. */
export interface LeaseTimes {
  leaseSeconds: number
  renewMs: number
}

export interface BuildOptions {
  db: Db
  openPatient: NonNullable<OpenDatabase['openPatient']>
  clock: Clock
  logger: Pick<Logger, 'info' | 'error'>
  times: LeaseTimes
  /** Aborting it cancels the work. */
  signal: AbortSignal
}

/** Delay after a failure: an attempt may cost the server minutes of work. */
const RETRY_SECONDS = 600
/** Delay before checking an index that another process is building. */
const LOOK_AGAIN_SECONDS = 15
/** Larger graphs exceed it and build several times slower. */
const MEMORY_MB = 512

/** Builds an organization's index if it is wanted and not being built. Failures are logged, stored and retried. */
export function createBuild(options: BuildOptions): (organizationId: string) => Promise<void> {
  const { db, clock, logger, times, signal } = options
  return async (organizationId) => {
    const held = await claim(db, organizationId, times.leaseSeconds)
    if (held === null) return
    const log = { organizationId, index: indexName(held) }
    try {
      const found = await findIndex(db, log.index)
      if (found !== undefined && found.vectorsDone !== null) {
        await giveUp(db, held, { waitSeconds: LOOK_AGAIN_SECONDS, failure: null })
        return
      }
      if (found?.isValid !== true) {
        logger.info(log, 'an approximate index is being built')
        await build(options, held)
      }
      if (await finish(db, held, clock.now())) logger.info(log, 'an approximate index is ready')
    } catch (err) {
      if (err instanceof LeaseLost && !signal.aborted) return
      const failure = signal.aborted ? null : messageOf(err)
      if (failure !== null)
        logger.error({ ...log, err }, 'an approximate index could not be built; will retry')
      const waitSeconds = failure === null ? 0 : RETRY_SECONDS
      await giveUp(db, held, { waitSeconds, failure }).catch((error: unknown) =>
        logger.error({ ...log, err: error }, 'the lease of an approximate index could not be released'),
      )
    }
  }
}

const Session = z.tuple([z.object({ pid: z.number() })])

/** Uses its own session without time limits. */
async function build({ db, openPatient, times, signal }: BuildOptions, held: Held): Promise<void> {
  const patient = await openPatient()
  try {
    await patient.db.connection().execute(async (session) => {
      const { rows } = await sql`select pg_backend_pid() as pid`.execute(session)
      const [{ pid }] = Session.parse(rows)
      const work = make(session, held)
      await whileHeld(work, {
        renew: () => renewLease(db, held.lease, { seconds: times.leaseSeconds }),
        cancel: async () => void (await sql`select pg_cancel_backend(${pid}::int)`.execute(db)),
        renewMs: times.renewMs,
        signal,
      })
    })
  } finally {
    await patient.close()
  }
}

async function make(session: Db, held: Held): Promise<void> {
  const { organizationId, modelId, dimensions } = held
  // No parallel workers: pgvector before 0.8.2 builds faulty graphs in parallel
  // (https://github.com/pgvector/pgvector/blob/master/CHANGELOG.md). The server cancels the build if this process
  // ends.
  await sql`
    select set_config('max_parallel_maintenance_workers', '0', false), set_config('client_connection_check_interval', '5s', false),
      set_config('maintenance_work_mem', greatest(${MEMORY_MB} * 1024, (
        select setting::int from pg_settings where name = 'maintenance_work_mem'))::text || 'kB', false)`.execute(
    session,
  )
  await dropIndex(indexName(held)).execute(session)
  await createIndex({ organizationId, modelId }, { dimensions, isConcurrent: true }).execute(session)
}

/** Waits for the work; cancels it if the lease is lost or the process stops. @throws LeaseLost */
async function whileHeld(
  work: Promise<void>,
  lease: { renew: () => Promise<void>; cancel: () => Promise<void>; renewMs: number; signal: AbortSignal },
): Promise<void> {
  let end: Error | undefined
  try {
    while (!(await within(lease.renewMs, work))) {
      end ??= lease.signal.aborted ? new Error('the process stops') : await lossOf(lease.renew)
      // Cancels again, in case the first came between two statements.
      if (end) await lease.cancel()
    }
  } catch (error) {
    throw end ?? error
  }
}

async function lossOf(renew: () => Promise<void>): Promise<LeaseLost | undefined> {
  try {
    await renew()
    return undefined
  } catch (error) {
    if (error instanceof LeaseLost) return error
    throw error
  }
}
