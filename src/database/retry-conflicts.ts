import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Tx } from './database.ts'
import { codeOf, messageOf } from '../kernel/thrown-errors.ts'

const ATTEMPTS_MAX = 6
const WAIT_MS = 10

/** serialization_failure and deadlock_detected (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const CONFLICTS = new Set(['40001', '40P01'])

/** Whether a row was refused because a row that it refers to does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  const code = codeOf(error)
  // Citus copies rows to its workers, and passes on the message of an error there, but not its code.
  return (
    code === '23503' || (code === 'XX000' && messageOf(error).includes('violates foreign key constraint'))
  )
}

/** SQLSTATE classes 08, 53 and 57P, timeouts, a server that became a standby, and broken sockets. */
const OUTAGE_CODE =
  /^((08|53|57P)[0-9A-Z]+|55P03|57014|25P03|25006|ECONN\w+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** The messages of the pool, the driver and Kysely, whose rollback fails on the lost connection. */
const OUTAGE_MESSAGE =
  /^Connection terminated|^timeout exceeded when|^Query read timeout|is not queryable$|^The embedded database (is closed|has ended)|^Cannot use a pool after calling end/

/** Whether the database was unreachable, shut down, out of resources or too slow, so that a retry can succeed. */
export function isDatabaseOutage(error: unknown): error is Error {
  return error instanceof Error && (OUTAGE_CODE.test(codeOf(error)) || OUTAGE_MESSAGE.test(error.message))
}

/** Whether the database raised the error, by a SQLSTATE, or could not be reached. */
export function isDatabaseError(error: unknown): boolean {
  return isDatabaseOutage(error) || /^[0-9A-Z]{5}$/.test(codeOf(error))
}

/** Whether the database aborted the transaction because of another one. A retry can succeed. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(codeOf(error))
}

/** Runs a whole transaction, and retries it after a conflict up to 6 times with growing pauses. */
export async function retryConflicts<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isConflict(error)) throw error
      await sleep(WAIT_MS * attempt)
    }
  }
}

/** Runs `act` in a transaction, again after a conflict: `act` must change nothing outside the database. */
export async function transact<T>(db: Db, act: (tx: Tx) => Promise<T>): Promise<T> {
  return await retryConflicts(() => db.transaction().execute(act))
}
