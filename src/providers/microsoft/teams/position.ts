import { z } from 'zod'
import { LinkedPart } from '../shared/position-feed.ts'

/** What runs have read, and what they must still read. */
export const Position = z.object({
  channels: z.record(z.string(), LinkedPart),
  /** Channels whose stored threads must be compared with those in Teams. */
  surveys: z.array(z.string()),
})
export type Position = z.output<typeof Position>

export const emptyPosition = (): Position => ({ channels: {}, surveys: [] })
