import { z } from 'zod'
import type { TextExtractor } from '../../file-text/index.ts'
import type { Feed } from '../feed.ts'
import type { ProviderSession } from '../adapter.ts'
import { readFolderFile } from './read-file.ts'
import { createScan, type Walked } from './scan.ts'
import { walk, type WalkedFile, type WalkStep } from './walk.ts'

/**
 * Files changed at `at` or later are read. This walk is past `after`, up to `newest`; `before` is the last walk's. What
 * the last walk `missed` may have changed meanwhile; this one is `missing` more.
 */
const Position = z.object({
  at: z.number(),
  before: z.number(),
  after: z.string().nullable(),
  newest: z.number(),
  missed: z.array(z.string()).default([]),
  missing: z.array(z.string()).default([]),
})
const MISSED_MAX = 1_000
const After = z.string().nullable()

/** A folder as a list and a feed: a walk that compares the files with the stored items. */
export function createFolderFeed(
  session: ProviderSession,
  {
    extractor,
    filesPerPage,
    check,
  }: { extractor: TextExtractor; filesPerPage: number; check: () => Promise<void> },
): Feed<null> {
  const scan = createScan(session, filesPerPage, check)
  return {
    async start() {
      const newest = await newestOf(walk(session.account.externalAccountId, null, session.signal))
      return { at: newest, before: newest, after: null, newest: 0, missed: [], missing: [] }
    },
    async list(after, since) {
      const position = Position.parse(since)
      const walked = await scan.next(After.parse(after), () => true)
      const unreachable = await scan.failuresOf(walked)
      return {
        listed: walked.files.map(fileOf),
        unreachable,
        next: walked.files.at(-1)?.path ?? after,
        isLast: walked.isLast,
        since: { ...position, missed: withPaths(position.missed, walked) },
      }
    },
    async changes(since) {
      const position = Position.parse(since)
      const { at, after } = position
      const missed = new Set(position.missed)
      const wasMissed = ({ path }: WalkedFile) => missed.size > 0 && isBelow(path, missed)
      const walked = await scan.next(after, (file) => changedMs(file) >= at || wasMissed(file))
      const last = walked.isLast ? null : (walked.files.at(-1)?.path ?? after)
      const known = new Set(await scan.stored(after, last))
      // A renamed folder changes none of its files, but none of them is stored under its new path.
      const changed = walked.files.filter(
        (file) =>
          file.fileChangedMs >= at || (changedMs(file) >= at && !known.has(file.path)) || wasMissed(file),
      )
      const unreachable = await scan.failuresOf(walked)
      for (const { path } of walked.files) known.delete(path)
      for (const { externalId } of unreachable) known.delete(externalId)
      const missing = withPaths(position.missing, walked)
      const newest = walked.files.reduce((most, file) => Math.max(most, changedMs(file)), position.newest)
      return {
        listed: changed.map(fileOf),
        unreachable,
        gone: [...known],
        next: walked.isLast
          ? // What changes during a walk is at least as new as everything before it, whatever the clocks say.
            { at: position.before, before: newest, after: null, newest: 0, missed: missing, missing: [] }
          : { ...position, after: last, newest, missing },
        isLast: walked.isLast,
      }
    },
    read: (externalId) => readFolderFile(session, extractor, externalId),
  }
}

const fileOf = ({ path }: WalkedFile) => ({ externalId: path, entry: null })
const changedMs = (file: WalkedFile): number => Math.max(file.fileChangedMs, file.folderChangedMs)

const withPaths = (paths: readonly string[], { unreadable }: Walked): string[] =>
  [...paths, ...unreadable.map(({ path }) => path)].slice(0, MISSED_MAX)

/** Whether a path or a folder above it is one of these. */
function isBelow(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (paths.has(at)) return true
  return false
}

async function newestOf(steps: AsyncGenerator<WalkStep>): Promise<number> {
  let newest = 0
  for await (const step of steps) if ('file' in step) newest = Math.max(newest, changedMs(step.file))
  return newest
}
