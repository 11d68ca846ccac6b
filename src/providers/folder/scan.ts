import type { ItemFailure, ProviderSession } from '../adapter.ts'
import { idAfter, storedPages } from '../stored-ids.ts'
import { walk, type WalkedFile, type WalkStep } from './walk.ts'

/** Each page looks at a limited number of files, so that a run that dies repeats little. */
const WALKED_A_PAGE = 5_000

export interface Walked {
  files: WalkedFile[]
  unreadable: { path: string; message: string }[]
  isLast: boolean
}

export interface Scan {
  /** Continues the walk after a path; a page ends with `filesPerPage` wanted files. */
  next(after: string | null, isWanted: (file: WalkedFile) => boolean): Promise<Walked>
  /** The stored ids after one path, up to another and including it; null: of the whole folder. */
  stored(after: string | null, last: string | null): Promise<string[]>
  /** Files of an unreadable folder count as unreadable, not as deleted. */
  failuresOf(walked: Walked): Promise<ItemFailure[]>
}

/** A paged walk of a folder, compared with its stored items. `check` fails if the folder vanished meanwhile. */
export function createScan(session: ProviderSession, filesPerPage: number, check: () => Promise<void>): Scan {
  const { account, signal } = session
  const root = account.externalAccountId
  let walker: AsyncGenerator<WalkStep> | undefined
  let walkerAt: string | null = null

  async function idsOf(from: string, to: string): Promise<string[]> {
    const ids: string[] = []
    for await (const page of storedPages(session, { from, to })) ids.push(...page)
    return ids
  }

  return {
    async next(after, isWanted) {
      if (walker === undefined || walkerAt !== after) walker = walk(root, after, signal)
      const walked: Walked = { files: [], unreadable: [], isLast: false }
      for (let wanted = 0; wanted < filesPerPage && walked.files.length < WALKED_A_PAGE;) {
        const step = await walker.next()
        if (step.done === true) {
          walked.isLast = true
          break
        }
        if ('file' in step.value) {
          walked.files.push(step.value.file)
          if (isWanted(step.value.file)) wanted += 1
        } else walked.unreadable.push({ path: step.value.unreadable, message: step.value.message })
      }
      await check()
      walkerAt = walked.files.at(-1)?.path ?? after
      return walked
    },
    stored: (after, last) =>
      idsOf(
        after === null ? `${root === '/' ? '' : root}/` : idAfter(after),
        last === null ? `${root === '/' ? '' : root}0` : idAfter(last),
      ),
    async failuresOf({ unreadable }) {
      const failures: ItemFailure[] = []
      for (const { path, message } of unreadable)
        for (const externalId of [path, ...(await idsOf(`${path}/`, `${path}0`))])
          failures.push({ externalId, message })
      return failures
    },
  }
}
