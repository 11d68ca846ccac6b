import { z } from 'zod'
import { RetryList } from '../../run-state.ts'

export const GmailCursor = z.object({
  version: z.literal(1),
  /** The next run reads the history from here: the position before the full crawl, or after the last complete run. */
  historyId: z.string(),
  /** A full crawl in progress, at this page of the list; `listed` after the last page. */
  crawl: z
    .object({ name: z.string(), pageToken: z.string().nullable(), listed: z.boolean().default(false) })
    .nullable(),
  /** A half-read history: its next page, and where the following run begins. */
  history: z.object({ pageToken: z.string(), nextHistoryId: z.string() }).nullable(),
  /** Message ids to retry. */
  retry: RetryList,
})

export type GmailCursor = z.infer<typeof GmailCursor>
