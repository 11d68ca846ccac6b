import { setImmediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Db } from '../database/database.ts'
import { SCAN_DIMENSIONS_MAX, NoRoom, type RowTable, VectorScanner } from '../vector-scan/index.ts'
import {
  countRows,
  readChanges,
  readRevision,
  type SnapshotOf,
  existingOrganizations,
} from './read-snapshot.ts'
import type { SavedSnapshots } from './saved-snapshots.ts'
import { VectorSnapshot } from './vector-snapshot.ts'

export interface SnapshotsOptions {
  db: Db
  bytes: number
  /** The number of scanning threads, besides the caller's. */
  threads: number
  /** Reports a failed snapshot. The database answers instead. */
  onError: (error: unknown, organizationId: string) => void
  /** Snapshots with more rows are scanned by threads. Default 8,192; doubled for a search that runs alone. */
  inlineRowsMax?: number
  /** Saves snapshots between a shutdown and the next start. Without it, they are rebuilt. */
  saved?: SavedSnapshots | undefined
  /** Smaller snapshots are not saved, because reading 1,024 rows, the default, takes less than a tenth of a second. */
  rowsSavedMin?: number
  now?: () => number
}

/** A snapshot with its state in the process. */
export interface Entry extends SnapshotOf {
  snapshot: VectorSnapshot
  /** Settles when loading succeeds or fails. */
  ready: Promise<void>
  isReady: boolean
  /** The running catch-up. */
  catchingUp: Promise<void> | null
  /** The number of searches and background tasks that use its memory. */
  holders: number
  isDropped: boolean
  usedAt: number
}

/** Milliseconds for which a used snapshot is not evicted, so that organizations don't keep evicting each other. */
const UNEVICTED_MS = 5_000
/** Milliseconds until a retry after a snapshot failed or found no room. */
const REFUSED_MS = 60_000
const REFUSED_MAX = 10_000
const LOADS_WAITING_MAX = 16
/** Limits concurrent catch-ups, because the pages that they read are outside the memory limit. */
const CATCH_UPS_MAX = 4

/** One snapshot per organization, within a memory limit. */
export class Snapshots {
  readonly #options: SnapshotsOptions
  readonly #db: Db
  readonly #scanner: VectorScanner
  readonly #now: () => number
  readonly #stopping = new AbortController()
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>()
  readonly #refusedUntil = new Map<string, number>()
  readonly #loadLimit = pLimit(1)
  readonly #catchUpLimit = pLimit(CATCH_UPS_MAX)
  readonly #working = new Set<Promise<void>>()
  #searches = 0
  #restoring: Promise<void> | undefined

  constructor(options: SnapshotsOptions) {
    const { db, now = () => performance.now() } = options
    this.#options = options
    this.#db = db
    this.#scanner = new VectorScanner(options)
    this.#now = now
  }

  /** Retains an entry's memory for a search until it is released. */
  take(entry: Entry): void {
    entry.holders += 1
    this.#searches += 1
  }

  async scan(
    { table }: VectorSnapshot,
    vector: Float32Array,
    asked: { allowed: Uint8Array | null; limit: number },
  ): ReturnType<VectorScanner['scan']> {
    return await this.#scanner.scan(table, vector, { ...asked, isAlone: this.#searches === 1 })
  }

