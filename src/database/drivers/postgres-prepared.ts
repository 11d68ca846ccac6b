import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type { Pool } from 'pg'
import { preparedName } from '../prepared.ts'
import { codeOf } from '../../kernel/thrown-errors.ts'

interface Query {
  name?: string
  text: string
  values: unknown[]
}

interface Client {
  query<Row>(query: Query): Promise<PostgresQueryResult<Row>>
  release(destroy?: boolean): void
}

/** The errors when a pooler, such as PgBouncer in transaction mode, gives each transaction another session. */
const NOT_KEPT = new Set(['26000', '42P05'])

/**
 * A pool whose connections keep prepared statements (`prepare`) parsed and planned. When sessions turn out not to be
 * kept, it stops preparing and resends the statement that failed; in a transaction the caller must retry.
 * @param onNotKept called once
 */
export function withPreparedStatements(pool: Pool, onNotKept: () => void): PostgresPool {
  let isKept = true
  const nameOf = (text: string): string | undefined => (isKept ? preparedName(text) : undefined)
  const onError = (error: unknown): boolean => {
    if (!NOT_KEPT.has(codeOf(error))) return false
    if (isKept) onNotKept()
    isKept = false
    return true
  }
  const known = new WeakMap<Client, PostgresPoolClient>()
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client: Client = await pool.connect()
      const naming = known.get(client) ?? new NamingClient(client, nameOf, onError)
      known.set(client, naming)
      return naming
    },
  }
}

class NamingClient implements PostgresPoolClient {
  readonly #client: Client
  readonly #nameOf: (text: string) => string | undefined
  readonly #isNotKept: (error: unknown) => boolean

  constructor(
    client: Client,
    nameOf: (text: string) => string | undefined,
    onError: (error: unknown) => boolean,
  ) {
    this.#client = client
    this.#nameOf = nameOf
    this.#isNotKept = onError
  }

  query<Row>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<Row>>
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>
  query<Row>(
    text: string | PostgresCursor<Row>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<Row>> | PostgresCursor<Row> {
    if (typeof text !== 'string') throw new Error('The database is not read by cursors')
    return this.#run<Row>(text, [...parameters])
  }

  async #run<Row>(text: string, values: unknown[]): Promise<PostgresQueryResult<Row>> {
    const name = this.#nameOf(text)
    if (name === undefined) return await this.#client.query<Row>({ text, values })
    try {
      return await this.#client.query<Row>({ name, text, values })
    } catch (error) {
      if (!this.#isNotKept(error)) throw error
      return await this.#client.query<Row>({ text, values })
    }
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy)
  }
}
