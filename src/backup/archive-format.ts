import { z } from 'zod'

/**
 * The file of a backup: a tar (POSIX.1-1988 ustar) in Zstandard (RFC 8878), so that it can be looked into without this
 * program, and which takes a tenth of what gzip takes of the processor that the service answers with at the same time.
 * `manifest.json` comes first, then the files of DATA_DIR, and `checksums.json` last: without it a backup is not whole.
 */
export const FORMAT = 1
export const MANIFEST = 'manifest.json'
export const CHECKSUMS = 'checksums.json'
export const DATABASE_FOLDER = 'database'
export const ENCRYPTION_KEY_FILE = 'encryption-key'
/** Files of DATA_DIR that go along where they are; what else lies there is made or fetched anew by a start. */
export const KEPT_FILES = [ENCRYPTION_KEY_FILE, 'embedding-model.json'] as const

/** Where the key that decrypts OAuth tokens is, as seen from a backup. */
export const KEY_PLACES = ['included', 'left out', 'in the environment', 'none was made yet'] as const

export const Manifest = z.object({
  format: z.literal(FORMAT),
  /** The version of the service that made it. */
  service: z.string(),
  madeAt: z.iso.datetime(),
  /** Every migration that the database has, in their order. */
  migrations: z.array(z.string()),
  encryptionKey: z.enum(KEY_PLACES),
})
export type Manifest = z.output<typeof Manifest>

export const Checksums = z.object({
  /** SHA-256 in hexadecimal of each file's content, by its name; the manifest is one of them. */
  sha256: z.record(z.string(), z.string()),
  /** Rows of each table as the backup has them. */
  rows: z.record(z.string(), z.int()),
})
export type Checksums = z.output<typeof Checksums>
