import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import type { Candidate, Candidates, Stage, WholeCopy } from '../vector-memory/index.ts'
import type { NearestQuery } from './find-nearest.ts'
import { isSmall, type KeptChunks, nameOf, SeenNames } from './kept-chunks.ts'
import { keyText, readWholeChunks } from './read-chunks.ts'
import { type SumOrder, sumOfSquares } from './sum-order.ts'

/** Reads in the background what a search had to ask for, for those who come later. */
export type ReadLater = (
  of: Pick<NearestQuery, 'organizationId' | 'model'>,
  proposed: Candidates,
  missed: { unknown: readonly Candidate[]; order: SumOrder },
) => void

/** Of one statement: it takes an embedded database some milliseconds, and the process as many where items have much metadata. */
const READ_MAX = 32
/** After a failure nothing is read for so long. */
const FAILED_MS = 60_000
/** Of a large one it reads for a twentieth of the time: what it finds is of less use. */
const LARGE_PAUSE = 19
/** A small organization is read whole once so many searches had to ask, and again once such a share of it is new. */
const SEARCHES_BEFORE = 8
const SHARE_NEW = 0.1
/** How often a chunk was proposed lately before it is read: of large organizations only what is asked for all the time stays. */
const TIMES_MIN = { small: 2, large: 4 }

/**
 * Of an organization that is small it reads all, and of others what is proposed again and again: most of what is proposed once never
 * is again. One statement of the process at a time, so that it takes no search's place.
 */
export function createReadLater(db: Db, kept: KeptChunks): ReadLater {
  const seen = new SeenNames()
  /** How many searches of a copy had to ask since it was read whole, and how many rows it had taken in by then. */
  const asked = new WeakMap<WholeCopy, { searches: number; written: number }>()
  let isReading = false
  let notBefore = 0

  /** @returns false where something was stored since that stage of the copy: what was read is not kept */
  async function read(
    of: Pick<NearestQuery, 'organizationId' | 'model'>,
    candidates: readonly Candidate[],
    { copy, stage, order }: { copy: WholeCopy; stage: Stage; order: SumOrder },
  ): Promise<boolean> {
    let isOfStage = true
    const names = new Map(candidates.map((candidate) => [keyText(candidate), nameOf(candidate)]))
    for (const { key, revision, values, shown } of await readWholeChunks(db, of, candidates)) {
      const name = names.get(keyText(key))
      // What is kept under a name is what was stored of it at that stage of the copy.
      isOfStage &&= revision === stage.revision
      if (name === undefined || !isOfStage) continue
      kept.of(copy).set(name, { values, squares: sumOfSquares(values, order), order, shown })
    }
    return isOfStage
  }

  /** @returns false where something is stored meanwhile: the rest is not read */
  async function readAll(
    of: Pick<NearestQuery, 'organizationId' | 'model'>,
    { copy, order }: { copy: WholeCopy; order: SumOrder },
    signal: AbortSignal,
  ): Promise<boolean> {
    for (let from = 0; from < copy.rows; from += READ_MAX) {
      const { stage } = copy
      const unknown = copy
        .candidates(from, from + READ_MAX)
        .filter((candidate) => !kept.of(copy).has(nameOf(candidate)))
      if (unknown.length === 0) continue
      const startedAt = performance.now()
      if (!(await read(of, unknown, { copy, stage, order }))) return false
      // Others get as much of the time.
      await sleep(performance.now() - startedAt, undefined, { signal })
    }
    return true
  }

  return (of, { copy, stage }, { unknown, order }) => {
    const timesMin = isSmall(copy) ? TIMES_MIN.small : TIMES_MIN.large
    const again = unknown.filter((candidate) => seen.note(nameOf(candidate)) >= timesMin).slice(0, READ_MAX)
    const { organizationId, model } = of
    const { searches, written } = asked.get(copy) ?? { searches: 0, written: 0 }
    asked.set(copy, { searches: searches + 1, written })
    const isNew = copy.written - written > SHARE_NEW * copy.rows
    const isWhole = searches + 1 >= SEARCHES_BEFORE && isNew && isSmall(copy)
    if (isReading || performance.now() < notBefore || (again.length === 0 && !isWhole)) return
    if (isWhole) asked.set(copy, { searches: 0, written: copy.written })
    isReading = true
    copy.later(async (signal) => {
      const startedAt = performance.now()
      try {
        const isRead = await (isWhole
          ? readAll({ organizationId, model }, { copy, order }, signal)
          : read({ organizationId, model }, again, { copy, stage, order }))
        // Beside writes: it is read once they rest, or the copy has followed.
        if (isWhole && !isRead) asked.set(copy, { searches: 0, written })
        if (!isSmall(copy)) notBefore = performance.now() + LARGE_PAUSE * (performance.now() - startedAt)
      } catch (error) {
        notBefore = performance.now() + FAILED_MS
        if (isWhole) asked.set(copy, { searches, written })
        throw error
      } finally {
        isReading = false
      }
    })
  }
}
