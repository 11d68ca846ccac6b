import { lstat } from 'node:fs/promises'
import { z } from 'zod'
import type { TextExtractor } from '../../file-text/index.ts'
import type { Feed } from '../feed.ts'
import { ProviderError, type ProviderSession } from '../adapter.ts'
import { readFolderFile } from './read-file.ts'
import { createScan, type Entry } from './scan.ts'
import { walk, type WalkedFile, type WalkStep } from './walk.ts'

/**
 * Files changed at `at` or later are read. This walk is past `after`, up to `newest`; `before` is the last walk's.
 */
const Position = z.object({
  at: z.number(),
  before: z.number(),
  after: z.string().nullable(),
  newest: z.number(),
})
const After = z.string().nullable()

/** A folder as a list and a feed: a walk that compares the files with the stored items. */
export function createFolderFeed(
  session: ProviderSession,
  { extractor, filesPerPage }: { extractor: TextExtractor; filesPerPage: number },
): Feed<Entry> {
  const scan = createScan(session, filesPerPage)
  return {
    async start() {
      const newest = await newestOf(walk(session.account.externalAccountId, null, session.signal))
      return { at: newest, before: newest, after: null, newest: 0 }
    },
    async list(after) {
      const walked = await scan.next(After.parse(after), () => true)
      const listed = [...walked.files.map(fileOf), ...(await scan.failuresOf(walked))]
      return { listed, next: walked.files.at(-1)?.path ?? after, isLast: walked.isLast }
    },
    async changes(since) {
      const position = Position.parse(since)
      const { at, after } = position
      const walked = await scan.next(after, (file) => changedMs(file) >= at)
      const last = walked.isLast ? null : (walked.files.at(-1)?.path ?? after)
      const known = new Set(await scan.stored(after, last))
      // A renamed folder changes none of its files, but none of them is stored under its new path.
      const changed = walked.files.filter(
        (file) => file.fileChangedMs >= at || (changedMs(file) >= at && !known.has(file.path)),
      )
      const failures = await scan.failuresOf(walked)
      for (const { path } of walked.files) known.delete(path)
      for (const { externalId } of failures) known.delete(externalId)
      const newest = walked.files.reduce((most, file) => Math.max(most, changedMs(file)), position.newest)
      return {
        listed: [...changed.map(fileOf), ...failures],
        gone: [...known],
        next: walked.isLast
          ? // What changes during a walk is at least as new as everything before it, whatever the clocks say.
            { at: position.before, before: newest, after: null, newest: 0 }
          : { ...position, after: last, newest },
        isLast: walked.isLast,
      }
    },
    async read(externalId, entry) {
      if (entry !== null) throw new ProviderError('rejected', entry)
      // A folder that an earlier run could not read; this run has walked it.
      if (await isFolder(externalId)) return null
      return await readFolderFile(session, extractor, externalId)
    },
  }
}

const fileOf = ({ path }: WalkedFile) => ({ externalId: path, entry: null })
const changedMs = (file: WalkedFile): number => Math.max(file.fileChangedMs, file.folderChangedMs)

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

async function newestOf(steps: AsyncGenerator<WalkStep>): Promise<number> {
  let newest = 0
  for await (const step of steps) if ('file' in step) newest = Math.max(newest, changedMs(step.file))
  return newest
}
