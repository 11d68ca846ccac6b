import { open, readdir, readFile as readBytes, stat } from 'node:fs/promises'
import path from 'node:path'
import type { FileBackup, FileEntry } from '../database.ts'
import type { EmbeddedThread } from './embedded-thread.ts'
import { nullIfMissing } from '../../kernel/thrown-errors.ts'

const PIECE_BYTES = 256 * 1024
const SLOT = 'file_backup'
/** Read last, with the session held: it says where recovery begins, and only statements change it. */
const CONTROL_FILE = 'global/pg_control'
/** How long the end of a backup waits for a slow reader, in milliseconds. */
const IDLE_MS = 30_000
/** PostgreSQL recreates their contents at each start (manual, "Backing Up the Data Directory"). */
const EMPTIED = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
])
const LEFT_OUT = /^(postmaster\.(pid|opts)|backup_label(\.old)?|pg_internal\.init.*|pgsql_tmp.*)$/

/**
 * Copies the files of an open database while statements continue, with PostgreSQL's low-level backup API (manual,
 * "Making a Base Backup Using the Low Level API"). A page that changes during the copy is in the log in full, and the
 * backup includes the log from beginning to end. The session is held only at the beginning, for a checkpoint, and at
 * the end.
 */
export function createFileBackup(database: EmbeddedThread, folder: string): FileBackup {
  return {
    async *read(atEnd) {
      // Retains the log written in the meantime. The slot is temporary: it ends with the session.
      await database.query(`select pg_create_physical_replication_slot($1, true, true)`, [SLOT])
      let isOpen = false
      try {
        const { rows } = await database.query<{ file: string }>(
          `select pg_walfile_name(pg_backup_start('file backup', true)) as file`,
        )
        isOpen = true
        yield* readFolder(folder, '')
        const end = await finish(database, folder, atEnd)
        isOpen = false
        yield entryOf(CONTROL_FILE, end.control)
        yield entryOf('backup_label', Buffer.from(end.label))
        yield* readLog(folder, rows[0]?.file ?? '', end.lastFile)
      } finally {
        if (!database.hasEnded) {
          if (isOpen) await database.query('select pg_backup_stop(false)')
          await database.query('select pg_drop_replication_slot($1)', [SLOT])
        }
      }
    },
  }
}

/** One read-only transaction, so that `atEnd` reads what the files will hold. */
async function finish(
  database: EmbeddedThread,
  folder: string,
  atEnd: Parameters<FileBackup['read']>[0],
): Promise<{ control: Buffer; label: string; lastFile: string }> {
  const transaction = database.begin({ idleMs: IDLE_MS })
  try {
    await atEnd(async (statement) => (await transaction.query<Record<string, unknown>>(statement)).rows)
    const control = await readBytes(path.join(folder, CONTROL_FILE))
    const { rows } = await transaction.query<{ label: string; lastFile: string }>(
      `select labelfile as label, pg_walfile_name(lsn) as "lastFile" from pg_backup_stop(false)`,
    )
    const [end] = rows
    if (!end) throw new Error('pg_backup_stop returned no row')
    await transaction.commit()
    return { control, ...end }
  } finally {
    await transaction.rollback()
  }
}

async function* readFolder(root: string, folder: string): AsyncGenerator<FileEntry> {
  for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (LEFT_OUT.test(entry.name) || name === CONTROL_FILE) continue
    if (entry.isDirectory()) {
      yield { name, size: 0, body: null }
      if (EMPTIED.has(name)) {
        if (name === 'pg_wal') yield* foldersOfLog(root)
      } else yield* readFolder(root, name)
    } else if (entry.isFile()) yield* readFile(root, name)
  }
}

async function* foldersOfLog(root: string): AsyncGenerator<FileEntry> {
  for (const entry of await readdir(path.join(root, 'pg_wal'), { withFileTypes: true }))
    if (entry.isDirectory()) yield { name: `pg_wal/${entry.name}`, size: 0, body: null }
}

/** The log files from first to last; their names sort in the order of their contents. */
async function* readLog(root: string, first: string, last: string): AsyncGenerator<FileEntry> {
  const names = (await readdir(path.join(root, 'pg_wal'))).filter((name) => name >= first && name <= last)
  if (names.length === 0)
    throw new Error(`the write-ahead log of the backup, ${first} to ${last}, is missing`)
  for (const name of names.toSorted()) yield* readFile(root, `pg_wal/${name}`)
}

/** Yields nothing for a file deleted in the meantime: its removal is in the log. */
async function* readFile(root: string, name: string): AsyncGenerator<FileEntry> {
  const file = path.join(root, name)
  const found = await stat(file).catch(nullIfMissing)
  if (found !== null) yield { name, size: found.size, body: pieces(file, found.size) }
}

/** Exactly `size` bytes: zeros replace what was truncated meanwhile; the log repairs that and has what was appended. */
async function* pieces(file: string, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  const handle = await open(file).catch(nullIfMissing)
  try {
    while (left > 0) {
      const piece = Buffer.alloc(Math.min(PIECE_BYTES, left))
      const { bytesRead } = (await handle?.read(piece, 0, piece.length, size - left)) ?? { bytesRead: 0 }
      const part = bytesRead === 0 ? piece : piece.subarray(0, bytesRead)
      left -= part.length
      yield part
    }
  } finally {
    await handle?.close()
  }
}

function entryOf(name: string, bytes: Buffer): FileEntry {
  return {
    name,
    size: bytes.length,
    // oxlint-disable-next-line typescript/require-await
    body: (async function* () {
      yield bytes
    })(),
  }
}
