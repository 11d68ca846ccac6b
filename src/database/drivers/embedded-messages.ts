import type { SentError } from './embedded-errors.ts'

/** What is asked of the embedded database's thread. A transaction is a number that the asker has given it. */
export type EmbeddedRequest =
  | {
      kind: 'run'
      /** Null outside of any. */
      transaction: number | null
      /** Whose statement it is: owners take turns. */
      owner: string
      sql: string
      parameters: readonly unknown[]
      /** Under which the session keeps it prepared. */
      name: string | undefined
    }
  | { kind: 'commit' | 'rollback'; transaction: number }
  | { kind: 'close' }

/** Is not answered: what became of it, the transaction's first statement says. */
export interface EmbeddedBegin {
  kind: 'begin'
  transaction: number
  /** Whose transaction it is: owners take turns. */
  owner: string
  /** Such as `isolation level repeatable read`. */
  modes: string
  /** How long it may go without a statement before it is rolled back, in milliseconds. */
  idleMs: number
}

export type EmbeddedMessage = EmbeddedBegin | (EmbeddedRequest & { id: number })

/** Rows as the statement gives them, each an object by the columns' names. */
export interface EmbeddedResult<Row = unknown> {
  rows: Row[]
  affectedRows: number
}

/** What came of a request. */
export type EmbeddedOutcome = { result: EmbeddedResult } | { error: SentError }

/** Outcomes by the number of what was asked; the first message says whether the database is open. */
export type EmbeddedAnswer =
  | (EmbeddedOutcome & { id: number })
  | { isOpen: true }
  | { isOpen: false; error: SentError }

/** Where an embedded database is: in a folder on disk, or in memory as a file of PGlite's `dumpDataDir` has it. */
export type EmbeddedPlace = { folder: string } | { snapshot: string }

/** How a closed database puts it, on either thread (`isDatabaseOutage` knows it). */
export const IS_CLOSED = 'The embedded database is closed'
