import { isConflict, isDatabaseOutage } from '../database/retry-conflicts.ts'
import type { AppError } from '../kernel/errors.ts'
import { codeOf } from '../kernel/thrown-errors.ts'
import { unavailable } from '../kernel/unavailable.ts'

const RETRY_AFTER_SECONDS = 5

/** SQLSTATE classes 53 and 55P, timeouts, and late connections: the database is up but overloaded. */
const OVERLOAD_CODE = /^(53[0-9A-Z]{3}|55P03|57014|25P03)$/
const OVERLOAD_MESSAGE =
  /^timeout exceeded when|^Query read timeout|^Connection terminated due to connection timeout/

/** The 503 for an error of a database that is away, overloaded, or chose another transaction; null for others. */
export function outageOf(error: unknown): AppError | null {
  if (isConflict(error)) return overloaded(error)
  if (!isDatabaseOutage(error)) return null
  if (OVERLOAD_CODE.test(codeOf(error)) || OVERLOAD_MESSAGE.test(error.message)) return overloaded(error)
  return unavailable('not_ready', 'The database cannot be reached', RETRY_AFTER_SECONDS, error)
}

function overloaded(error: unknown): AppError {
  return unavailable('overloaded', 'The database is overloaded', RETRY_AFTER_SECONDS, error)
}
