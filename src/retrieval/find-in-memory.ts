import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { storableJson, storableText } from '../kernel/text.ts'
import {
  type Candidates,
  type HeldCopy,
  isChanging,
  type ItemScope,
  type VectorMemory,
} from '../vector-memory/index.ts'
import { findByIndex } from './find-by-index.ts'
import { createKnownChunks, type KnownChunks } from './known-chunks.ts'
import {
  type Decided,
  decideNearest,
  findNearest,
  type NearChunk,
  type Nearest,
  type NearestQuery,
  type Since,
} from './find-nearest.ts'

/**
 * Who found the nearest chunks: the copy in memory with the database's last word, an approximate index with the same, or the
 * database alone.
 */
export type SearchPath = 'memory' | 'approximate' | 'database'

/** The chunks nearest to a query: exactly, unless the organization's operator asked for an approximate index. */
export type FindNearest = (query: NearestQuery) => Promise<Nearest>

/** While others write without a pause, or what was proposed is gone, it is asked again so often; then the database answers. */
const ROUNDS_MAX = 4
/** One that is too far behind is given up, and another one made. */
const COPIES_MAX = 2
/** Where what was proposed is not enough, it is asked for so many times more. */
const WIDER = 4
/** An entity that more items name is for the database. */
const NAMED_ITEMS_MAX = 50_000

/**
 * Finds the nearest chunks by the copy in memory where there is one. It proposes all chunks that may be among the nearest; of these
 * and of what has changed since the copy's revision it is then decided which are there, in scope and how near, and whether the same
 * model answers. So the answer is the same, to the last digit, as the database's own.
 */
export function createFindNearest({
  db,
  memory,
  known = createKnownChunks({ db }),
  onAnswered = () => {},
}: {
  db: Db
  memory?: VectorMemory
  known?: KnownChunks
  onAnswered?: (path: SearchPath) => void
}): FindNearest {
  return async (query) => {
    const held =
      memory === undefined
        ? null
        : await findInMemory(db, memory, query, (proposed, since) =>
            since === null ? known.nearest(query, proposed) : decideNearest(db, query, proposed.keys, since),
          )
    if (held === null) return await findWithoutCopy(db, query, onAnswered)
    onAnswered('memory')
    return held
  }
}

/** What the database finds, by an approximate index where there is one. */
export async function findWithoutCopy(
  db: Db,
  query: NearestQuery,
  onAnswered: (path: SearchPath) => void,
): Promise<Nearest> {
  const found = await findByIndex(db, query)
  onAnswered(found === null ? 'database' : 'approximate')
  return found ?? (await findNearest(db, query))
}

/**
 * What is decided of what a copy proposes; null: it changed meanwhile.
 * @param since what the copy may lack; null: nothing, as far as is known
 */
export type Decide<Chunk> = (proposed: Candidates, since: Since | null) => Promise<Decided<Chunk> | null>

/** What is decided of what the copy in memory proposes; null where the database has to answer alone. */
export async function findInMemory<Chunk extends NearChunk>(
  db: Db,
  memory: VectorMemory,
  query: NearestQuery,
  decide: Decide<Chunk>,
): Promise<Nearest<Chunk> | null> {
  for (let copies = 1; ; copies++) {
    const copy = await memory.take({
      organizationId: query.organizationId,
      modelId: query.model.id,
      dimensions: query.vector.length,
    })
    if (copy === null) return null
    try {
      const scope = await scopeOf(db, query)
      const found = scope && (await decideByRounds(copy, query, scope, decide))
      if (found !== null || scope === null || !copy.isGivenUp || copies === COPIES_MAX) return found
    } finally {
      copy.letGo()
    }
  }
}

async function decideByRounds<Chunk extends NearChunk>(
  copy: HeldCopy,
  query: NearestQuery,
  asked: ItemScope,
  decide: Decide<Chunk>,
): Promise<Nearest<Chunk> | null> {
  let scope = asked
  let { limit } = query
  let isBehind = false
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const proposed = await copy.candidates(query.vector, limit, scope)
    if (proposed === null) return null
    const { stage } = proposed
    if (isChanging(stage)) {
      if (!(await copy.settle())) return null
      continue
    }
    const { isConfirmed, revision } = stage
    isBehind ||= !isConfirmed || (query.seenRevision ?? revision) !== revision
    const decided = await decide(proposed, isBehind ? { revision, chunksMax: copy.comparedMax } : null)
    const nearest = decided?.nearest
    if (nearest && nearest.state !== 'found') return nearest
    const isOfStage = decided?.revision === revision
    if (!nearest || !(isOfStage || decided?.changedItemIds)) {
      if (isBehind && !(await copy.follow())) return null
      isBehind = true
      continue
    }
    if (!isOfStage) copy.followLater()
    const { removedSourceIds, last } = decided
    if (isOfStage && removedSourceIds.length === 0) stage.isConfirmed = true
    scope = { ...asked, exceptSourceIds: removedSourceIds }
    const inScope = scope
    // What was not proposed is less similar than the last of what was found.
    if (last >= proposed.floor)
      return isOfStage ? { ...nearest, countCompared: async () => copy.count(inScope) } : nearest
    limit *= WIDER
  }
  return null
}

const Metadata = z.record(z.string(), z.unknown())
const Named = z.array(z.object({ source_item_id: z.string() }))

/** What the filter asks of items, as copies know them; null: too many items name the entity. */
async function scopeOf(db: Db, query: NearestQuery): Promise<ItemScope | null> {
  const { organizationId, providers, filter, entityIds } = query
  const { sourceKinds, authorName, connectorId, updatedAfter, updatedBefore, metadata } = filter
  let itemIds: string[] | undefined
  if (entityIds !== null) {
    const { rows } = await sql`
      select distinct n.source_item_id from item_entities n
      where n.organization_id = ${organizationId} and n.entity_id in (${sql.join([...entityIds])})
      limit ${NAMED_ITEMS_MAX + 1}`.execute(db)
    itemIds = Named.parse(rows).map((row) => row.source_item_id)
    if (itemIds.length > NAMED_ITEMS_MAX) return null
  }
  return {
    providers,
    sourceKinds,
    authorName: authorName === undefined ? undefined : storableText(authorName),
    sourceId: connectorId?.toLowerCase(),
    updatedFrom: updatedAfter === undefined ? undefined : Date.parse(updatedAfter),
    updatedBefore: updatedBefore === undefined ? undefined : Date.parse(updatedBefore),
    metadata: metadata && Metadata.parse(storableJson(metadata)),
    itemIds,
  }
}
