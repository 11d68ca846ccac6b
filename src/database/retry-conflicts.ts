import { setTimeout as sleep } from 'node:timers/promises'

const ATTEMPTS_MAX = 6
const WAIT_MS = 10

/** serialization_failure and deadlock_detected (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const CONFLICTS = new Set(['40001', '40P01'])

/** Whether a row was refused because a row that it refers to does not exist. */
export function isForeignKeyViolation(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  // Citus copies rows to its workers, and passes on the message of an error there, but not its code.
  return (
    error.code === '23503' ||
    (error.code === 'XX000' && error.message.includes('violates foreign key constraint'))
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
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return OUTAGE_CODE.test(code) || OUTAGE_MESSAGE.test(error.message)
}

/** Whether the database raised the error, by a SQLSTATE, or could not be reached. */
export function isDatabaseError(error: unknown): boolean {
  if (isDatabaseOutage(error)) return true
  return error instanceof Error && 'code' in error && /^[0-9A-Z]{5}$/.test(String(error.code))
}

/** Whether the database aborted the transaction because of another one. A retry can succeed. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CONFLICTS.has(String(error.code))
}

/** Runs a whole transaction, and retries it after a conflict up to 6 times with growing pauses. */
export async function retryConflicts<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isConflict(error)) throw error
      await sleep(WAIT_MS * attempt)
    }
  }
}
