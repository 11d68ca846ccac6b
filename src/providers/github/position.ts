import { z } from 'zod'
import type { Repository } from './repositories.ts'

/** GitHub may show a change shortly after one with a later time. */
const OVERLAP_MS = 60_000

/** A list ordered by time, read up to `since`. `etag` is that of its first page. */
const TimedList = z.object({ since: z.string().nullable(), etag: z.string().nullable() })
type TimedList = z.output<typeof TimedList>

export const PARTS = ['issues', 'comments', 'reviews', 'discussions', 'files', 'sweep'] as const

const RepositoryState = z.object({
  name: z.string(),
  isPublic: z.boolean(),
  /** The default branch, which links to files name. */
  branch: z.string().nullable().default(null),
  issues: TimedList,
  comments: TimedList,
  reviews: TimedList,
  /** Discussions that changed at `since` or later are not read yet. `sweptAt` is when all were listed. */
  discussions: z
    .object({ since: z.string().nullable(), sweptAt: z.number() })
    .default({ since: null, sweptAt: 0 }),
  /** The tree whose files are stored; null: none. */
  tree: z.object({ sha: z.string().nullable(), etag: z.string().nullable() }),
  /** The last list of all issues: when, and how many pages it had. */
  sweep: z.object({ at: z.number(), pages: z.int() }),
})
export type RepositoryState = z.output<typeof RepositoryState>

/** The round's progress in the first repository of its list. */
const Place = z.object({
  part: z.enum(PARTS),
  since: z.string().nullable(),
  /** The next page of discussions, or of changes with the same time. */
  address: z.string().nullable(),
  etag: z.string().nullable(),
  /** The tree being read, and the last path that was read. */
  sha: z.string().nullable(),
  after: z.string(),
})
export type Place = z.output<typeof Place>

/** What was read of each repository. `left`: repositories that the round has not finished; null: between rounds. */
export const Position = z.object({
  repositories: z.record(z.string(), RepositoryState),
  left: z.array(z.string()).nullable(),
  place: Place,
})
export type Position = z.output<typeof Position>

export const placeOf = (part: Place['part']): Place => ({
  part,
  since: null,
  address: null,
  etag: null,
  sha: null,
  after: '',
})

export const emptyPosition = (): Position => ({ repositories: {}, left: null, place: placeOf('issues') })

/** The state of a repository before its first read, as of `now`. */
export function newState(
  { full_name: name, private: isPrivate, default_branch: branch }: Repository,
  now: number,
): RepositoryState {
  const fromNow = (): TimedList => ({ since: timeBefore(now), etag: null })
  return {
    name,
    isPublic: !isPrivate,
    branch,
    issues: { since: null, etag: null },
    // Issues include their comments.
    comments: fromNow(),
    reviews: fromNow(),
    discussions: { since: null, sweptAt: now },
    tree: { sha: null, etag: null },
    sweep: { at: now, pages: 1 },
  }
}

/** A slightly earlier time, in GitHub's format. */
export const timeBefore = (at: number): string =>
  new Date(at - OVERLAP_MS).toISOString().replace(/\.\d{3}Z$/, 'Z')
