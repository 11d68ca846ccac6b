import { z } from 'zod'

/** A backup: a tar compressed with Zstandard, `manifest.json` first, `checksums.json` last: without it incomplete. */
export const FORMAT = 1
export const MANIFEST = 'manifest.json'
export const CHECKSUMS = 'checksums.json'
export const DATABASE_FOLDER = 'database'
export const ENCRYPTION_KEY_FILE = 'encryption-key'
/**
 * Other files of DATA_DIR to include; a start creates or downloads the rest again. Archives of earlier versions have the
 * second one.
 */
export const KEPT_FILES = [ENCRYPTION_KEY_FILE, 'embedding-model.json'] as const

/** Where the key that decrypts OAuth tokens is, from the backup's point of view. */
export const KEY_PLACES = ['included', 'left out', 'in the environment', 'none was made yet'] as const

export const Manifest = z.object({
  format: z.literal(FORMAT),
  service: z.string(),
  madeAt: z.iso.datetime(),
  /** Every migration of the database, in order. */
  migrations: z.array(z.string()),
  encryptionKey: z.enum(KEY_PLACES),
})
export type Manifest = z.output<typeof Manifest>

export const Checksums = z.object({
  /** SHA-256 in hexadecimal of each file's content, by name, the manifest included. */
  sha256: z.record(z.string(), z.string()),
  rows: z.record(z.string(), z.int()),
})
export type Checksums = z.output<typeof Checksums>
