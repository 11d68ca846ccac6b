import { z } from 'zod'

/** At the end of the mark of a page that has nothing to read. */
export const NOTHING = '!'

/** What runs have read: the mark of each page's state then, `CONTENT.READERS`. */
export const Position = z.object({ known: z.record(z.string(), z.string()) })
export type Position = z.output<typeof Position>

export const emptyPosition = (): Position => ({ known: {} })

/** The position in the cursor of {@link readFeed}, during a crawl too. */
export const PositionInCursor = z
  .object({ since: Position, crawl: z.object({ after: Position.nullable() }).nullable() })
  .transform(({ since, crawl }): Position => (crawl === null ? since : (crawl.after ?? emptyPosition())))

/** The readers in a mark. */
export const readersIn = (mark: string): string => (mark.split('.')[1] ?? '').replace(NOTHING, '')
