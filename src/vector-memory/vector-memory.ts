import { within } from '../background/index.ts'
import type { MeaningPart } from '../inference/embedding-model.ts'
import { greatestCosines, type Similarity, similaritiesOf } from '../vector-scan/index.ts'
import type { ItemScope, Selection } from './item-fields.ts'
import type { ChunkKey, SnapshotOf } from './read-snapshot.ts'
import { type Entry, Snapshots, type SnapshotsOptions } from './snapshots.ts'
import type { VectorSnapshot } from './vector-snapshot.ts'

/** A chunk that can be among the nearest to a query. */
export interface Candidate extends ChunkKey, Similarity {
  /** The version of its item in the snapshot; null: it comes from the database. */
  version: number | null
}

/** The chunks in scope that can be among the nearest, by score or by quantized cosine. */
export interface CandidateSet {
  /** In any order. */
  candidates: Candidate[]
  /** The upper bound of the score (or cosine, if ranked) of all other chunks in scope; 0: no others. */
  restUpperBound: number
  revision: number
  /** The sources that were being removed, whose chunks are excluded. */
  removedSourceIds: readonly string[]
  /** The number of chunks in scope; null: only the database can count them. */
  count: number | null
}

/** Candidates for a ranking: only the nearest by quantized cosine, with the products of their meaning parts. */
export interface Ranking {
  /** The dimensions of the meaning part; null: the model has none. */
  meaning: MeaningPart | null
}

/** A snapshot that stays in memory until released. */
export interface HeldSnapshot {
  /** Whether other searches no longer use it. */
  readonly isDropped: boolean
  readonly snapshot: VectorSnapshot
  /** All rows in scope that can be among the `limit` nearest; null: too many, or the snapshot keeps changing. */
  findCandidates(
    vector: Float32Array,
    limit: number,
    scope: ItemScope,
    ranked: Ranking | null,
  ): Promise<CandidateSet | null>
  /** Applies new changes. @returns whether it finished in time */
  catchUp(): Promise<boolean>
  /** Applies new changes in the background, unless that is already running. */
  catchUpLater(): void
  /** Runs a read-only task in the background with the snapshot. A shutdown aborts it; failures go to `onError`. */
  inBackground(act: (signal: AbortSignal) => Promise<void>): void
  release(): void
}

/** Snapshots of organizations' vectors in memory. The database is authoritative: it checks every candidate. */
export interface VectorMemory {
  readonly bytes: number
  /** null: there is no snapshot (yet), so search the database. Never rejects. */
  take(of: SnapshotOf): Promise<HeldSnapshot | null>
  held(): { bytes: number; organizations: number }
  /** Drops the snapshots of organizations that were removed or are being removed. */
  evictRemoved(): Promise<void>
  start(): void
  /** Stops loads and threads, and saves the snapshots. */
  close(): Promise<void>
}

export interface VectorMemoryOptions extends SnapshotsOptions {
  /** Milliseconds that a search waits for a snapshot before it uses the database, whose scan can block others. */
  waits: { loadMs: number; catchUpMs: number }
}

/** @returns an empty memory; an organization's first search loads its snapshot */
export function createVectorMemory(options: VectorMemoryOptions): VectorMemory {
  const { waits } = options
  const snapshots = new Snapshots(options)
  return {
    bytes: options.bytes,
    async take(of) {
      const entry = snapshots.find(of)
      if (entry === null) return null
      if (!entry.isReady && waits.loadMs > 0) await within(waits.loadMs, entry.ready)
      return entry.isReady && !entry.isDropped ? hold(snapshots, entry, waits) : null
    },
    held: () => snapshots.held(),
    evictRemoved: () => snapshots.evictRemoved(),
    start: () => void snapshots.restored(),
    close: () => snapshots.close(),
  }
}

/** The maximum number of scans of a snapshot that changes meanwhile; rarely more than one. */
const SCANS_MAX = 4

function hold(snapshots: Snapshots, entry: Entry, { catchUpMs }: VectorMemoryOptions['waits']): HeldSnapshot {
  const { snapshot } = entry
  snapshots.take(entry)
  return {
    snapshot,
    get isDropped() {
      return entry.isDropped
    },
    async findCandidates(vector, limit, scope, ranked) {
      for (let scans = 1; scans <= SCANS_MAX; scans++) {
        const { revision } = snapshot
        if (snapshot.isChanging) {
          if (entry.catchingUp) await within(catchUpMs, entry.catchingUp)
          if (entry.isDropped) return null
          continue
        }
        const { fields, removedSourceIds } = snapshot
        const selection = await fields.select({ ...scope, exceptSourceIds: removedSourceIds })
        // Rows of a snapshot that changed meanwhile belong to no single revision.
        if (snapshot.revision !== revision) continue
        const candidateSet = await scan(snapshots, snapshot, { vector, limit, selection, ranked })
        if (candidateSet === null || snapshot.revision === revision) return candidateSet
      }
      return null
    },
    catchUp: async () => (await within(catchUpMs, snapshots.catchUp(entry))) && !entry.isDropped,
    catchUpLater: () => {
      if (entry.catchingUp === null) void snapshots.catchUp(entry)
    },
    inBackground: (act) => snapshots.later(entry, act),
    release: () => snapshots.release(entry),
  }
}

async function scan(
  snapshots: Snapshots,
  snapshot: VectorSnapshot,
  {
    vector,
    limit,
    selection,
    ranked,
  }: { vector: Float32Array; limit: number; selection: Selection; ranked: Ranking | null },
): Promise<CandidateSet | null> {
  const { table, revision, removedSourceIds } = snapshot
  const { allowed, rows: count } = selection
  const scanned = await snapshots.scan(snapshot, vector, { allowed, limit })
  if (scanned === null) return null
  const found = ranked ? greatestCosines(scanned, limit) : scanned
  const candidates: Candidate[] = []
  for (const [row, similarity] of similaritiesOf(table, found, {
    vector,
    meaning: ranked?.meaning ?? null,
  })) {
    const key = snapshot.rowAt(row)
    if (key) candidates.push(Object.assign(similarity, key))
  }
  return { candidates, restUpperBound: found.restUpperBound, revision, removedSourceIds, count }
}
