import { z } from 'zod'

/** What runs have read, and what they must still read. */
export const Position = z.object({
  channels: z.record(
    z.string(),
    z.object({
      /** The position of the changes that no run has read. */
      link: z.string(),
      /** The next page of everything in the channel; null once all of it has been read. */
      crawl: z.string().nullable(),
    }),
  ),
  /** Channels whose stored threads must be compared with those in Teams. */
  surveys: z.array(z.string()),
})
export type Position = z.output<typeof Position>

export const emptyPosition = (): Position => ({ channels: {}, surveys: [] })
