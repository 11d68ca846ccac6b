import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** The database, or a transaction on it: whatever runs queries. */
export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** An open database with what its driver alone can do. */
export interface OpenDatabase {
  readonly db: Db
  readonly driver: 'embedded' | 'postgres'
  /** Ends all connections and, embedded, releases the directory. */
  close(): Promise<void>
}