  held(): { bytes: number; organizations: number } {
    const bytes = [...this.#entries.values()].reduce((sum, { snapshot }) => sum + snapshot.table.bytes, 0)
    return { bytes, organizations: this.#entries.size }
  }

  async evictRemoved(): Promise<void> {
    const held = [...this.#entries.values()]
    const there = await existingOrganizations(
      this.#db,
      held.map(({ organizationId }) => organizationId),
    )
    for (const entry of held) if (!there.has(entry.organizationId)) this.#drop(entry)
  }

  /** Restores the saved snapshots, one at a time. Loads wait for it. */
  restored(): Promise<void> {
    const { saved } = this.#options
    if (!saved) return Promise.resolve()
    const deps = { db: this.#db, scanner: this.#scanner, signal: this.#stopping.signal }
    return (this.#restoring ??= saved.restoreAll(deps, (snapshot) => this.#adopt(snapshot)))
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#restoring, ...this.#working])
    const { saved, rowsSavedMin: rowsMin } = this.#options
    const entries = [...this.#entries.values()].toReversed().filter(({ isReady }) => isReady)
    const catchUp = (entry: Entry, signal: AbortSignal): Promise<void> => this.#applyChanges(entry, signal)
    await saved?.saveAll({ db: this.#db, rowsMin }, entries, catchUp)
    await this.#scanner.close()
  }

  /** Applies all changes committed before the call. A call during a run waits for a run that starts later. */
  async catchUp(entry: Entry): Promise<void> {
    await entry.catchingUp
    // Another snapshot may already use its memory.
    if (entry.isDropped) return
    entry.catchingUp ??= this.#work(entry, () =>
      this.#catchUpLimit(async () => {
        if (!entry.isDropped) await this.#applyChanges(entry, this.#stopping.signal)
      }),
    ).finally(() => (entry.catchingUp = null))
    await entry.catchingUp
  }

  /** Runs a read-only task in the background while retaining the entry. A shutdown aborts it. */
  later(entry: Entry, act: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopping
    if (signal.aborted) return
    void this.#work(entry, async () => {
      try {
        await act(signal)
      } catch (error) {
        // The snapshot is unchanged: searches keep using it, and a shutdown saves it.
        if (!signal.aborted) this.#options.onError(error, entry.organizationId)
      }
    })
  }

  /** The organization's snapshot, which starts loading if new; null: none is possible now. */
  find(of: SnapshotOf): Entry | null {
    const held = this.#entries.get(of.organizationId)
    if (held && held.modelId !== of.modelId) this.#drop(held)
    const entry = this.#entries.get(of.organizationId) ?? this.#begin(of)
    if (!entry) return null
    entry.usedAt = this.#now()
    this.#entries.delete(of.organizationId)
    this.#entries.set(of.organizationId, entry)
    return entry
  }

  #begin(of: SnapshotOf): Entry | null {
    if (of.dimensions > SCAN_DIMENSIONS_MAX || this.#stopping.signal.aborted) return null
    if ((this.#refusedUntil.get(of.organizationId) ?? 0) > this.#now()) return null
    if (this.#loadLimit.pendingCount >= LOADS_WAITING_MAX) return null
    const entry = this.#add(of)
    entry.ready = this.#loadLimit(() => this.#work(entry, () => this.#load(entry)))
    return entry
  }

  #add({ organizationId, modelId, dimensions }: SnapshotOf): Entry {
    const of = { organizationId, modelId, dimensions }
    const snapshot = new VectorSnapshot(of, this.#scanner)
    const state = { isReady: false, catchingUp: null, holders: 0, isDropped: false }
    const entry: Entry = { ...of, ...state, snapshot, ready: Promise.resolve(), usedAt: this.#now() }
    this.#entries.set(organizationId, entry)
    return entry
  }

  async #load(entry: Entry): Promise<void> {
    await setImmediate()
    await this.restored()
    if (entry.isDropped || entry.isReady) return
    const { snapshot, organizationId } = entry
    // Set first, so that a failure is not retried at once.
    if (this.#refusedUntil.size >= REFUSED_MAX) this.#refusedUntil.clear()
    this.#refusedUntil.set(organizationId, this.#now() + REFUSED_MS)
    // Reads the revision before the rows, so that rows that change in the meantime are read again.
    snapshot.reach(await readRevision(this.#db, organizationId))
    const rows = await countRows(this.#db, entry)
    if (!this.#makeRoom(snapshot.table, rows)) throw new NoRoom()
    await snapshot.read(this.#db, this.#stopping.signal)
    await this.#makeReady(entry)
    this.#refusedUntil.delete(organizationId)
  }

  /** Takes over a restored snapshot, for which a search may already wait. */
  async #adopt(snapshot: VectorSnapshot): Promise<boolean> {
    const entry = this.#entries.get(snapshot.organizationId) ?? this.#add(snapshot)
    if (entry.isReady || entry.modelId !== snapshot.modelId) {
      snapshot.release()
      return false
    }
    entry.snapshot = snapshot
    entry.ready = this.#work(entry, () => this.#makeReady(entry))
    await entry.ready
    return entry.isReady
  }

  async #makeReady(entry: Entry): Promise<void> {
    await this.#applyChanges(entry, this.#stopping.signal)
    entry.isReady = true
  }

  /** Applies the changes since the snapshot's revision. Drops a snapshot that can't be updated. */
  async #applyChanges(entry: Entry, signal: AbortSignal): Promise<void> {
    const { snapshot } = entry
    const { revision, removedSourceIds, itemIds } = await readChanges(this.#db, entry, snapshot.revision)
    if (itemIds === null) {
      this.#drop(entry)
      return
    }
    if (revision !== snapshot.revision) await snapshot.replace(this.#db, itemIds, signal)
    snapshot.reach(revision, removedSourceIds)
  }

  /** Works on a snapshot while retaining its memory. Drops the snapshot on failure. */
  async #work(entry: Entry, act: () => Promise<void>): Promise<void> {
    const work = this.#holding(entry, act)
    this.#working.add(work)
    await work.finally(() => this.#working.delete(work))
  }

  async #holding(entry: Entry, act: () => Promise<void>): Promise<void> {
    entry.holders += 1
    try {
      await act()
    } catch (error) {
      const { aborted } = this.#stopping.signal
      // A shutdown still saves a snapshot if it interrupted none of its changes.
      if (!aborted || !entry.isReady || entry.snapshot.isChanging) this.#drop(entry)
      if (!aborted && !(error instanceof NoRoom)) this.#options.onError(error, entry.organizationId)
    } finally {
      this.#release(entry)
    }
  }

  release(entry: Entry): void {
    this.#searches -= 1
    this.#release(entry)
  }

  #release(entry: Entry): void {
    entry.holders -= 1
    if (entry.isDropped && entry.holders === 0) entry.snapshot.release()
  }

  #drop(entry: Entry): void {
    if (entry.isDropped) return
    entry.isDropped = true
    if (this.#entries.get(entry.organizationId) === entry) this.#entries.delete(entry.organizationId)
    if (entry.holders === 0) entry.snapshot.release()
  }

  /** Evicts snapshots that were not used recently until a table has room for this many rows. @returns whether it has */
  #makeRoom(table: RowTable, rows: number): boolean {
    if (!this.#scanner.hasRoom(table, rows, true)) return false
    for (const entry of this.#entries.values()) {
      if (this.#scanner.hasRoom(table, rows)) return true
      if (entry.holders === 0 && this.#now() - entry.usedAt >= UNEVICTED_MS) this.#drop(entry)
    }
    return this.#scanner.hasRoom(table, rows)
  }
}
