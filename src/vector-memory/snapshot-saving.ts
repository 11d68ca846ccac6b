import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { layoutOf, ROWS_A_BLOCK } from './block-layout.ts'
import { readMark, type SnapshotOf } from './read-snapshot.ts'
import { type ItemFacts, SavedItems } from './item-facts.ts'
import { NoRoom, type RowTable } from './row-table.ts'
import { NO_ITEM } from './scan.ts'
import { NotWhole, type SavedHead, type SavedSnapshot, type SavedSnapshots } from './saved-snapshots.ts'
import type { Entry, VectorSnapshot } from './vector-snapshot.ts'

interface SnapshotParts {
  facts: ItemFacts
  table: RowTable
}

const WORD = 4
/** A piece of rows starts with each row's item number and position; the blocks follow. */
const KEY_WORDS = 2
const KEYS_BYTES = ROWS_A_BLOCK * KEY_WORDS * WORD
/** Size of one write or read: a millisecond or less, a few for items. */
const PIECE_BYTES = 2 ** 20
const ITEMS_A_PIECE = 512

/** Reading fewer from the database takes less than a tenth of a second. */
const ROWS_MIN = 1_024
/** Time limit of saving at a stop. A stop has 30 s, of which requests may use 25. */
const SAVING_MS = 3_000

export interface SavingDeps {
  db: Db
  saved: SavedSnapshots
  /** Smaller snapshots are not saved. */
  rowsMin?: number | undefined
  /** Aborts at a stop. */
  signal: AbortSignal
  entryOf(organizationId: string): Entry | undefined
  /** Starts to load a snapshot; null: none can be held now. */
  begin(of: SnapshotOf, dimensions: number): Entry | null
  /** An empty snapshot to replace an entry's. */
  empty(entry: Entry): VectorSnapshot
  hasRoom(blocks: number, size: number): boolean
  /**
   * Drops other snapshots until this many blocks fit.
   * @returns whether they fit
   */
  makeRoom(blocks: number, size: number): boolean
  catchUp(entry: Entry, signal: AbortSignal): Promise<void>
}

/** Carries snapshots from a stop to the next start: saves them, then restores them in the background. */
export class SnapshotSaving {
  readonly #deps: SavingDeps

  constructor(deps: SavingDeps) {
    this.#deps = deps
  }

