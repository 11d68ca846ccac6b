import { lstat } from 'node:fs/promises'
import { z } from 'zod'
import type { TextExtractor } from '../../file-text/index.ts'
import type { Feed, FeedPage, Listed } from '../feed.ts'
import { ProviderError, type ProviderSession } from '../provider.ts'
import { readFolderFile } from './read-file.ts'
import { walk, type WalkStep, type WalkedFile } from './walk.ts'

/** Why a folder cannot be read; null: a file. */
type Entry = string | null

/**
 * The position of the changes: files that changed at `at` or later by the file system's clock are read. The walk of
 * this round is past `after` and saw nothing newer than `newest`; `before` is that of the walk before.
 */
const Position = z.object({
  at: z.number(),
  before: z.number(),
  after: z.string().nullable(),
  newest: z.number(),
})
const After = z.string().nullable()

/** Each page looks at a limited number of files, so that a run that dies repeats little. */
const WALKED_A_PAGE = 5_000
const STORED_AT_ONCE = 1_000

/** What a walk found for a page. */
interface Walked {
  files: WalkedFile[]
  unreadable: { folder: string; message: string }[]
  isLast: boolean
}

/** A folder as a list and a feed: a walk that compares the files with the stored items. */
export function createFolderFeed(
  session: ProviderSession,
  { extractor, filesPerPage }: { extractor: TextExtractor; filesPerPage: number },
): Feed<Entry> {
  const { signal, account } = session
  const root = account.externalAccountId
  const prefix = root === '/' ? '/' : `${root}/`
  let walker: AsyncGenerator<WalkStep> | undefined
  let walkerAt: string | null = null

  /** Continues the walk. `isWanted` counts the files that fill a page. */
  async function next(after: string | null, isWanted: (file: WalkedFile) => boolean): Promise<Walked> {
    if (walker === undefined || walkerAt !== after) walker = walk(root, after, signal)
    const walked: Walked = { files: [], unreadable: [], isLast: false }
    for (let wanted = 0; wanted < filesPerPage && walked.files.length < WALKED_A_PAGE;) {
      const step = await walker.next()
      if (step.done === true) return { ...walked, isLast: true }
      if ('file' in step.value) {
        walked.files.push(step.value.file)
        if (isWanted(step.value.file)) wanted += 1
      } else walked.unreadable.push({ folder: step.value.unreadable, message: step.value.message })
    }
    walkerAt = walked.files.at(-1)?.path ?? after
    return walked
  }

  /** The stored ids of a range. */
  async function stored(from: string, to: string): Promise<string[]> {
    const ids: string[] = []
    for (let start = from; ;) {
      const some = await session.storedIds({ from: start, to, limit: STORED_AT_ONCE })
      ids.push(...some)
      if (some.length < STORED_AT_ONCE) return ids
      start = behind(some.at(-1) ?? to)
    }
  }

  /** Files of an unreadable folder count as unreadable, not as gone. */
  async function failuresOf({ unreadable }: Walked): Promise<Listed<Entry>[]> {
    const listed: Listed<Entry>[] = []
    for (const { folder, message } of unreadable) {
      const ids = await stored(`${folder}/`, `${folder}0`)
      listed.push(...[folder, ...ids].map((externalId) => ({ externalId, entry: message })))
    }
    return listed
  }

  return {
    async start() {
      const newest = await newestOf(walk(root, null, signal))
      return { at: newest, before: newest, after: null, newest: 0 }
    },
    async list(after): Promise<FeedPage<Entry>> {
      const walked = await next(After.parse(after), () => true)
      const listed = walked.files.map(({ path }) => ({ externalId: path, entry: null }))
      const position = walked.files.at(-1)?.path ?? after
      return { listed: [...listed, ...(await failuresOf(walked))], next: position, isLast: walked.isLast }
    },
    async changes(since) {
      const position = Position.parse(since)
      const { at, after } = position
      const walked = await next(
        after,
        ({ fileChangedMs, folderChangedMs }) => Math.max(fileChangedMs, folderChangedMs) >= at,
      )
      const last = walked.isLast ? null : (walked.files.at(-1)?.path ?? after)
      const known = new Set(
        await stored(
          after === null ? prefix : behind(after),
          last === null ? `${prefix.slice(0, -1)}0` : behind(last),
        ),
      )
      // A renamed folder changes none of its files, but none of them is stored under its new path.
      const changed = walked.files.filter(
        ({ path, fileChangedMs, folderChangedMs }) =>
          fileChangedMs >= at || (folderChangedMs >= at && !known.has(path)),
      )
      for (const { path } of walked.files) known.delete(path)
      const failures = await failuresOf(walked)
      for (const { externalId } of failures) known.delete(externalId)
      const newest = walked.files.reduce(
        (most, { fileChangedMs, folderChangedMs }) => Math.max(most, fileChangedMs, folderChangedMs),
        position.newest,
      )
      return {
        listed: [...changed.map(({ path }) => ({ externalId: path, entry: null })), ...failures],
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
      // A folder that an earlier run could not read: this one has walked it.
      if (await isFolder(externalId)) return null
      return await readFolderFile(session, extractor, externalId)
    },
  }
}

/** The first id after another: no stored text has a null character. */
const behind = (id: string): string => `${id}\u0001`

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

async function newestOf(steps: AsyncGenerator<WalkStep>): Promise<number> {
  let newest = 0
  for await (const step of steps) {
    if ('file' in step) newest = Math.max(newest, step.file.fileChangedMs, step.file.folderChangedMs)
  }
  return newest
}
