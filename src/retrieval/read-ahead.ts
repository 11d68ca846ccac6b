import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../database/database.ts'
import type { HeldSnapshot, SnapshotRow, VectorSnapshot } from '../vector-memory/index.ts'
import { keyText } from './nearest-query.ts'
import type { ReadWords } from './rank/read-words.ts'
import { readRows } from './read-rows.ts'
import type { RowCache } from './row-cache.ts'

/** Loads the rows or words of a snapshot in the background, so that later searches need no statements for them. */
export interface ReadAhead {
  missedRows: Missed
  missedWords: Missed
}
type Missed = (held: HeldSnapshot) => void

/** The data that one pass over a snapshot loads. */
interface Loading {
  /** Rows per statement. A statement takes the embedded database some milliseconds. */
  size: number
  /** Starts after this many searches with cache misses. */
  searchesBefore: number
  /** How many rows fit into the cache: reading more would evict what was read before. */
  rowsMax: number
  load: (snapshot: VectorSnapshot, rows: readonly SnapshotRow[], signal: AbortSignal) => Promise<unknown>
}

/** Loads again when this share of the rows is new. */
const SHARE_NEW = 0.1
/** The pause after a failure, in milliseconds. */
const FAILED_MS = 60_000

export function createReadAhead({
  db,
  cache,
  readWords,
}: {
  db: Db
  cache: RowCache
  readWords: ReadWords
}): ReadAhead {
  const loadRows: Loading['load'] = async ({ organizationId, modelId, revision }, rows) => {
    const missing = rows.filter((row) => cache.get(row) === undefined)
    if (missing.length === 0) return
    const all = { organizationId, model: { id: modelId }, providers: null, filter: {}, entityIds: null }
    const { state, rows: read } = await readRows(db, all, { keys: missing, since: revision })
    if (state.revision !== revision) return
    const byKey = new Map(read.map((row) => [keyText(row.key), row]))
    for (const row of missing) cache.set(row, byKey.get(keyText(row)))
  }
  const loadWords: Loading['load'] = ({ organizationId, revision }, rows, signal) =>
    readWords({ organizationId, revision }, rows, { signal })
  return {
    // Only called for snapshots whose rows all fit.
    missedRows: createPass({
      size: 32,
      searchesBefore: 8,
      rowsMax: Number.POSITIVE_INFINITY,
      load: loadRows,
    }),
    missedWords: createPass({ size: 128, searchesBefore: 1, rowsMax: cache.wordsMax, load: loadWords }),
  }
}

function createPass({ size, searchesBefore, rowsMax, load }: Loading): Missed {
  const passes = new WeakMap<VectorSnapshot, { searches: number; written: number; isRunning: boolean }>()
  let notBefore = 0
  return (held) => {
    const { snapshot } = held
    const { table } = snapshot
    const pass = passes.get(snapshot) ?? { searches: 0, written: 0, isRunning: false }
    passes.set(snapshot, pass)
    pass.searches += 1
    const isNew = table.written - pass.written > SHARE_NEW * table.rows
    if (pass.isRunning || pass.searches < searchesBefore || !isNew || performance.now() < notBefore) return
    pass.isRunning = true
    held.inBackground(async (signal) => {
      const { written } = table
      try {
        for (let from = 0; from < Math.min(table.rows, rowsMax) && !held.isDropped; from += size) {
          const startedAt = performance.now()
          await load(snapshot, snapshot.rowsBetween(from, from + size), signal)
          // Pauses as long as it worked, to leave half of the time to other work.
          await sleep(performance.now() - startedAt, undefined, { signal })
        }
        Object.assign(pass, { searches: 0, written })
      } catch (error) {
        notBefore = performance.now() + FAILED_MS
        throw error
      } finally {
        pass.isRunning = false
      }
    })
  }
}
