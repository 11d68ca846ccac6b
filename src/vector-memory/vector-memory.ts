import { within } from '../background/index.ts'
import type { MeaningPart } from '../inference/embedding-model.ts'
import { createMeaning, type QuantizedRow } from './coarse.ts'
import type { Entry } from './entry.ts'
import { Snapshots, type SnapshotsOptions } from './snapshots.ts'
import type { ItemScope } from './item-facts.ts'
import { encodeQuestion } from './question.ts'
import type { SnapshotOf } from './read-rows.ts'
import type { ChunkWords } from './row-words.ts'
import type { Proposal } from './scan.ts'
import { type Candidate, changing, isChanging, type Stage, type VectorSnapshot } from './vector-snapshot.ts'

/** A row that may be near to a question. */
export interface Proposed extends Candidate {
  /** An upper bound of its score. */
  atMost: number
}

/** What a ranking compares of a row. */
export interface Compared extends Proposed {
  /** The cosine of the quantized vectors. */
  cosine: number
  /** The quantized product of the meaning parts; null: none was asked for. */
  meaning: number | null
  /** The row's words, where they are in memory. */
  words: ChunkWords | null
}

/** What may be nearest to a question, and how near all else is at most. */
export interface Candidates<Of extends Proposed = Proposed> {
  /** Greatest upper bound first; of a ranking greatest quantized cosine first. */
  keys: Of[]
  /** Every other row is no more similar than this; 0: it is not similar at all. */
  floor: number
  /** The stage of the snapshot that this was made of. */
  stage: Stage
}

/** All that is in memory of an organization; the same object for as long as the snapshot is. */
export interface Snapshot extends SnapshotOf {
  /** Of this moment. */
  readonly stage: Stage
  /** Rows, some of which may be empty. */
  readonly rows: number
  /** How many rows were taken in so far, those that replaced others too. */
  readonly written: number
  /** How many numbers the vectors of so many rows have. */
  readonly vectorNumbers: number
  /** The chunks of the rows from one to before another; none once the snapshot is dropped. */
  rowsBetween(from: number, to: number): Candidate[]
  hasWords(row: number): boolean
  /** Keeps a row's words that were read at this stage, unless the snapshot has changed since. */
  keepWords(row: number, words: ChunkWords, stage: Stage): void
  /**
   * Works in the background, which keeps the snapshot in memory and must not change its rows; a stop aborts it. A failure goes to
   * the memory's `onError`.
   */
  inBackground(act: (signal: AbortSignal) => Promise<void>): void
}

/** A snapshot that stays in memory while it is held. */
export interface HeldSnapshot {
  /** It is not used for other searches any more. */
  readonly isDropped: boolean
  readonly snapshot: Snapshot
  /** All rows in scope that may be among the `limit` nearest to a vector; null when too many are equally near. */
  candidates(vector: Float32Array, limit: number, scope: ItemScope): Promise<Candidates | null>
  /** The rows in scope among which the `limit` with the greatest quantized cosines are; null when too many are equally near. */
  candidatesToRank(
    vector: Float32Array,
    limit: number,
    scope: ItemScope,
    meaning: MeaningPart | null,
  ): Promise<Candidates<Compared> | null>
  /** How many rows are in scope. */
  count(scope: ItemScope): number
  /** Waits while it is changing. @returns whether that ended soon enough */
  settle(): Promise<boolean>
  /** Takes in what has changed since. @returns whether that ended soon enough */
  follow(): Promise<boolean>
  /** The same in the background, unless it is under way. */
  followLater(): void
  release(): void
}

/** Snapshots of organizations' vectors in the process's memory. The database stays the truth: what a snapshot proposes it decides. */
export interface VectorMemory {
  /** null: it is not held, or not yet, and the database has to answer. Never rejects. */
  take(of: SnapshotOf & { dimensions: number }): Promise<HeldSnapshot | null>
  held(): { bytes: number; organizations: number }
  /** Gives up the snapshots of organizations that are gone, or being removed. */
  forgetRemoved(): Promise<void>
  /** Begins to take up what the last stop has saved. */
  start(): void
  /** Ends what is being loaded and the threads, and saves what is held. */
  close(): Promise<void>
}

export interface VectorMemoryOptions extends SnapshotsOptions {
  /**
   * How long a search waits, in milliseconds, for a snapshot that is being made, and for one that catches up with many changes;
   * then the database answers. Embedded, where a scan blocks all other requests, waiting is better.
   */
  patience: { loadMs: number; followMs: number }
}

