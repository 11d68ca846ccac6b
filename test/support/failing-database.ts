import {
  type CompiledQuery,
  type ControlledTransaction,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { Schema } from '../../src/database/schema.ts'
import type { Db } from '../../src/database/database.ts'
import type { TestDatabase } from './database.ts'

/**
 * How a statement fails: the connection breaks before it runs (`refused`) or after it ran (`lost reply`), or another
 * transaction wins (`conflict`).
 */
export type Fault = 'refused' | 'conflict' | 'lost reply'
const FAULTS: readonly Fault[] = ['refused', 'conflict', 'lost reply']

/** One of the faults in turn, beginning with any; all of them if `EVERY_FAULT` is set. */
export function faultsAt(at: number, offset: number): readonly Fault[] {
  if (process.env.EVERY_FAULT) return FAULTS
  return FAULTS.slice((at + offset) % FAULTS.length).slice(0, 1)
}

/** The first fault, by chance. */
export const anyOffset = (random: () => number): number => Math.floor(random() * FAULTS.length)

/** A database that can fail one statement on request. */
export interface FailingDatabase {
  database: TestDatabase
  /**
   * Runs something, in which one statement or commit fails.
   * @param at counts statements and commits from 1; 0: none fails
   * @returns how many ran, and the text of the one that failed
   */
  during(
    at: number,
    fault: Fault,
    act: () => Promise<void>,
  ): Promise<{ statements: number; failed: string | null }>
}

/** A database whose statements go through another one and fail on request. */
export function failingDatabase(inner: TestDatabase): FailingDatabase {
  const plan: { at: number; fault: Fault; count: number; failed: string | null } = {
    at: 0,
    fault: 'refused',
    count: 0,
    failed: null,
  }

  /** Runs one statement or commit, or fails in its place. */
  const run = async <Result>(text: string, act: () => Promise<Result>): Promise<Result> => {
    plan.count += 1
    if (plan.count !== plan.at) return await act()
    plan.failed = text

    if (plan.fault === 'lost reply') await act()
    throw plan.fault === 'conflict' ? conflict() : lostConnection()
  }

  return {
    database: { ...inner, db: throughDatabase(inner.db, { run }).db },
    async during(at, fault, act) {
      Object.assign(plan, { at, fault, count: 0, failed: null })
      await act()
      const { count: statements, failed } = plan
      plan.at = 0
      return { statements, failed }
    },
  }
}

/** A layer between a database and its users. */
export interface Way {
  /** Runs one statement or commit, or fails in its place. */
  run<Result>(text: string, act: () => Promise<Result>): Promise<Result>
  /** Asked before a transaction begins. */
  begin?(): Promise<void>
}

/**
 * A database whose statements go through another one. @returns `rollbackAll` rolls back open transactions, as a
 * server does when a client disconnects
 */
export function throughDatabase(inner: Db, way: Way): { db: Db; rollbackAll: () => Promise<void> } {
  const connections = new Set<FailingConnection>()
  const db = new Kysely<Schema>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new FailingDriver(inner, way, connections),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  const rollbackAll = async (): Promise<void> => {
    await Promise.all(
      [...connections].map(async (connection) => {
        await connection.underWay
        const { transaction } = connection
        connection.transaction = undefined
        if (transaction && !transaction.isCommitted && !transaction.isRolledBack)
          await transaction.rollback().execute()
      }),
    )
  }
  return { db, rollbackAll }
}

export function conflict(): Error {
  return Object.assign(new Error('could not serialize access due to concurrent update'), { code: '40001' })
}

export function lostConnection(): Error {
  return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
}

class FailingConnection implements DatabaseConnection {
  transaction: ControlledTransaction<Schema> | undefined
  /** The database's current work; resolves when it ends or fails. */
  underWay: Promise<unknown> = Promise.resolve()
  readonly #db: Db
  readonly #way: Way

  constructor(db: Db, way: Way) {
    this.#db = db
    this.#way = way
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return await this.run(query.sql, () =>
      (this.transaction ?? this.#db).executeQuery<Row>(query as CompiledQuery<Row>),
    )
  }

  async run<Result>(text: string, act: () => Promise<Result>): Promise<Result> {
    return await this.#way.run(text, async () => {
      const acting = act()
      this.underWay = acting.catch(() => {})
      return await acting
    })
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('nothing is streamed')
  }
}

class FailingDriver implements Driver {
  readonly #db: Db
  readonly #way: Way
  readonly #connections: Set<FailingConnection>

  constructor(db: Db, way: Way, connections: Set<FailingConnection>) {
    this.#db = db
    this.#way = way
    this.#connections = connections
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<FailingConnection> {
    const connection = new FailingConnection(this.#db, this.#way)
    this.#connections.add(connection)
    return connection
  }

  async releaseConnection(connection: FailingConnection): Promise<void> {
    this.#connections.delete(connection)
  }

  async beginTransaction(connection: FailingConnection, settings: TransactionSettings): Promise<void> {
    await this.#way.begin?.()
    let builder = this.#db.startTransaction()
    if (settings.isolationLevel) builder = builder.setIsolationLevel(settings.isolationLevel)
    if (settings.accessMode) builder = builder.setAccessMode(settings.accessMode)
    connection.transaction = await builder.execute()
  }

  async commitTransaction(connection: FailingConnection): Promise<void> {
    const { transaction } = connection
    if (transaction === undefined) throw new Error('there is no transaction')
    await connection.run('commit', () => transaction.commit().execute())
    connection.transaction = undefined
  }

  async rollbackTransaction(connection: FailingConnection): Promise<void> {
    const { transaction } = connection
    connection.transaction = undefined
    if (transaction && !transaction.isCommitted) await transaction.rollback().execute()
  }

  async destroy(): Promise<void> {}
}
