import { z } from 'zod'
import { defineRoute } from '../http/route.ts'
import type { Backups } from './backup.ts'

export interface BackupServices {
  backups: Backups
}

/** RFC 8878. */
const CONTENT_TYPE = 'application/zstd'

export const backupRoutes = [
  defineRoute<BackupServices>()({
    operationId: 'operatorBackup',
    method: 'GET',
    path: '/operator/backup',
    summary: 'Download a backup of the embedded database while the service runs',
    description:
      "A tar archive compressed with Zstandard, for `memory restore`. Its last file contains the checksums of all others; without it, the download is incomplete. For a PostgreSQL server, use that server's own tools.",
    tag: 'Operator',
    access: { surface: 'operator' },
    audit: 'none',
    query: z.strictObject({
      encryptionKey: z.enum(['include', 'leave']).default('include').meta({
        description:
          'Whether to include the encryption key stored in DATA_DIR. Without it, accounts must be connected again. With it, the backup lets a reader decrypt their tokens.',
        example: 'leave',
      }),
    }),
    responses: {
      200: z.string().meta({ description: 'The backup.', format: 'binary', example: '(a tar in Zstandard)' }),
    },
    downloads: [CONTENT_TYPE],
    refuses: ['not_configured'],
    handle: async ({ query }, { backups }) => {
      const { name, bytes } = await backups.begin({ withEncryptionKey: query.encryptionKey === 'include' })
      return { download: { bytes, contentType: CONTENT_TYPE, filename: name } }
    },
  }),
]
