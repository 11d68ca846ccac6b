import { z } from 'zod'
import { count, textOrNull } from '../../kernel/schemas.ts'

export const Change = z
  .object({
    status: z.enum(['idle', 'running', 'succeeded', 'failed']).meta({
      description: 'The status of the latest change; `idle`: none was requested.',
      example: 'running',
    }),
    step: z
      .enum(['downloading', 'trying', 'moving'])
      .nullable()
      .meta({ description: 'The current step; null: not running.', example: 'moving' }),
    model: textOrNull('The requested model.', 'nomic-embed-text'),
    bytesDone: count('Bytes downloaded so far.', 0),
    bytesTotal: count('Bytes to download; 0: no download.', 0),
    errorMessage: textOrNull('Why it failed. The answering model is unchanged.'),
  })
  .meta({ id: 'EmbeddingModelChange', description: 'A change of the embedding model.' })
export type Change = z.output<typeof Change>
