import { z } from 'zod'
import { ProviderError, type JsonValue } from '../../provider.ts'
import { retryList } from '../shared/item-failures.ts'

const gmailCursor = z.object({
  version: z.literal(1),
  /** History is read from here: as it was before the full crawl, or when the last run read it to its end. */
  historyId: z.string(),
  /** A full crawl under way, at this page of the list; `listed` once that was the last one. */
  crawl: z
    .object({ name: z.string(), pageToken: z.string().nullable(), listed: z.boolean().default(false) })
    .nullable(),
  /** History half read: its next page, and where the run after it begins. */
  history: z.object({ pageToken: z.string(), nextHistoryId: z.string() }).nullable(),
  /** Message ids to try again. */
  retry: retryList,
})

export type GmailCursor = z.infer<typeof gmailCursor>

/** The cursor as saved; one that cannot be read asks for a full resync rather than a silent fresh start. */
export function parseGmailCursor(value: JsonValue): GmailCursor {
  const parsed = gmailCursor.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ProviderError('cursor_expired', 'The saved position in Gmail cannot be read', {
    cause: parsed.error,
  })
}
