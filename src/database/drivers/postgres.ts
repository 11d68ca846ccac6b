import { Kysely, type LogEvent, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { StartupError } from '../../kernel/errors.ts'
import type { OpenDatabase } from '../database.ts'
import type { Schema } from '../schema.ts'
import { withPreparedStatements } from './postgres-prepared.ts'
import { messageOf } from '../../kernel/thrown-errors.ts'

export interface PostgresOptions {
  url: string
  connectionsMax?: number
  /** Removes the limits on how long a statement or transaction can take. */
  isPatient?: boolean
  /** Called with the errors of connections lost while no query ran on them. */
  onConnectionError?: (error: Error) => void
  /** Called when prepared statements do not work because a pooler does not keep sessions. */
  onSessionsNotKept?: () => void
  /** Called with every statement and its duration. */
  onStatement?: ((event: LogEvent) => void) | undefined
}

const STATEMENT_TIMEOUT_MS = 60_000
const IDLE_TRANSACTION_MS = 30_000
/** Catches a server that went silent, so it is a little longer than the server's own limit. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000
const CONNECT_TIMEOUT_MS = 5_000

/**
 * Settings that Citus needs to create tables; other servers ignore them. Tables that refer to each other change one
 * after the other. A new table stays out of Citus until it is distributed: once Citus has taken two tables that refer
 * to each other for the coordinator, it can distribute neither.
 */
const FOR_MIGRATIONS = [
  '-c citus.multi_shard_modify_mode=sequential',
  '-c citus.enable_local_reference_table_foreign_keys=off',
]

/** Opens a pool on a PostgreSQL 16+ server with pgvector 0.8+. @throws StartupError */
export async function openPostgres({
  url,
  connectionsMax = 10,
  isPatient = false,
  onConnectionError = () => {},
  onSessionsNotKept = () => {},
  onStatement,
}: PostgresOptions): Promise<OpenDatabase> {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'retrieval-memory-service',
    keepAlive: true,
    ...(isPatient ? {} : { query_timeout: ANSWER_TIMEOUT_MS }),
    options: [
      // Compiling takes longer than these queries.
      '-c jit=off',
      `-c statement_timeout=${isPatient ? 0 : STATEMENT_TIMEOUT_MS}`,
      `-c idle_in_transaction_session_timeout=${isPatient ? 0 : IDLE_TRANSACTION_MS}`,
      ...(isPatient ? FOR_MIGRATIONS : []),
    ].join(' '),
  })
  // The pool only listens on idle connections; one lost between two statements of a transaction would end the process.
  pool.on('connect', (client) => client.on('error', onConnectionError))
  // The client's own listener above already handles it.
  pool.on('error', () => {})
  try {
    await requireVersions(pool)
  } catch (error) {
    await pool.end()
    throw error
  }
  return {
    db: new Kysely<Schema>({
      dialect: new PostgresDialect({ pool: withPreparedStatements(pool, onSessionsNotKept) }),
      ...(onStatement ? { log: onStatement } : {}),
    }),
    driver: 'postgres',
    files: null,
    openPatient: () => openPostgres({ url, connectionsMax: 1, isPatient: true }),
    isAwaited: () => false,
    flush: () => Promise.resolve(),
    close: () => pool.end(),
  }
}

async function requireVersions(pool: Pool): Promise<void> {
  const { rows } = await pool
    .query<{ server: number; vector: string | null }>(
      `select current_setting('server_version_num')::int as server,
              (select default_version from pg_available_extensions where name = 'vector') as vector`,
    )
    .catch((error: unknown) => {
      const reason = messageOf(error)
      throw new StartupError(`DATABASE_URL: the server cannot be reached (${reason})`, { cause: error })
    })
  const found = rows[0]
  if (!found || found.server < 160_000)
    throw new StartupError('DATABASE_URL: PostgreSQL 16 or later is required')
  const [major = 0, minor = 0] = (found.vector ?? '').split('.').map(Number)
  if (found.vector === null || (major === 0 && minor < 8)) {
    throw new StartupError(
      `DATABASE_URL: pgvector 0.8 or later is required, but the server offers ${found.vector ?? 'none'}`,
    )
  }
}
