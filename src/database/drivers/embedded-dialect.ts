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
import { preparedName } from '../prepared.ts'
import type { EmbeddedThread, EmbeddedTransaction } from './embedded-thread.ts'

export interface EmbeddedDialectOptions {
  /** How long a transaction can go without a statement before it is rolled back, in milliseconds. */
  idleTransactionMs: number
}

export function embeddedDialect(thread: EmbeddedThread, options: EmbeddedDialectOptions): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new EmbeddedDriver(thread, options),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

class EmbeddedConnection implements DatabaseConnection {
  transaction: EmbeddedTransaction | undefined
  readonly #thread: EmbeddedThread

  constructor(thread: EmbeddedThread) {
    this.#thread = thread
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const session = this.transaction ?? this.#thread
    const { rows, affectedRows } = await session.query<R>(sql, parameters, preparedName(sql))
    return { rows, numAffectedRows: BigInt(affectedRows) }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('The embedded database does not stream')
  }
}

class EmbeddedDriver implements Driver {
  readonly #thread: EmbeddedThread
  readonly #idleTransactionMs: number

  constructor(thread: EmbeddedThread, { idleTransactionMs }: EmbeddedDialectOptions) {
    this.#thread = thread
    this.#idleTransactionMs = idleTransactionMs
  }

  async init(): Promise<void> {}

  /** Costs nothing: a caller waits for the one session when it runs a statement. */
  async acquireConnection(): Promise<EmbeddedConnection> {
    return new EmbeddedConnection(this.#thread)
  }

  async releaseConnection(connection: EmbeddedConnection): Promise<void> {
    await this.rollbackTransaction(connection)
  }

  /** Does not wait for the session: the transaction's first statement does. */
  async beginTransaction(
    connection: EmbeddedConnection,
    { isolationLevel, accessMode }: TransactionSettings,
  ): Promise<void> {
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode]
    connection.transaction = this.#thread.begin({
      modes: modes.filter((mode) => mode !== undefined).join(', '),
      idleMs: this.#idleTransactionMs,
    })
  }

  async commitTransaction(connection: EmbeddedConnection): Promise<void> {
    if (!connection.transaction) throw new Error('No transaction is open')
    await connection.transaction.commit()
    connection.transaction = undefined
  }

  async rollbackTransaction(connection: EmbeddedConnection): Promise<void> {
    const { transaction } = connection
    connection.transaction = undefined
    await transaction?.rollback()
  }

  async savepoint(connection: EmbeddedConnection, name: string): Promise<void> {
    await connection.transaction?.query(`savepoint ${quoted(name)}`)
  }

  async rollbackToSavepoint(connection: EmbeddedConnection, name: string): Promise<void> {
    await connection.transaction?.query(`rollback to savepoint ${quoted(name)}`)
  }

  async releaseSavepoint(connection: EmbeddedConnection, name: string): Promise<void> {
    await connection.transaction?.query(`release savepoint ${quoted(name)}`)
  }

  /** The code that started the thread ends it. */
  async destroy(): Promise<void> {}
}

function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
