import { setTimeout as sleep } from 'node:timers/promises'
import type { PGlite, Results, Transaction as PGliteTransaction } from '@electric-sql/pglite'
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import pLimit, { type LimitFunction } from 'p-limit'
import { preparedName } from '../prepared.ts'
import { EmbeddedPrepared } from './embedded-prepared.ts'

export interface EmbeddedDialectOptions {
  /** How long a transaction may go without a statement before it is rolled back, in milliseconds. */
  idleTransactionMs: number
}

/**
 * Kysely on PGlite. Its own PGlite dialect waits for ever behind a transaction that never ends; here such a one is
 * rolled back, as a server does by `idle_in_transaction_session_timeout`. PGlite has one session, and gives it to one
 * statement or transaction at a time.
 */
export function embeddedDialect(pglite: PGlite, options: EmbeddedDialectOptions): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new EmbeddedDriver(pglite, options),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

interface OpenTransaction {
  session: PGliteTransaction
  /** Settles when PGlite has committed or rolled back. */
  ended: Promise<void>
  commit: () => void
  rollback: (reason: Error) => void
  idleTimer: NodeJS.Timeout
  /** Set when the idle limit ended it. */
  expiry: Error | undefined
  /** Set when a statement failed: without a savepoint the database then refuses to commit. */
  hasFailed: boolean
}

/** PGlite answers on this very thread and at once, so that a row of statements would keep everything else waiting. */
const TURN_MS = 10
let lastTurnAt = 0

/** Lets everything else have its turn, when a while of statements is over. */
async function giveTurns(): Promise<void> {
  if (performance.now() - lastTurnAt < TURN_MS) return
  await sleep(0)
  lastTurnAt = performance.now()
}

class EmbeddedConnection implements DatabaseConnection {
  transaction: OpenTransaction | undefined
  readonly #pglite: PGlite
  readonly #prepared: EmbeddedPrepared
  readonly #inLine: LimitFunction

  constructor(pglite: PGlite, prepared: EmbeddedPrepared, inLine: LimitFunction) {
    this.#pglite = pglite
    this.#prepared = prepared
    this.#inLine = inLine
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // What waits in PGlite's own line follows at once, without a turn for anything else.
    return this.transaction ? await this.#run(query) : await this.#inLine(() => this.#run<R>(query))
  }

  async #run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { transaction } = this
    await giveTurns()
    if (transaction?.expiry) throw transaction.expiry
    try {
      const { rows, affectedRows } = await this.#answer<R>(query)
      return affectedRows === undefined ? { rows } : { rows, numAffectedRows: BigInt(affectedRows) }
    } catch (error) {
      if (transaction) transaction.hasFailed = true
      throw transaction?.expiry ?? error
    } finally {
      transaction?.idleTimer.refresh()
    }
  }

  async #answer<R>({ sql, parameters }: CompiledQuery): Promise<Results<R>> {
    const session = this.transaction?.session
    const name = preparedName(sql)
    if (name === undefined) return await (session ?? this.#pglite).query<R>(sql, [...parameters])
    const run = (): Promise<Results<R>> => this.#prepared.run<R>(name, sql, parameters)
    // As PGlite's own queries do where they belong to no transaction: another one may be open.
    return session ? await run() : await this.#pglite._runExclusiveTransaction(run)
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('The embedded database does not stream')
  }
}

class EmbeddedDriver implements Driver {
  readonly #pglite: PGlite
  readonly #inLine = pLimit(1)
  readonly #idleTransactionMs: number
  #prepared: EmbeddedPrepared | undefined

  constructor(pglite: PGlite, { idleTransactionMs }: EmbeddedDialectOptions) {
    this.#pglite = pglite
    this.#idleTransactionMs = idleTransactionMs
  }

  /** The module is loaded by now, since there is a PGlite. */
  async init(): Promise<void> {
    this.#prepared = new EmbeddedPrepared(this.#pglite, await import('@electric-sql/pglite'))
  }

  /** Costs nothing: whoever runs a statement waits for the one session then. */
  async acquireConnection(): Promise<EmbeddedConnection> {
    if (!this.#prepared) throw new Error('the driver has not been started')
    return new EmbeddedConnection(this.#pglite, this.#prepared, this.#inLine)
  }

  async releaseConnection(connection: EmbeddedConnection): Promise<void> {
    await this.rollbackTransaction(connection)
  }

  async beginTransaction(connection: EmbeddedConnection, settings: TransactionSettings): Promise<void> {
    const ending = Promise.withResolvers<void>()
    const { session, ended } = await this.#inLine(() => this.#begin(ending.promise))
    const transaction: OpenTransaction = {
      session,
      ended,
      commit: ending.resolve,
      rollback: ending.reject,
      idleTimer: setTimeout(
        () => expire(transaction, this.#idleTransactionMs),
        this.#idleTransactionMs,
      ).unref(),
      expiry: undefined,
      hasFailed: false,
    }
    connection.transaction = transaction
    const modes = [
      settings.isolationLevel && `isolation level ${settings.isolationLevel}`,
      settings.accessMode,
    ].filter((mode) => mode !== undefined)
    if (modes.length > 0) await transaction.session.query(`set transaction ${modes.join(' ')}`)
  }

  /** A transaction that ends when `ending` settles. */
  async #begin(ending: Promise<void>): Promise<Pick<OpenTransaction, 'session' | 'ended'>> {
    await giveTurns()
    const begun = Promise.withResolvers<PGliteTransaction>()
    const ended = this.#pglite.transaction(async (session) => {
      begun.resolve(session)
      await ending
    })
    ended.catch(begun.reject)
    return { session: await begun.promise, ended }
  }

  async commitTransaction(connection: EmbeddedConnection): Promise<void> {
    const { transaction } = connection
    if (!transaction) throw new Error('No transaction is open')
    // A commit after a failed statement rolls back and says nothing; any statement before it says so.
    if (transaction.hasFailed && !transaction.expiry) await transaction.session.query('select')
    clearTimeout(transaction.idleTimer)
    transaction.commit()
    await transaction.ended
    connection.transaction = undefined
  }

  async rollbackTransaction(connection: EmbeddedConnection): Promise<void> {
    const { transaction } = connection
    if (!transaction) return
    connection.transaction = undefined
    clearTimeout(transaction.idleTimer)
    const reason = new Error('rolled back')
    transaction.rollback(reason)
    await transaction.ended.catch((error: unknown) => {
      if (error !== reason && error !== transaction.expiry) throw error
    })
  }

  async savepoint(connection: EmbeddedConnection, name: string): Promise<void> {
    await connection.transaction?.session.query(`savepoint ${quoted(name)}`)
  }

  async rollbackToSavepoint(connection: EmbeddedConnection, name: string): Promise<void> {
    await connection.transaction?.session.query(`rollback to savepoint ${quoted(name)}`)
  }

  async releaseSavepoint(connection: EmbeddedConnection, name: string): Promise<void> {
    await connection.transaction?.session.query(`release savepoint ${quoted(name)}`)
  }

  /** PGlite is closed by who opened it. */
  async destroy(): Promise<void> {}
}

function expire(transaction: OpenTransaction, limitMs: number): void {
  transaction.expiry = new Error(
    `The transaction was rolled back: it ran no statement for ${limitMs / 1000} s. ` +
      'It may have waited for a query that was not made on the transaction itself.',
  )
  transaction.rollback(transaction.expiry)
}

function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
