import { setImmediate as turn } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Db } from '../database/database.ts'
import { type BlockLayout, DIMENSIONS_MAX, layoutOf, ROWS_A_BLOCK } from './block-layout.ts'
import { type SnapshotOf, countRows, readChanges, readRevision, whichAreThere } from './read-snapshot.ts'
import type { SavedSnapshots } from './saved-snapshots.ts'
import type { ScanJob, ScannedRows } from './scan.ts'
import type { WordsBudget } from './row-words.ts'
import { createSharedMemory, type SharedMemory } from './shared-memory.ts'
import { NoRoom } from './row-table.ts'
import { SnapshotSaving } from './snapshot-saving.ts'
import { type Entry, VectorSnapshot } from './vector-snapshot.ts'
import { createVectorThreads, type VectorThreads } from './vector-threads.ts'

export interface SnapshotsOptions {
  db: Db
  bytes: number
  /** Threads, besides the caller's, that scan. */
  threads: number
  /** Reports a snapshot that failed; the database answers instead. */
  onError: (error: unknown, organizationId: string) => void
  /** Threads scan snapshots with more rows. Default 8,192; doubled for a search that runs alone. */
  rowsHereMax?: number
  /** Stores snapshots between a stop and the next start; without it they are rebuilt. */
  saved?: SavedSnapshots | undefined
  /** Smaller snapshots are not saved. Default 1,024. */
  rowsSavedMin?: number
  now?: () => number
}

/** A snapshot used this recently is not evicted; otherwise organizations would keep evicting each other. */
const KEPT_MS = 5_000
/** After a snapshot failed or found no room, it is not retried for this long. */
const REFUSED_MS = 60_000
const REFUSED_MAX = 10_000
const LOADS_WAITING_MAX = 16
/** Share of the vectors' memory that words may take beside it: 128 MiB hold the words of 300,000 chunks. */
const WORDS_SHARE = 1 / 8
/** What a catch-up reads is outside the memory limit. */
const FOLLOWING_MAX = 4
const ROWS_HERE_MAX = 8_192

/** In-memory snapshots, one for each organization, within a memory limit. */
export class Snapshots {
  readonly #db: Db
  readonly #shared: SharedMemory
  readonly #threads: VectorThreads
  readonly #onError: SnapshotsOptions['onError']
  readonly #wordsBudget: WordsBudget
  readonly #saving: SnapshotSaving | undefined
  readonly #now: () => number
  readonly #stopping = new AbortController()
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>()
  readonly #refusedUntil = new Map<string, number>()
  readonly #inTurn = pLimit(1)
  readonly #followTurn = pLimit(FOLLOWING_MAX)
  readonly #working = new Set<Promise<void>>()
  #searches = 0
  #restoring: Promise<void> = Promise.resolve()

  constructor({
    db,
    bytes,
    threads,
    onError,
    rowsHereMax = ROWS_HERE_MAX,
    saved,
    rowsSavedMin,
    now = () => performance.now(),
  }: SnapshotsOptions) {
    this.#db = db
    this.#shared = createSharedMemory({ bytes, threads: threads + 1 })
    this.#threads = createVectorThreads(this.#shared, { count: threads, rowsHereMax })
    this.#wordsBudget = { bytesMax: bytes * WORDS_SHARE, bytes: 0 }
    this.#onError = onError
    this.#now = now
    this.#saving = saved && this.#createSaving(saved, rowsSavedMin)
  }

  /** The organization's snapshot, loading if new; null: none can be held now. */
  find(of: SnapshotOf, dimensions: number): Entry | null {
    const held = this.#entries.get(of.organizationId)
    if (held && held.modelId !== of.modelId) this.#drop(held)
    const entry = this.#entries.get(of.organizationId) ?? this.#begin(of, dimensions)
    if (!entry) return null
    entry.usedAt = this.#now()
    this.#entries.delete(of.organizationId)
    this.#entries.set(of.organizationId, entry)
    return entry
  }

