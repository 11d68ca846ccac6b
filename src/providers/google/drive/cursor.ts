import { z } from 'zod'
import { RetryList } from '../../run-state.ts'

/** Upper bounds on remembered folders and shortcuts per account. The next full crawl finds what exceeds them. */
export const MOST_FOLDERS = 5_000
export const MOST_FOLLOWED = 200

export const DriveCursor = z.object({
  version: z.literal(2),
  /** Page token of each feed's changes: the user's (`my`) and one for each shared drive. */
  feeds: z.record(z.string(), z.string()),
  /** A crawl in progress: the feeds still to list. A full one has a `name` and removes items it did not see. */
  crawl: z
    .object({
      name: z.string().nullable(),
      waiting: z.array(z.string()),
      pageToken: z.string().nullable(),
      isWhole: z.boolean(),
    })
    .nullable(),
  /** What the files of each shared drive inherit from it. */
  drives: z.record(z.string(), z.object({ name: z.string().nullable() })),
  /** Shared drives that the next run crawls, because they were refused or renamed. */
  toCrawl: z.array(z.string()),
  /** Folders by item id, with a hash of what their files inherit; the files are read again when it changes. */
  folders: z.record(z.string(), z.string()),
  /** Shortcuts whose target no feed reports: checked separately, longest unchecked first. */
  followed: z.array(z.object({ feed: z.string(), id: z.string(), targetId: z.string(), print: z.string() })),
  /** Feeds that lost a folder; the run compares them with what is stored before it ends. */
  sweep: z.array(z.string()),
  /** Item ids (`feed/fileId`) to retry. */
  retry: RetryList,
})

export type DriveCursor = z.infer<typeof DriveCursor>

/** The initial state of a crawl. */
export const newCrawl = (name: string | null, waiting: string[]): NonNullable<DriveCursor['crawl']> => ({
  name,
  waiting,
  pageToken: null,
  isWhole: true,
})
