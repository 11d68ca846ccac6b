import { z } from 'zod'
import { ProviderError, type JsonValue } from '../../adapter.ts'
import { retryList } from '../shared/item-failures.ts'

const gmailCursor = z.object({
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
  retry: retryList,
})

export type GmailCursor = z.infer<typeof gmailCursor>

/** Parses the saved cursor. An unreadable cursor requires a full resync, never a silent fresh start. */
export function parseGmailCursor(value: JsonValue): GmailCursor {
  const parsed = gmailCursor.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ProviderError('cursor_expired', 'The saved position in Gmail cannot be read', {
    cause: parsed.error,
  })
}
