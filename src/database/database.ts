import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

/** The database, or a transaction on it: whatever runs queries. */
export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** A file or a folder of a backup; `name` is relative, with slashes. */
export interface FileEntry {
  name: string
  /** Bytes of `body`, exactly. */
  size: number
  /** Has to be read before the next entry; null for a folder. */
  body: AsyncIterable<Uint8Array> | null
}

/** The embedded database's files, as they can be copied while it is in use. */
export interface FileBackup {
  /**
   * The files of a whole database. `atEnd` is called once, when nothing but the log is left to read: what it is answered
   * is what the files will hold when they are opened. One at a time.
   */
  read(
    atEnd: (query: (statement: string) => Promise<Record<string, unknown>[]>) => Promise<void>,
  ): AsyncGenerator<FileEntry>
}

/** An open database with what its driver alone can do. */
export interface OpenDatabase {
  readonly db: Db
  readonly driver: 'embedded' | 'postgres'
  /** Null where there are no files of our own: on a server, and in memory. */
  readonly files: FileBackup | null
  /**
   * Opens the same server once more, with one connection and without limits on how long a statement takes. Null where there
   * is one session for everybody.
   */
  readonly openPatient: (() => Promise<OpenDatabase>) | null
  /**
   * Whether somebody waits for the session that all share: for whoever has it in a transaction, between two statements. Null where
   * there are several.
   */
  readonly isAwaited: (() => boolean) | null
  /** Writes to disk what `close` would otherwise have to write, while requests go on; nothing to do on a server. */
  flush(): Promise<void>
  /** Ends all connections and, embedded, releases the directory. */
  close(): Promise<void>
}