  /**
   * Scans a snapshot for the nearest rows.
   * @returns null if too many are equally near.
   * @throws when a thread ended
   */
  scan(
    snapshot: VectorSnapshot,
    asked: Pick<ScanJob, 'question' | 'allowed' | 'limit'>,
  ): Promise<ScannedRows | null> {
    const { layout, blocks, rowItems } = snapshot.table
    return this.#threads.scan({ ...asked, layout, blocks, rowItems }, this.#searches === 1)
  }

  /** Applies all changes committed by now. A call during a run waits for one that starts after it. */
  async follow(entry: Entry): Promise<void> {
    await entry.following
    // Another snapshot may own its memory by now.
    if (entry.isDropped) return
    entry.following ??= this.#work(entry, () =>
      this.#followTurn(async () => {
        if (!entry.isDropped) await this.#catchUp(entry, this.#stopping.signal)
      }),
    ).finally(() => (entry.following = null))
    await entry.following
  }

  /** Runs in the background while it holds the entry, and must not change it. A stop aborts it. */
  later(entry: Entry, act: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopping
    if (signal.aborted) return
    void this.#work(entry, async () => {
      try {
        await act(signal)
      } catch (error) {
        // The snapshot is unchanged: searches keep using it and a stop saves it.
        if (!signal.aborted) this.#onError(error, entry.organizationId)
      }
    })
  }

  /** Holds an entry's memory for a search until it is released. */
  take(entry: Entry): void {
    entry.holders += 1
    this.#searches += 1
  }

  release(entry: Entry): void {
    this.#searches -= 1
    this.#release(entry)
  }

  #release(entry: Entry): void {
    entry.holders -= 1
    if (entry.isDropped && entry.holders === 0) entry.snapshot.release()
  }

  held(): { bytes: number; organizations: number } {
    const bytes = [...this.#entries.values()].reduce((sum, { snapshot }) => sum + snapshot.table.bytes, 0)
    return { bytes, organizations: this.#entries.size }
  }

  async forgetRemoved(): Promise<void> {
    const held = [...this.#entries.values()]
    const there = await whichAreThere(
      this.#db,
      held.map(({ organizationId }) => organizationId),
    )
    for (const entry of held) if (!there.has(entry.organizationId)) this.#drop(entry)
  }

  /** Restores what the last stop saved in the background, one snapshot at a time. */
  start(): void {
    if (this.#saving) this.#restoring = this.#saving.restoreAll()
  }

  /** Ends loads and threads, and saves the snapshots. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#restoring, ...this.#working])
    await this.#saving?.saveAll([...this.#entries.values()].toReversed().filter(({ isReady }) => isReady))
    await this.#threads.close()
  }

  #createSaving(saved: SavedSnapshots, rowsMin: number | undefined): SnapshotSaving {
    return new SnapshotSaving({
      db: this.#db,
      saved,
      rowsMin,
      signal: this.#stopping.signal,
      entryOf: (organizationId) => this.#entries.get(organizationId),
      begin: (of, dimensions) => this.#begin(of, dimensions),
      empty: (entry) => this.#emptySnapshot(entry, entry.snapshot.table.layout),
      hasRoom: (blocks, size) => this.#shared.hasRoom(blocks, size),
      makeRoom: (blocks, size) => this.#makeRoom(blocks, size),
      catchUp: (entry, signal) => this.#catchUp(entry, signal),
    })
  }

  #emptySnapshot(of: SnapshotOf, layout: BlockLayout): VectorSnapshot {
    return new VectorSnapshot(of, layout, {
      shared: this.#shared,
      wordsBudget: this.#wordsBudget,
    })
  }

  #begin(of: SnapshotOf, dimensions: number): Entry | null {
    const { organizationId } = of
    if (dimensions > DIMENSIONS_MAX || this.#stopping.signal.aborted) return null
    if ((this.#refusedUntil.get(organizationId) ?? 0) > this.#now()) return null
    if (this.#inTurn.pendingCount >= LOADS_WAITING_MAX) return null
    const entry: Entry = {
      ...of,
      snapshot: this.#emptySnapshot(of, layoutOf(dimensions)),
      ready: Promise.resolve(),
      isReady: false,
      following: null,
      holders: 0,
      isDropped: false,
      usedAt: this.#now(),
    }
    this.#entries.set(organizationId, entry)
    entry.ready = this.#inTurn(() => this.#work(entry, () => this.#load(entry)))
    return entry
  }

  async #load(entry: Entry): Promise<void> {
    const { organizationId } = entry
    await turn()
    if (entry.isDropped) return
    // Set first, so that a failure is not retried at once.
    this.#refuse(organizationId)
    if (!(await this.#saving?.restore(entry))) await this.#readAnew(entry)
    await this.#catchUp(entry, this.#stopping.signal)
    entry.isReady = true
    this.#refusedUntil.delete(organizationId)
  }

  async #readAnew(entry: Entry): Promise<void> {
    const { snapshot, organizationId } = entry
    // Before reading, so that rows that change meanwhile are read again.
    snapshot.reach(await readRevision(this.#db, organizationId))
    const rows = await countRows(this.#db, entry)
    if (!this.#makeRoom(Math.ceil(rows / ROWS_A_BLOCK), snapshot.table.layout.blockBytes)) throw new NoRoom()
    await snapshot.read(this.#db, this.#stopping.signal)
  }

  /** Applies what changed since the snapshot's revision; drops a snapshot that is of no use. */
  async #catchUp(entry: Entry, signal: AbortSignal): Promise<void> {
    const { snapshot } = entry
    const { revision, removedSourceIds, itemIds } = await readChanges(this.#db, entry, snapshot.revision)
    if (itemIds === null) {
      this.#drop(entry)
      return
    }
    if (revision !== snapshot.revision) await snapshot.replace(this.#db, itemIds, signal)
    snapshot.reach(revision, removedSourceIds)
  }

  /** Works on a snapshot while holding its memory. Drops the snapshot if the work fails. */
  async #work(entry: Entry, act: () => Promise<void>): Promise<void> {
    const work = this.#hold(entry, act)
    this.#working.add(work)
    await work.finally(() => this.#working.delete(work))
  }

  async #hold(entry: Entry, act: () => Promise<void>): Promise<void> {
    entry.holders += 1
    try {
      await act()
    } catch (error) {
      const { aborted } = this.#stopping.signal
      // A stop still saves a snapshot whose change it did not interrupt.
      if (!aborted || !entry.isReady || entry.snapshot.isChanging) this.#drop(entry)
      if (!aborted && !(error instanceof NoRoom)) this.#onError(error, entry.organizationId)
    } finally {
      this.#release(entry)
    }
  }

  #drop(entry: Entry): void {
    if (entry.isDropped) return
    entry.isDropped = true
    if (this.#entries.get(entry.organizationId) === entry) this.#entries.delete(entry.organizationId)
    if (entry.holders === 0) entry.snapshot.release()
  }

  #refuse(organizationId: string): void {
    if (this.#refusedUntil.size >= REFUSED_MAX) this.#refusedUntil.clear()
    this.#refusedUntil.set(organizationId, this.#now() + REFUSED_MS)
  }

  /**
   * Evicts snapshots not used recently until this many blocks fit.
   * @returns whether they fit
   */
  #makeRoom(blocks: number, size: number): boolean {
    if (!this.#shared.couldHold(blocks, size)) return false
    for (const entry of this.#entries.values()) {
      if (this.#shared.hasRoom(blocks, size)) return true
      if (entry.holders === 0 && this.#now() - entry.usedAt >= KEPT_MS) this.#drop(entry)
    }
    return this.#shared.hasRoom(blocks, size)
  }
}
