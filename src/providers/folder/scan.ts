import type { Listed } from '../feed.ts'
import type { ProviderSession } from '../adapter.ts'
import { idAfter, storedPages } from '../stored-ids.ts'
import { walk, type WalkedFile, type WalkStep } from './walk.ts'

/** Why a folder cannot be read; null: a file. */
export type Entry = string | null

/** Each page looks at a limited number of files, so that a run that dies repeats little. */
const WALKED_A_PAGE = 5_000

export interface Walked {
  files: WalkedFile[]
  unreadable: { folder: string; message: string }[]
  isLast: boolean
}

export interface Scan {
  /** Continues the walk after a path; a page ends with `filesPerPage` wanted files. */
  next(after: string | null, isWanted: (file: WalkedFile) => boolean): Promise<Walked>
  /** The stored ids after one path, up to another and including it; null: of the whole folder. */
  stored(after: string | null, last: string | null): Promise<string[]>
  /** Files of an unreadable folder count as unreadable, not as deleted. */
  failuresOf(walked: Walked): Promise<Listed<Entry>[]>
}

/** A paged walk of a folder, compared with its stored items. */
export function createScan(session: ProviderSession, filesPerPage: number): Scan {
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
        if (step.done === true) return { ...walked, isLast: true }
        if ('file' in step.value) {
          walked.files.push(step.value.file)
          if (isWanted(step.value.file)) wanted += 1
        } else walked.unreadable.push({ folder: step.value.unreadable, message: step.value.message })
      }
      walkerAt = walked.files.at(-1)?.path ?? after
      return walked
    },
    stored: (after, last) =>
      idsOf(
        after === null ? `${root === '/' ? '' : root}/` : idAfter(after),
        last === null ? `${root === '/' ? '' : root}0` : idAfter(last),
      ),
    async failuresOf({ unreadable }) {
      const listed: Listed<Entry>[] = []
      for (const { folder, message } of unreadable) {
        const ids = await idsOf(`${folder}/`, `${folder}0`)
        listed.push(...[folder, ...ids].map((externalId) => ({ externalId, entry: message })))
      }
      return listed
    },
  }
}
