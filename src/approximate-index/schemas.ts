import { z } from 'zod'
import { count, momentOrNull, textOrNull } from '../kernel/schemas.ts'

export const ApproximateIndex = z
  .object({
    status: z.enum(['none', 'building', 'ready', 'failed']).meta({
      description: 'The status; `none`: not requested. Searches use the index while it is `ready`.',
      example: 'building',
    }),
    model: textOrNull('The embedding model of the indexed vectors.', 'openai:text-embedding-3-small:1536'),
    chunksTotal: count("The organization's chunks that have a vector of that model.", 812_000),
    chunksDone: count('Chunks indexed so far.', 307_200),
    bytes: count("The index's size on disk, in bytes.", 0),
    requestedAt: momentOrNull('When it was requested.'),
    finishedAt: momentOrNull('When it became ready.', null),
    errorMessage: textOrNull('Why the last attempt failed; it is retried every ten minutes.'),
  })
  .meta({ id: 'ApproximateIndex', description: "An approximate index over an organization's vectors." })
export type ApproximateIndex = z.output<typeof ApproximateIndex>
