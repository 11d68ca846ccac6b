import type { Kysely, Transaction } from 'kysely'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>
export type Tx = Transaction<Schema>

/** A file or a folder of a backup. `name` is relative, with forward slashes. */
export interface FileEntry {
  name: string
  /** Exact. */
  size: number
  /** Read it before the next entry; null for a folder. */
  body: AsyncIterable<Uint8Array> | null
}

export interface FileBackup {
  /** Reads the whole database's files. Calls `atEnd` when only the write-ahead log is left. One backup at a time. */
  read(
    atEnd: (query: (statement: string) => Promise<Record<string, unknown>[]>) => Promise<void>,
  ): AsyncGenerator<FileEntry>
}

export interface OpenDatabase {
  readonly db: Db
  readonly driver: 'embedded' | 'postgres'
  /** Null without files of our own: on a server, or in memory. */
  readonly files: FileBackup | null
  /** Opens the same server again, with one connection and no statement timeout. Null for an embedded database. */
  readonly openPatient: (() => Promise<OpenDatabase>) | null
  /** Whether another caller waits for a session. */
  readonly isAwaited: () => boolean
  /** Writes to disk what `close` would otherwise have to write, while requests continue. Does nothing on a server. */
  flush(): Promise<void>
  /** Ends all connections. An embedded database also releases its directory. */
  close(): Promise<void>
}
