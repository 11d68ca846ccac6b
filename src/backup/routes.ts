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
    summary: 'Download a backup of the embedded database, made while the service goes on',
    description:
      'A tar in Zstandard that `memory restore` makes a data folder of. Its last file holds the checksums of all others: without it the download broke off. On a PostgreSQL server use that server’s own means.',
    tag: 'Operator',
    access: { surface: 'operator' },
    credits: 0,
    audit: 'none',
    query: z.strictObject({
      encryptionKey: z.enum(['include', 'leave']).default('include').meta({
        description:
          'Whether the encryption key that is kept in DATA_DIR goes along. Without it accounts have to be connected again; whoever has both can read their tokens.',
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
