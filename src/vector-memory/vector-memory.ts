import { within } from '../background/index.ts'
import type { MeaningPart } from '../inference/embedding-model.ts'
import { Greatest } from '../kernel/greatest.ts'
import { createMeaning, type QuantizedRow } from './coarse.ts'
import type { Entry } from './entry.ts'
import { Snapshots, type SnapshotsOptions } from './snapshots.ts'
import type { ItemScope } from './item-facts.ts'
import { encodeQuestion } from './question.ts'
import type { SnapshotOf } from './read-rows.ts'
import type { ChunkWords } from './row-words.ts'
import type { Proposal } from './scan.ts'
import {
  type Candidate,
  changing,
  isChanging,
  type Snapshot,
  type Stage,
  type VectorSnapshot,
} from './vector-snapshot.ts'

/** A row that may be near a question. */
export interface Proposed extends Candidate {
  atMost: number
}

/** A row with the values that ranking compares. */
export interface Compared extends Proposed {
  /** Cosine of the quantized vectors. */
  cosine: number
  /** Product of the quantized meaning parts; null: not requested. */
  meaning: number | null
  /** The row's words, if they are in memory. */
  words: ChunkWords | null
}

/** The rows that may be nearest to a question, and a bound for all others. */
export interface Candidates<Of extends Proposed = Proposed> {
  /** In any order. */
  keys: Of[]
  /** Upper bound of every other row; 0: no similarity. */
  floor: number
  /** The stage that the scan saw. */
  stage: Stage
}

/** A snapshot that stays in memory until released. */
export interface HeldSnapshot {
  /** Other searches no longer use it. */
  readonly isDropped: boolean
  readonly snapshot: Snapshot
  /** All rows in scope that may be among the `limit` nearest to a vector; null: too many are equally near. */
  candidates(vector: Float32Array, limit: number, scope: ItemScope): Promise<Candidates | null>
  /** Rows in scope that include the `limit` greatest quantized cosines; null: too many are equally near. */
  candidatesToRank(
    vector: Float32Array,
    limit: number,
    scope: ItemScope,
    meaning: MeaningPart | null,
  ): Promise<Candidates<Compared> | null>
  count(scope: ItemScope): number
  /**
   * Waits for a change in progress to end.
   * @returns whether it ended in time
   */
  settle(): Promise<boolean>
  /**
   * Applies changes since.
   * @returns whether it finished in time
   */
  follow(): Promise<boolean>
  /** Applies changes in the background, unless that is already running. */
  followLater(): void
  /**
   * Runs in the background and keeps the snapshot in memory; it must not change rows. A stop aborts it.
   * Failures go to the memory's `onError`.
   */
  inBackground(act: (signal: AbortSignal) => Promise<void>): void
  release(): void
}

/**
 * Snapshots of organizations' vectors in the process's memory. The database is authoritative: it decides on
 * every candidate.
 */
export interface VectorMemory {
  /** null: there is no snapshot (yet), and the database has to answer. Never rejects. */
  take(of: SnapshotOf & { dimensions: number }): Promise<HeldSnapshot | null>
  held(): { bytes: number; organizations: number }
  /** Drops the snapshots of organizations that are gone or being removed. */
  forgetRemoved(): Promise<void>
  /** Starts to restore what the last stop saved. */
  start(): void
  /** Ends loads and threads, and saves the snapshots. */
  close(): Promise<void>
}

export interface VectorMemoryOptions extends SnapshotsOptions {
  /**
   * How long a search waits, in milliseconds, for a snapshot to load or to catch up before the database
   * answers. With the embedded database waiting is better, because its scan blocks all other requests.
   */
  patience: { loadMs: number; followMs: number }
}

