import { z } from 'zod'
import { LinkedPart } from '../shared/position-feed.ts'

/** What runs have read, and what they must still read. */
export const Position = z.object({
  drives: z.record(z.string(), LinkedPart),
  /** By drive: a comparison of its stored files with its current ones. */
  surveys: z.record(
    z.string(),
    z.object({
      /** Changed folders whose files are read again; null: all. */
      folders: z.array(z.string()).nullable(),
      /** The last file that was read again, in the order of their ids. */
      after: z.string().nullable(),
    }),
  ),
})
export type Position = z.output<typeof Position>

export const emptyPosition = (): Position => ({ drives: {}, surveys: {} })
