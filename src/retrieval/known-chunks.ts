import type { Db } from '../database/database.ts'
import { inSlices } from '../kernel/slices.ts'
import type { Candidates } from '../vector-memory/index.ts'
import {
  type Decided,
  decideHowNear,
  decideNearest,
  foundOf,
  type NearChunk,
  type NearestChunk,
  type NearestQuery,
} from './find-nearest.ts'
import { createKeptChunks, type KeptChunks } from './kept-chunks.ts'
import { keyText } from './read-chunks.ts'
import { createReadLater } from './read-later.ts'
import type { SumOrder } from './sum-order.ts'
import { createSumming } from './summing.ts'
import { byNearness, isCertainOfScope, type KnownNear, lastOf, tellingNear, type Told } from './tell-near.ts'

/**
 * Decides of what a copy proposes as the database does, to the last digit: by what is kept of chunks, as far as that goes, and else
 * by asking. Nothing is asked where all is kept and the copy is of the revision that the caller's key was admitted at.
 */
export interface KnownChunks {
  /** The nearest, with what is shown of them. */
  nearest(query: NearestQuery, proposed: Candidates): Promise<Decided>
  /** Only how near they are. */
  howNear(query: NearestQuery, proposed: Candidates): Promise<Decided<NearChunk>>
}

export function createKnownChunks({
  db,
  kept = createKeptChunks(),
}: {
  db: Db
  kept?: KeptChunks
}): KnownChunks {
  const summing = createSumming(db)
  const readLater = createReadLater(db, kept)

  const tell = async (
    query: NearestQuery,
    proposed: Candidates,
  ): Promise<Told & { order: SumOrder | null }> => {
    const order = await summing.order()
    const told = await inSlices(tellingNear(kept, query, proposed, order))
    if (told.unknown.length > 0 && order !== null && isCertainOfScope(query))
      readLater(query, proposed, { unknown: told.unknown, order })
    return { ...told, order }
  }

  /** Has the database tell the nearest of the best that are known and of what is not. */
  const decideBest = async (
    query: NearestQuery,
    proposed: Candidates,
    { near, unknown, order }: Told & { order: SumOrder | null },
  ): Promise<Decided> => {
    const best = near.slice(0, query.limit)
    const decided = await decideNearest(db, query, [...best.map(({ candidate }) => candidate), ...unknown])
    const { nearest, removedSourceIds, revision } = decided
    if (nearest.state !== 'found' || revision !== proposed.stage.revision) return decided
    // The copy may hold items of a removed source, which are not told: what is near beyond these was not asked for.
    const isAllThere = removedSourceIds.length === 0
    const isAsKnown = isSame(best, nearest.chunks, unknown.length === 0 && isAllThere)
    if (isAsKnown && isAllThere) return decided
    if (!isAsKnown) summing.doubt(order)
    return await decideNearest(db, query, proposed.keys)
  }

  return {
    async nearest(query, proposed) {
      const told = await tell(query, proposed)
      if (told.unknown.length > 0 || !isOfNow(query, proposed)) return await decideBest(query, proposed, told)
      const chunks: NearestChunk[] = []
      for (const { chunk, kept: of } of told.near.slice(0, query.limit))
        chunks.push({ ...chunk, ...of.shown })
      return decidedHere(db, query, proposed, chunks)
    },

    async howNear(query, proposed) {
      const { near, unknown } = await tell(query, proposed)
      const known = near.map(({ chunk }) => chunk)
      if (unknown.length === 0 && isOfNow(query, proposed))
        return decidedHere(db, query, proposed, known.slice(0, query.limit))
      const decided = await decideHowNear(db, query, unknown)
      if (decided.nearest.state !== 'found') return decided
      // The copy may hold items of a removed source.
      if (decided.removedSourceIds.length > 0) return await decideHowNear(db, query, proposed.keys)
      const chunks = [...known, ...decided.nearest.chunks].toSorted(byNearness).slice(0, query.limit)
      return { ...decided, last: lastOf(chunks, query), nearest: foundOf(db, query, chunks) }
    },
  }
}

/** Whether the copy is all that the database had when the caller's key was admitted. */
function isOfNow({ seenRevision }: NearestQuery, { stage }: Candidates): boolean {
  return stage.isConfirmed && stage.revision === seenRevision
}

function decidedHere<Chunk extends NearChunk>(
  db: Db,
  query: NearestQuery,
  { stage: { revision } }: Candidates,
  chunks: Chunk[],
): Decided<Chunk> {
  return {
    nearest: foundOf(db, query, chunks),
    removedSourceIds: [],
    revision,
    changedItemIds: null,
    last: lastOf(chunks, query),
  }
}

/** Whether the database says of the known ones what is known; all of them are there where nothing else was asked for. */
function isSame(known: readonly KnownNear[], told: readonly NearChunk[], isAll: boolean): boolean {
  if (isAll && told.length !== known.length) return false
  const chunks = new Map(known.map(({ candidate, chunk }) => [keyText(candidate), chunk]))
  return told.every(({ sourceItemId: itemId, position, score, meaning }) => {
    const here = chunks.get(keyText({ itemId, position }))
    return here === undefined || (here.score === score && here.meaning === meaning)
  })
}
