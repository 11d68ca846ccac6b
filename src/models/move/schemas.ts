import { z } from 'zod'
import { count, momentOrNull, textOrNull } from '../../kernel/schemas.ts'

export const ModelMoveStatus = z
  .object({
    status: z
      .enum(['idle', 'running', 'succeeded'])
      .meta({ description: 'The status; `idle`: never requested.', example: 'running' }),
    model: textOrNull('The model that the chunks move to.', 'openai:text-embedding-3-small:1536'),
    answeringModel: textOrNull('The model that queries use now.', 'builtin-4'),
    chunksTotal: count('Chunks to move.', 8120),
    chunksDone: count('Chunks that have moved.', 3072),
    startedAt: momentOrNull('When it began.'),
    finishedAt: momentOrNull('When it ended.', null),
    errorMessage: textOrNull('Why the last attempt stopped; it is retried.'),
  })
  .meta({ id: 'Reembedding', description: 'The progress of a move to another embedding model.' })
export type ModelMoveStatus = z.output<typeof ModelMoveStatus>
