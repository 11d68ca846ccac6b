import { setImmediate as turn } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Db } from '../database/database.ts'
import { type BlockLayout, DIMENSIONS_MAX, layoutOf, ROWS_A_BLOCK } from './block-layout.ts'
import { type SnapshotOf, countRows, readChanges, readRevision, whichAreThere } from './read-rows.ts'
import type { SavedSnapshots } from './saved-snapshots.ts'
import type { Proposal, ScanJob } from './scan.ts'
import type { WordsBudget } from './row-words.ts'
import { createSharedMemory, type SharedMemory } from './shared-memory.ts'
import { NoRoom } from './row-table.ts'
import { SnapshotSaving } from './snapshot-saving.ts'
import type { Entry } from './entry.ts'
import { isChanging, VectorSnapshot } from './vector-snapshot.ts'
import { createVectorThreads, type VectorThreads } from './vector-threads.ts'

export interface SnapshotsOptions {
  db: Db
  /** How much vectors may take. */
  bytes: number
  /** Threads beside the caller's that scan and write. */
  threads: number
  /** A snapshot could not be made or kept; the database answers. */
  onError: (error: unknown, organizationId: string) => void
  /** A snapshot with more rows is written and scanned by threads, 8,192 if not said; twice as many for a search that comes alone. */
  rowsHereMax?: number
  /** Where snapshots are between a stop and the next start; left out, they are made anew. */
  saved?: SavedSnapshots | undefined
  /** A snapshot with fewer rows is not saved, 1,024 if not said. */
  rowsSavedMin?: number
  now?: () => number
}

/** A snapshot that was used since is not given up for another one: else organizations would push each other out in turns. */
const KEPT_MS = 5_000
/** What found no room, or failed, is not tried again for so long. */
const REFUSED_MS = 60_000
const REFUSED_MAX = 10_000
const LOADS_WAITING_MAX = 16
/** What words may take beside the vectors, as a share of their memory: 128 MiB hold the words of 300,000 chunks. */
const WORDS_SHARE = 1 / 8
/** What one takes in is beside the memory that is bounded. */
const FOLLOWING_MAX = 4
const ROWS_HERE_MAX = 8_192

/** The snapshots that are held, one for each organization, in memory of a bounded size. */
export class Snapshots {
  readonly #db: Db
  readonly #shared: SharedMemory
  readonly #threads: VectorThreads
  readonly #onError: SnapshotsOptions['onError']
  readonly #wordsBudget: WordsBudget
  readonly #rowsHereMax: number
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
    this.#rowsHereMax = rowsHereMax
    this.#onError = onError
    this.#now = now
    this.#saving = saved && this.#createSaving(saved, rowsSavedMin)
  }

  /** The organization's snapshot, begun if there is none; null: none can be made now. */
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

  /** What may be nearest among a snapshot's rows. @returns null where too many are equally near. @throws when a thread ended */
  scan(
    snapshot: VectorSnapshot,
    asked: Pick<ScanJob, 'question' | 'allowed' | 'limit'>,
  ): Promise<Proposal | null> {
    const { layout, blocks, rowItems } = snapshot.table
    return this.#threads.scan({ ...asked, layout, blocks, rowItems }, this.#searches === 1)
  }

  /** Catches up with all that is committed by now. Calls during a run wait for one that begins after it. */
  async follow(entry: Entry): Promise<void> {
    await entry.following
    // Its memory may be another snapshot's by now.
    if (entry.isDropped) return
    entry.following ??= this.#work(entry, () =>
      this.#followTurn(async () => {
        if (!entry.isDropped) await this.#catchUp(entry, this.#stopping.signal)
      }),
    ).finally(() => (entry.following = null))
    await entry.following
  }

  /** Works in the background while the entry is held, without changing it; a stop aborts it. */
  later(entry: Entry, act: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopping
    if (signal.aborted) return
    void this.#work(entry, async () => {
      try {
        await act(signal)
      } catch (error) {
        // The snapshot is as it was: a stop saves it, and searches go on with it.
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

  /** Drops the snapshots of deleted organizations, and of those being removed. */
  async forgetRemoved(): Promise<void> {
    const held = [...this.#entries.values()]
    const there = await whichAreThere(
      this.#db,
      held.map(({ organizationId }) => organizationId),
    )
    for (const entry of held) if (!there.has(entry.organizationId)) this.#drop(entry)
  }

  /** Restores what the last stop saved, one snapshot after the other, in the background. */
  start(): void {
    if (this.#saving) this.#restoring = this.#saving.restoreAll()
  }

  /** Ends loads and threads, and saves what is held. */
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
      threads: this.#threads,
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
    // Should it fail, it is not tried again at once.
    this.#refuse(organizationId)
    if (!(await this.#saving?.restore(entry))) await this.#readAnew(entry)
    await this.#catchUp(entry, this.#stopping.signal)
    entry.isReady = true
    this.#refusedUntil.delete(organizationId)
  }

  async #readAnew(entry: Entry): Promise<void> {
    const { snapshot, organizationId } = entry
    // First, so that what changes while rows are read is read again.
    snapshot.reach(await readRevision(this.#db, organizationId))
    const rows = await countRows(this.#db, entry)
    if (!this.#makeRoom(Math.ceil(rows / ROWS_A_BLOCK), snapshot.table.layout.blockBytes)) throw new NoRoom()
    await snapshot.read(this.#db, null, this.#stopping.signal, { isLarge: rows > this.#rowsHereMax })
  }

  /** One that is too far behind is dropped: it is made anew. */
  async #catchUp(entry: Entry, signal: AbortSignal): Promise<void> {
    const { snapshot, organizationId } = entry
    const { revision, itemIds } = await readChanges(this.#db, organizationId, snapshot.stage.revision)
    if (itemIds === null) {
      this.#drop(entry)
      return
    }
    if (revision === snapshot.stage.revision) return
    // Until all is there that is new, what was before is searched.
    const ordered = [...itemIds].toSorted()
    const rows = await snapshot.readFirst(this.#db, ordered, signal)
    snapshot.leave()
    snapshot.remove(itemIds)
    await snapshot.add(rows)
    const { after } = rows
    if (after !== null) await snapshot.read(this.#db, ordered, signal, { isLarge: false, after })
    snapshot.reach(revision)
  }

  /** Work on a snapshot, whose memory nobody else gets meanwhile. A snapshot whose work fails is dropped. */
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
      // A stop saves what it has not broken off in the middle.
      if (!aborted || !entry.isReady || isChanging(entry.snapshot.stage)) this.#drop(entry)
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

  /** Gives up what was not used lately until so many blocks find room. @returns whether they do */
  #makeRoom(blocks: number, size: number): boolean {
    if (!this.#shared.couldHold(blocks, size)) return false
    for (const entry of this.#entries.values()) {
      if (this.#shared.hasRoom(blocks, size)) return true
      if (entry.holders === 0 && this.#now() - entry.usedAt >= KEPT_MS) this.#drop(entry)
    }
    return this.#shared.hasRoom(blocks, size)
  }
}
