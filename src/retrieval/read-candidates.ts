import { z } from 'zod'
import type { Db } from '../database/database.ts'
import { storableJson } from '../kernel/text.ts'
import type { Candidate, CandidateSet, HeldSnapshot } from '../vector-memory/index.ts'
import {
  type ChunkRow,
  keyText,
  type NearestQuery,
  type Outcome,
  type CandidateSource,
} from './nearest-query.ts'
import { type Narrowing, readRows, type StoredRows } from './read-rows.ts'
import { fitsRowCache, type RowCache } from './row-cache.ts'

/** More than the candidates of most searches. */
const CACHED_AT_ONCE_MAX = 512

/** The rows of candidates, with the changes since they were found. */
export interface RowsRead {
  state: 'read'
  /** By key: readable candidates in scope that still exist, and all chunks of changed items in scope. */
  rows: Map<string, ChunkRow>
  changedItemIds: ReadonlySet<string>
}

/** Gets the rows of candidates from the cache and the others in at most one statement. */
export type ReadCandidates = (
  source: CandidateSource,
  query: NearestQuery,
  wanted: {
    candidateSet: CandidateSet
    candidates: readonly Candidate[]
    /** Applies to rows that are not cached. */
    narrowing?: Narrowing
  },
) => Promise<RowsRead | NoRows>

export function createReadCandidates({
  db,
  cache,
  missedRows = () => {},
}: {
  db: Db
  cache: RowCache
  /** Called if rows were read that could have been cached. */
  missedRows?: (held: HeldSnapshot) => void
}): ReadCandidates {
  return async ({ held }, query, { candidateSet, candidates, narrowing }) => {
    const cached = cacheable(held, query)
    const { rows, missing } = fromCache(cached && cache, query, candidates)
    const { revision } = candidateSet
    const isKnown = missing.length === 0
    // Nothing can have changed since the caller was admitted.
    if (isKnown && held && revision === query.seenRevision)
      return { state: 'read', rows, changedItemIds: NONE }
    if (!isKnown && cached) missedRows(cached)
    const read = await readRows(db, query, {
      keys: missing,
      since: revision,
      narrowing: fillsCache(cached, missing) ? undefined : narrowing,
    })
    const refusal = refusalOf(held, query, candidateSet, read)
    if (refusal) return refusal
    const changedItemIds = putRead(rows, read, query)
    if (read.state.revision !== revision) held?.catchUpLater()
    else if (cached) toCache(cache, missing, rows)
    return { state: 'read', rows, changedItemIds }
  }
}

/** The cache needs all rows, but not those of thousands of equal texts at once. */
function fillsCache(cached: HeldSnapshot | null, missing: readonly Candidate[]): boolean {
  return cached !== null && missing.length <= CACHED_AT_ONCE_MAX
}

type NoRows = Exclude<Outcome, { state: 'found' }>

const NONE: ReadonlySet<string> = new Set()

/** The snapshot whose rows can be cached; null: they don't fit, or a cached row cannot check the filter. */
function cacheable(held: HeldSnapshot | null, { entityIds }: NearestQuery): HeldSnapshot | null {
  return held && entityIds === null && fitsRowCache(held.snapshot) ? held : null
}

function toCache(
  cache: RowCache,
  candidates: readonly Candidate[],
  rows: ReadonlyMap<string, ChunkRow>,
): void {
  for (const candidate of candidates) cache.set(candidate, rows.get(keyText(candidate)))
}

/** Replaces the cached rows of changed items. @returns the changed items */
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

/** Why candidates can't use these rows; null: it can. */
function refusalOf(
  held: HeldSnapshot | null,
  query: NearestQuery,
  candidateSet: CandidateSet,
  { state: { model, removedSourceIds }, changedItemIds }: StoredRows,
): NoRows | null {
  if (model === null) return { state: 'nothing_stored' }
  if (model.id !== query.model.id) return { state: 'other_model', model }
  // The database itself excludes these sources.
  const isOutdated = held !== null && !isSameSet(removedSourceIds, candidateSet.removedSourceIds)
  return isOutdated || changedItemIds === null ? { state: 'outdated' } : null
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((one) => right.includes(one))
}

/** The cached rows that match the query, and the candidates that are not cached. */
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

const Stored = z.record(z.string(), z.unknown())

/** Whether a cached row is readable and contains all values of the filter, as jsonb containment does. */
function createRowTest({ readable, filter }: NearestQuery): (row: ChunkRow) => boolean {
  // In stored form, because two keys can become the same, and the last one counts.
  const asked = Object.entries(Stored.parse(storableJson(filter.metadata ?? {})))
  return ({ policyId, shown: { metadata } }) =>
    readable.has(policyId) &&
    asked.every(([key, value]) => Object.hasOwn(metadata, key) && metadata[key] === value)
}
