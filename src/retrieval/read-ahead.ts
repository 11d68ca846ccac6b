import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import type { TermWeights } from '../inference/term-weights.ts'
import type { HeldSnapshot, SnapshotRow, VectorSnapshot } from '../vector-memory/index.ts'
import { keyText } from './nearest-query.ts'
import { hashTexts } from './rank/words.ts'
import { readRows } from './read-rows.ts'
import type { RowCache } from './row-cache.ts'

/**
 * Loads a snapshot's rows and words into memory in the background, so that later searches need no statements
 * for them.
 */
export interface ReadAhead {
  missedRows(held: HeldSnapshot): void
  missedWords(held: HeldSnapshot): void
}

/** Rows per statement, which takes an embedded database some milliseconds. */
const ROWS_A_PAGE = 32
const TEXTS_A_PAGE = 128
/** Loads rows after this many searches missed them, and again when this share of the rows is new. */
const SEARCHES_BEFORE = 8
const SHARE_NEW = 0.1
/** Pause after a failure. */
const FAILED_MS = 60_000

type Kind = 'rows' | 'words'

/** State of loading one kind of data of a snapshot. */
interface Progress {
  searches: number
  /** The snapshot's count of added rows at the last load. */
  written: number
  isReading: boolean
}

export function createReadAhead({
  db,
  cache,
  terms,
}: {
  db: Db
  cache: RowCache
  terms: TermWeights
}): ReadAhead {
  const progress = {
    rows: new WeakMap<VectorSnapshot, Progress>(),
    words: new WeakMap<VectorSnapshot, Progress>(),
  }
  let notBefore = 0

  const missed = (kind: Kind, held: HeldSnapshot, searchesBefore: number): void => {
    const { snapshot } = held
    const of = progress[kind].get(snapshot) ?? { searches: 0, written: 0, isReading: false }
    progress[kind].set(snapshot, of)
    of.searches += 1
    const isNew = snapshot.written - of.written > SHARE_NEW * snapshot.rows
    if (of.isReading || of.searches < searchesBefore || !isNew || performance.now() < notBefore) return
    of.isReading = true
    held.inBackground(async (signal) => {
      const { written } = snapshot
      try {
        await (kind === 'rows' ? readAllRows({ db, cache }, held, signal) : readAllWords(held, signal))
        Object.assign(of, { searches: 0, written })
      } catch (error) {
        notBefore = performance.now() + FAILED_MS
        throw error
      } finally {
        of.isReading = false
      }
    })
  }

  const readAllWords = (held: HeldSnapshot, signal: AbortSignal): Promise<void> =>
    pageByPage(held, { size: TEXTS_A_PAGE, signal }, async (rows) => {
      const { snapshot } = held
      const missing = rows.filter(({ row }) => !snapshot.words.has(row))
      const { organizationId, revision } = snapshot
      await hashTexts({ db, terms }, { organizationId, revision, snapshot }, missing, signal, HASHING_MS)
    })

  return {
    missedRows: (held) => missed('rows', held, SEARCHES_BEFORE),
    missedWords: (held) => missed('words', held, 1),
  }
}

async function readAllRows(
  { db, cache }: { db: Db; cache: RowCache },
  held: HeldSnapshot,
  signal: AbortSignal,
): Promise<void> {
  await pageByPage(held, { size: ROWS_A_PAGE, signal }, async (rows) => {
    const missing = rows.filter((row) => cache.get(row) === undefined)
    if (missing.length === 0) return
    const { revision, organizationId, modelId } = held.snapshot
    const all = { organizationId, model: { id: modelId }, providers: null, filter: {}, entityIds: null }
    const { standing, rows: read } = await readRows(db, all, { keys: missing, since: revision })
    if (standing.revision !== revision) return
    const byKey = new Map(missing.map((row) => [keyText(row), row]))
    for (const row of read) {
      const of = byKey.get(keyText(row.key))
      if (of) cache.set(of, row)
    }
  })
}

/** Limit on blocking the event loop. */
const HASHING_MS = 2

/** Processes all rows of a snapshot until it is dropped, pausing half of the time. */
async function pageByPage(
  held: HeldSnapshot,
  { size, signal }: { size: number; signal: AbortSignal },
  act: (rows: SnapshotRow[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < held.snapshot.rows && !held.isDropped; from += size) {
    const startedAt = performance.now()
    await act(held.snapshot.rowsBetween(from, from + size))
    await sleep(performance.now() - startedAt, undefined, { signal })
  }
}
