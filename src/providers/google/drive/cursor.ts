import { z } from 'zod'
import { ProviderError, type JsonValue } from '../../provider.ts'
import { retryList } from '../shared/item-failures.ts'

/** How much is remembered of an account's folders and shortcuts; what is over it is found by the next full crawl. */
export const MOST_FOLDERS = 5_000
export const MOST_FOLLOWED = 200

const driveCursor = z.object({
  version: z.literal(2),
  /** Where each feed's changes go on: the user's (`my`) and each shared drive's page token. */
  feeds: z.record(z.string(), z.string()),
  /**
   * A crawl under way: the feeds still to list, the first one at `pageToken`; `name` is set for a full crawl. What a crawl that is
   * not whole has not seen may still be there.
   */
  crawl: z
    .object({
      name: z.string().nullable(),
      waiting: z.array(z.string()),
      pageToken: z.string().nullable(),
      isWhole: z.boolean(),
    })
    .nullable(),
  /** Of each shared drive what its files have from it. */
  drives: z.record(z.string(), z.object({ name: z.string().nullable() })),
  /** Shared drives that the next run crawls: they were refused, or renamed. */
  toCrawl: z.array(z.string()),
  /** Folders by item id (`feed/folderId`), with a short hash of what their files inherit: only when that changes are the files read again. */
  folders: z.record(z.string(), z.string()),
  /** Shortcuts whose target no feed tells about: looked at by hand, longest ago first. */
  followed: z.array(z.object({ feed: z.string(), id: z.string(), targetId: z.string(), print: z.string() })),
  /** Feeds that lost a folder: compared with what is stored before the run ends. */
  sweep: z.array(z.string()),
  /** Item ids (`feed/fileId`) to try again. */
  retry: retryList,
})

export type DriveCursor = z.infer<typeof driveCursor>

/** The beginning of a crawl. */
export const newCrawl = (name: string | null, waiting: string[]): NonNullable<DriveCursor['crawl']> => ({
  name,
  waiting,
  pageToken: null,
  isWhole: true,
})

/** The cursor as saved; one that cannot be read asks for a full resync rather than a silent fresh start. */
export function parseDriveCursor(value: JsonValue): DriveCursor {
  const parsed = driveCursor.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ProviderError('cursor_expired', 'The saved position in Google Drive cannot be read', {
    cause: parsed.error,
  })
}
