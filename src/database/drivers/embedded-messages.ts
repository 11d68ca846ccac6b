import type { SentError } from './embedded-errors.ts'

/** A request to the embedded database's thread. The caller assigns each transaction its number. */
export type EmbeddedRequest =
  | {
      kind: 'run'
      transaction: number | null
      owner: string
      sql: string
      parameters: readonly unknown[]
      /** The name under which the session keeps the statement prepared. */
      name: string | undefined
    }
  | { kind: 'commit' | 'rollback'; transaction: number }
  | { kind: 'close' }

/** Has no answer: the transaction's first statement reports any error. */
export interface EmbeddedBegin {
  kind: 'begin'
  transaction: number
  owner: string
  /** Such as `isolation level repeatable read`. */
  modes: string
  /** How long it can go without a statement before it is rolled back, in milliseconds. */
  idleMs: number
}

export type EmbeddedMessage = EmbeddedBegin | (EmbeddedRequest & { id: number })

export interface EmbeddedResult<Row = unknown> {
  rows: Row[]
  affectedRows: number
}

export type EmbeddedOutcome = { result: EmbeddedResult } | { error: SentError }

/** Outcomes by request number. The first message reports whether the database opened. */
export type EmbeddedAnswer =
  | (EmbeddedOutcome & { id: number })
  | { isOpen: true }
  | { isOpen: false; error: SentError }

/** Where an embedded database is stored: in a folder, or in memory from a file of PGlite's `dumpDataDir`. */
export type EmbeddedPlace = { folder: string } | { snapshot: string }

/** The error message of a closed database on either thread; `isDatabaseOutage` matches it. */
export const IS_CLOSED = 'The embedded database is closed'