  /**
   * Restores an entry from its file.
   * @returns false if there is no usable file.
   * @throws NoRoom
   */
  async restore(entry: Entry): Promise<boolean> {
    const { saved, signal, empty } = this.#deps
    let taken: SavedSnapshot | null = null
    try {
      taken = await saved.take(entry.organizationId)
      return taken !== null && (await this.#restoreFrom(entry, taken))
    } catch (err) {
      if (err instanceof NoRoom || signal.aborted) throw err
      saved.logger.warn(
        { err, organizationId: entry.organizationId },
        'saved vectors could not be used; they are read from the database',
      )
      entry.snapshot.release()
      entry.snapshot = empty(entry)
      return false
    } finally {
      await taken?.close()
    }
  }

  async #restoreFrom({ snapshot, modelId }: Entry, { head, pieces }: SavedSnapshot): Promise<boolean> {
    const { makeRoom, signal } = this.#deps
    if (head.modelId !== modelId || !(await this.#isOfThisDatabase(head))) return false
    if (!makeRoom(head.blocks, snapshot.table.layout.blockBytes)) throw new NoRoom()
    await restorePieces(snapshot, pieces, signal)
    snapshot.reach(head.revision)
    return true
  }

  async #isOfThisDatabase(head: SavedHead): Promise<boolean> {
    return (await readMark(this.#deps.db, head, head.revision)) === head.mark
  }

  async restoreAll(): Promise<void> {
    const { saved, signal, entryOf } = this.#deps
    const startedAt = performance.now()
    let organizations = 0
    try {
      for (const organizationId of await saved.list()) {
        if (signal.aborted) return
        await this.#restoreOne(organizationId).catch(async (err: unknown) => {
          saved.logger.warn({ err, organizationId }, 'saved vectors could not be restored')
          await saved.remove(organizationId)
        })
        if (entryOf(organizationId)?.isReady) organizations += 1
      }
      if (organizations === 0) return
      const ms = Math.round(performance.now() - startedAt)
      saved.logger.info({ organizations, ms }, 'restored the vectors that the last stop saved')
    } catch (err) {
      saved.logger.warn({ err }, 'saved vectors could not be restored; they are read from the database')
    }
  }

  /** A file that is unusable now stays unusable. A search may already be restoring the snapshot. */
  async #restoreOne(organizationId: string): Promise<void> {
    const { saved, entryOf, begin, hasRoom } = this.#deps
    const head = entryOf(organizationId) ? null : await saved.peek(organizationId)
    const isOfUse =
      head !== null &&
      hasRoom(head.blocks, layoutOf(head.dimensions).blockBytes) &&
      (await this.#isOfThisDatabase(head))
    const entry =
      entryOf(organizationId) ??
      (isOfUse ? begin({ organizationId, modelId: head.modelId }, head.dimensions) : null)
    if (entry) await entry.ready
    else await saved.remove(organizationId)
  }

  async saveAll(entries: readonly Entry[]): Promise<void> {
    const { saved } = this.#deps
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(SAVING_MS)
    let organizations = 0
    for (const entry of entries) {
      if (signal.aborted) break
      try {
        if (await this.#save(entry, signal)) organizations += 1
      } catch (err) {
        const { organizationId } = entry
        saved.logger.warn(
          { err, organizationId },
          'vectors could not be saved; the next start reads them from the database',
        )
      }
    }
    if (organizations === 0) return
    const ms = Math.round(performance.now() - startedAt)
    saved.logger.info({ organizations, ms }, 'saved the vectors in memory for the next start')
  }

  /** Applies all changes first, so that no file contains deleted items. */
  async #save(entry: Entry, signal: AbortSignal): Promise<boolean> {
    const { db, saved, rowsMin = ROWS_MIN, catchUp } = this.#deps
    const { snapshot, organizationId, modelId } = entry
    await catchUp(entry, signal)
    const { table } = snapshot
    const blocks = table.blocks.length
    const { revision } = snapshot
    if (entry.isDropped || blocks * ROWS_A_BLOCK < rowsMin) return false
    const mark = await readMark(db, entry, revision)
    if (mark === null) return false
    await table.wipe(signal)
    const head = { organizationId, modelId, dimensions: table.layout.dimensions, blocks, revision, mark }
    await saved.write(head, piecesOf(snapshot), signal)
    return true
  }
}

/** The items, then the rows, for {@link restorePieces}. Pieces are made on demand. */
function* piecesOf({ facts, table }: SnapshotParts): Generator<Uint8Array, void> {
  const items = facts.numbers
  yield Buffer.from(JSON.stringify({ items }))
  for (let from = 0; from < items; from += ITEMS_A_PIECE)
    yield Buffer.from(JSON.stringify(facts.saved(from, from + ITEMS_A_PIECE)))
  const blocks = table.blocks.length
  const atOnce = Math.max(1, Math.floor(PIECE_BYTES / table.layout.blockBytes))
  for (let from = 0; from < blocks; from += atOnce)
    yield blocksPiece(table, from, Math.min(from + atOnce, blocks))
}

function blocksPiece(table: RowTable, from: number, to: number): Uint8Array {
  const rows = (to - from) * ROWS_A_BLOCK
  const keys = new Uint32Array(rows * KEY_WORDS)
  for (let row = 0; row < rows; row++) {
    const at = from * ROWS_A_BLOCK + row
    keys[row * KEY_WORDS] = table.itemOf(at)
    keys[row * KEY_WORDS + 1] = table.positionOf(at)
  }
  const { blockBytes } = table.layout
  const piece = new Uint8Array(keys.byteLength + (to - from) * blockBytes)
  piece.set(new Uint8Array(keys.buffer))
  for (let block = from; block < to; block++)
    piece.set(table.bytesOf(block), keys.byteLength + (block - from) * blockBytes)
  return piece
}

const SavedCount = z.object({ items: z.int() })

/**
 * Restores into an empty snapshot what `piecesOf` produced.
 * @throws NoRoom, NotWhole, what the pieces throw, and the reason of `signal`
 */
async function restorePieces(
  { facts, table }: SnapshotParts,
  pieces: AsyncGenerator<Uint8Array, void>,
  signal: AbortSignal,
): Promise<void> {
  const next = async (): Promise<Uint8Array | null> => {
    signal.throwIfAborted()
    const { done, value } = await pieces.next()
    return done ? null : value
  }
  const { items } = SavedCount.parse(readJson(await next()))
  while (facts.numbers < items) facts.restore(SavedItems.parse(readJson(await next())))
  for (let piece = await next(); piece !== null; piece = await next()) restoreBlocks({ facts, table }, piece)
}

function readJson(piece: Uint8Array | null): unknown {
  if (piece === null) throw new NotWhole('it ends before its rows')
  return JSON.parse(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('utf8'))
}

function restoreBlocks({ facts, table }: SnapshotParts, piece: Uint8Array): void {
  const { blockBytes } = table.layout
  const count = piece.length / (KEYS_BYTES + blockBytes)
  if (!Number.isInteger(count)) throw new NotWhole('a piece has parts of blocks')
  const keys = new Uint32Array(piece.slice(0, count * KEYS_BYTES).buffer)
  for (let index = 0; index < count; index++) {
    const from = count * KEYS_BYTES + index * blockBytes
    table.addBlock().set(piece.subarray(from, from + blockBytes))
  }
  for (let at = 0; at < keys.length; at += KEY_WORDS) {
    const row = table.nextRow()
    const item = keys[at] ?? NO_ITEM
    if (item === NO_ITEM) table.free(row)
    else if (facts.idOf(item) === '') throw new NotWhole('a row is of no item')
    else {
      table.assign(row, item, keys[at + 1] ?? 0)
      facts.addRows(item, 1)
    }
  }
}
