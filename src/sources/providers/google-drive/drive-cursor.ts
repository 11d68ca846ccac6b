import { z } from 'zod'
import { ProviderError, type JsonValue } from '../../provider.ts'
import { retryList } from '../google/item-failures.ts'

/** How much is remembered of an account's folders and shortcuts; what is over it is found by the next full crawl. */
export const MOST_FOLDERS = 5_000
export const MOST_FOLLOWED = 200

const driveCursor = z.object({
  version: z.literal(1),
  /** Where each feed's changes go on: the user's (`my`) and each shared drive's page token. */
  feeds: z.record(z.string(), z.string()),
  /** A crawl under way: the feeds still to list, the first one at `pageToken`; `name` is set for a full crawl. */
  crawl: z
    .object({ name: z.string().nullable(), waiting: z.array(z.string()), pageToken: z.string().nullable() })
    .nullable(),
  /** Folders by id, with a short hash of what their files inherit: only when that changes are the files read again. */
  folders: z.record(z.string(), z.string()),
  /** Shortcuts whose target no feed tells about: looked at by hand, longest ago first. */
  followed: z.array(z.object({ feed: z.string(), id: z.string(), targetId: z.string(), print: z.string() })),
  /** Feeds that lost a folder: compared with what is stored before the run ends. */
  sweep: z.array(z.string()),
  /** Item ids (`feed/fileId`) to try again. */
  retry: retryList,
})

export type DriveCursor = z.infer<typeof driveCursor>

/** The cursor as saved; one that cannot be read asks for a full resync rather than a silent fresh start. */
export function parseDriveCursor(value: JsonValue): DriveCursor {
  const parsed = driveCursor.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ProviderError('cursor_expired', 'The saved position in Google Drive cannot be read', {
    cause: parsed.error,
  })
}