/** @returns an empty memory; an organization's first search loads its snapshot */
export function createVectorMemory(options: VectorMemoryOptions): VectorMemory {
  const { patience } = options
  const snapshots = new Snapshots(options)
  return {
    async take({ dimensions, ...of }) {
      const entry = snapshots.find(of, dimensions)
      if (entry === null) return null
      if (!entry.isReady && patience.loadMs > 0) await within(patience.loadMs, entry.ready)
      return entry.isReady && !entry.isDropped ? hold(snapshots, entry, patience) : null
    },
    held: () => snapshots.held(),
    forgetRemoved: () => snapshots.forgetRemoved(),
    start: () => snapshots.start(),
    close: () => snapshots.close(),
  }
}

type Found<Of extends Proposed> = Pick<Candidates<Of>, 'keys' | 'floor'>

function proposedOf(snapshot: VectorSnapshot, { rows, uppers, floor }: Proposal): Found<Proposed> {
  const keys = rows
    .map((row, at): Proposed => ({ ...snapshot.candidateOf(row), atMost: uppers[at] ?? 1 }))
    .filter(({ itemId }) => itemId !== '')
  return { keys, floor }
}

/** Extra candidates for a ranking, because some change or leave the scope. */
const RANKED_MARGIN = 1.25

/** The rows with the greatest quantized cosines, with what ranking compares. Ties are all in or all out. */
function rankedOf(
  snapshot: VectorSnapshot,
  { rows, uppers, cosines, floor }: Proposal,
  { limit, meaningOf }: { limit: number; meaningOf: (row: QuantizedRow) => number | null },
): Found<Compared> {
  const greatest = new Greatest(Math.ceil(limit * RANKED_MARGIN))
  for (const cosine of cosines) greatest.note(cosine)
  const quantized = snapshot.table.quantizedRows()
  const keys: Compared[] = []
  let below = floor
  for (const [at, cosine] of cosines.entries()) {
    if (cosine < greatest.least) below = Math.max(below, cosine)
    else {
      const row = rows[at] ?? 0
      const compared = { atMost: uppers[at] ?? 1, cosine, words: snapshot.words.of(row) }
      keys.push(Object.assign(snapshot.candidateOf(row), compared, { meaning: meaningOf(quantized(row)) }))
    }
  }
  return { keys: keys.filter(({ itemId }) => itemId !== ''), floor: below }
}

function hold(
  snapshots: Snapshots,
  entry: Entry,
  { followMs }: VectorMemoryOptions['patience'],
): HeldSnapshot {
  const { snapshot } = entry
  snapshots.take(entry)

  const scan = async <Of extends Proposed>(
    { vector, limit, scope }: { vector: Float32Array; limit: number; scope: ItemScope },
    found: (proposal: Proposal) => Found<Of>,
  ): Promise<Candidates<Of> | null> => {
    const { stage } = snapshot
    const question = encodeQuestion(vector, snapshot.table.layout)
    if (question === null || snapshot.table.blocks.length === 0) return { keys: [], floor: 0, stage }
    const job = { question, allowed: snapshot.facts.allowed(scope), limit }
    const proposal = await snapshots.scan(snapshot, job)
    if (proposal === null) return null
    // The rows may have changed during the scan; the result then belongs to no stage.
    return { ...found(proposal), stage: snapshot.stage === stage ? stage : changing() }
  }

  return {
    snapshot,
    get isDropped() {
      return entry.isDropped
    },
    candidates: (vector, limit, scope) =>
      scan({ vector, limit, scope }, (proposal) => proposedOf(snapshot, proposal)),
    candidatesToRank: (vector, limit, scope, meaning) =>
      scan({ vector, limit, scope }, (proposal) =>
        rankedOf(snapshot, proposal, { limit, meaningOf: createMeaning(vector, meaning) }),
      ),
    count: (scope) => snapshot.facts.countRows(scope),
    async settle() {
      if (isChanging(snapshot.stage) && entry.following) await within(followMs, entry.following)
      return !entry.isDropped && !isChanging(snapshot.stage)
    },
    async follow() {
      const isDone = await within(followMs, snapshots.follow(entry))
      return isDone && !entry.isDropped
    },
    followLater() {
      if (entry.following === null) void snapshots.follow(entry)
    },
    inBackground: (act) => snapshots.later(entry, act),
    release: () => snapshots.release(entry),
  }
}
