import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { storableJson } from '../kernel/text.ts'
import type { Candidate, HeldSnapshot, Proposal } from '../vector-memory/index.ts'
import { type ChunkRow, keyText, type NearestQuery, type Outcome, type Proposer } from './nearest-query.ts'
import { readRows, type StoredRows } from './read-rows.ts'
import { fitsRowCache, type RowCache } from './row-cache.ts'

/** The rows of candidates, with the changes since the proposal. */
export interface RowsRead {
  state: 'read'
  /** By key: readable candidates in scope that still exist, and all chunks of changed items in scope. */
  rows: Map<string, ChunkRow>
  changedItemIds: ReadonlySet<string>
}

/**
 * Gets the rows of candidates from the cache, and the others in one statement; without a statement if nothing
 * can have changed.
 */
export type ReadCandidates = (
  proposer: Proposer,
  query: NearestQuery,
  wanted: {
    proposal: Proposal
    candidates: readonly Candidate[]
    /** Rows that are not cached may be omitted if they cannot be among this many nearest. */
    nearest?: number
  },
) => Promise<RowsRead | Exclude<Outcome, { state: 'found' }>>

export function createReadCandidates({
  db,
  cache,
  missedRows = () => {},
}: {
  db: Db
  cache: RowCache
  /** Called if rows were read that the cache could have. */
  missedRows?: (held: HeldSnapshot) => void
}): ReadCandidates {
  const onMissed = (cached: HeldSnapshot | null): void => void (cached && missedRows(cached))
  return async (proposer, query, { proposal, candidates, nearest }) => {
    const cached = canBeCached(proposer, query)
    const { rows, missing } = fromCache(cached && cache, query, candidates)
    if (missing.length > 0) onMissed(cached)
    else if (isCurrent(proposer, query, proposal)) return { state: 'read', rows, changedItemIds: NONE }
    const read = await readRows(db, query, {
      keys: missing,
      since: proposal.revision,
      // The cache takes all rows.
      narrowing: nearest === undefined || cached ? undefined : { vector: query.vector, limit: nearest },
    })
    const refusal = refusalOf(proposer, query, proposal, read)
    if (refusal) return refusal
    const changedItemIds = putRead(rows, read, query)
    if (read.standing.revision !== proposal.revision) proposer.held?.followLater()
    else if (cached) toCache(cache, missing, rows)
    return { state: 'read', rows, changedItemIds }
  }
}

const NONE: ReadonlySet<string> = new Set()

/** The snapshot whose rows are cached; null: not all of them fit, or a cached row does not show whether it matches. */
function canBeCached({ held }: Proposer, { entityIds }: NearestQuery): HeldSnapshot | null {
  return held !== null && entityIds === null && fitsRowCache(held.snapshot) ? held : null
}

/** Whether nothing has changed since the caller was admitted. */
function isCurrent({ held }: Proposer, { seenRevision }: NearestQuery, { revision }: Proposal): boolean {
  return held !== null && revision === seenRevision
}

/** Why rows are of no use to a proposal; null: they are. */
function refusalOf(
  { held }: Proposer,
  query: NearestQuery,
  proposal: Proposal,
  { standing: { model, removedSourceIds }, changedItemIds }: StoredRows,
): Exclude<Outcome, { state: 'found' }> | null {
  if (model === null) return { state: 'nothing_stored' }
  if (model.id !== query.model.id) return { state: 'other_model', model }
  // The database itself proposes nothing of these sources.
  const isOutdated = held !== null && !isSameSet(removedSourceIds, proposal.removedSourceIds)
  return isOutdated || changedItemIds === null ? { state: 'outdated' } : null
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((one) => right.includes(one))
}

/** The cached rows that the query may have, and the candidates that are not cached. */
function fromCache(
  cache: RowCache | null,
  query: NearestQuery,
  candidates: readonly Candidate[],
): { rows: Map<string, ChunkRow>; missing: Candidate[] } {
  const rows = new Map<string, ChunkRow>()
  const missing: Candidate[] = []
  const matches = createRowTest(query)
  for (const candidate of candidates) {
    const row = cache?.get(candidate)
    if (row === undefined) missing.push(candidate)
    else if (matches(row)) rows.set(keyText(candidate), row)
  }
  return { rows, missing }
}

function toCache(
  cache: RowCache,
  candidates: readonly Candidate[],
  rows: ReadonlyMap<string, ChunkRow>,
): void {
  for (const candidate of candidates) {
    const row = rows.get(keyText(candidate))
    if (row) cache.set(candidate, row)
  }
}

/**
 * Replaces the rows of changed items by those that were read.
 * @returns the changed items
 */
function putRead(
  rows: Map<string, ChunkRow>,
  { rows: read, changedItemIds }: StoredRows,
  { readable }: NearestQuery,
): ReadonlySet<string> {
  const changed = changedItemIds ?? NONE
  for (const [key, { key: of }] of rows) if (changed.has(of.itemId)) rows.delete(key)
  for (const row of read) if (readable.has(row.policyId)) rows.set(keyText(row.key), row)
  return changed
}

const Stored = z.record(z.string(), z.unknown())

/**
 * Whether a cached row is readable and has all values of the filter, as jsonb contains them: they are
 * scalars.
 */
function createRowTest({ readable, filter }: NearestQuery): (row: ChunkRow) => boolean {
  // In stored form: two keys may become the same, and the last one counts.
  const asked = Object.entries(Stored.parse(storableJson(filter.metadata ?? {})))
  return ({ policyId, shown: { metadata } }) =>
    readable.has(policyId) &&
    asked.every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value)
}