/** @returns the memory, empty; a snapshot is made when an organization is first searched */
export function createVectorMemory(options: VectorMemoryOptions): VectorMemory {
  const { patience } = options
  const snapshots = new Snapshots(options)
  const wholes = new WeakMap<Entry, Snapshot>()
  const wholeOf = (entry: Entry): Snapshot => {
    const whole = wholes.get(entry) ?? snapshotOf(snapshots, entry)
    wholes.set(entry, whole)
    return whole
  }
  return {
    async take({ dimensions, ...of }) {
      const entry = snapshots.find(of, dimensions)
      if (entry === null) return null
      if (!entry.isReady && patience.loadMs > 0) await within(patience.loadMs, entry.ready)
      return entry.isReady && !entry.isDropped
        ? hold(snapshots, { entry, whole: wholeOf(entry), patience })
        : null
    },
    held: () => snapshots.held(),
    forgetRemoved: () => snapshots.forgetRemoved(),
    start: () => snapshots.start(),
    close: () => snapshots.close(),
  }
}

function snapshotOf(snapshots: Snapshots, entry: Entry): Snapshot {
  const { organizationId, modelId, snapshot } = entry
  return {
    organizationId,
    modelId,
    get stage() {
      return snapshot.stage
    },
    get vectorNumbers() {
      return snapshot.table.rows * snapshot.table.layout.dimensions
    },
    get rows() {
      return snapshot.table.rows
    },
    get written() {
      return snapshot.table.written
    },
    rowsBetween(from, to) {
      if (entry.isDropped) return []
      const end = Math.min(to, snapshot.table.rows)
      const rows = Array.from({ length: Math.max(0, end - from) }, (_, at) => snapshot.candidateOf(from + at))
      return rows.filter(({ itemId }) => itemId !== '')
    },
    hasWords: (row) => snapshot.words.has(row),
    keepWords(row, words, stage) {
      if (!entry.isDropped && snapshot.stage === stage) snapshot.words.set(row, words)
    },
    inBackground: (act) => snapshots.later(entry, act),
  }
}

type Found<Of extends Proposed> = Pick<Candidates<Of>, 'keys' | 'floor'>

/** The rows that a scan found, greatest upper bound first. */
function proposedOf(snapshot: VectorSnapshot, { rows, uppers, floor }: Proposal): Found<Proposed> {
  const keys = rows
    .map((row, at): Proposed => ({ ...snapshot.candidateOf(row), atMost: uppers[at] ?? 1 }))
    .filter(({ itemId }) => itemId !== '')
    .toSorted((one, other) => other.atMost - one.atMost)
  return { keys, floor }
}

/** Of the candidates of a ranking some change or fall out of scope: so many times more are described. */
const RANKED_MARGIN = 1.25

/** The rows with the greatest quantized cosines, with what a ranking compares; equal ones are all in or all out. */
function rankedOf(
  snapshot: VectorSnapshot,
  { rows, uppers, cosines, floor }: Proposal,
  { limit, meaningOf }: { limit: number; meaningOf: (row: QuantizedRow) => number | null },
): Found<Compared> {
  const cosineAt = (at: number): number => cosines[at] ?? 0
  const order = [...rows.keys()].toSorted((one, other) => cosineAt(other) - cosineAt(one))
  let end = Math.min(order.length, Math.ceil(limit * RANKED_MARGIN))
  while (end < order.length && cosineAt(order[end] ?? 0) === cosineAt(order[end - 1] ?? 0)) end += 1
  const quantized = snapshot.table.quantizedRows()
  const keys = order.slice(0, end).map((at): Compared => {
    const row = rows[at] ?? 0
    const meaning = meaningOf(quantized(row))
    const compared = { atMost: uppers[at] ?? 1, cosine: cosineAt(at), meaning, words: snapshot.words.of(row) }
    return Object.assign(snapshot.candidateOf(row), compared)
  })
  const first = order[end]
  return {
    keys: keys.filter(({ itemId }) => itemId !== ''),
    floor: first === undefined ? floor : Math.max(floor, cosineAt(first)),
  }
}

function hold(
  snapshots: Snapshots,
  { entry, whole, patience }: { entry: Entry; whole: Snapshot; patience: VectorMemoryOptions['patience'] },
): HeldSnapshot {
  const { snapshot } = entry
  const { followMs } = patience
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
    // Rows may have changed while others were scanned: then this is of no stage that there was.
    return { ...found(proposal), stage: snapshot.stage === stage ? stage : changing() }
  }

  return {
    snapshot: whole,
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
    release: () => snapshots.release(entry),
  }
}
