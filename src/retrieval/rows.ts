import type { Db } from '../database/database.ts'
import { storableJson } from '../kernel/text.ts'
import { z } from 'zod'
import { type ChunkRow, keyText, type Nearest, type NearestQuery } from './nearest-query.ts'
import type { Candidate, Proposal, Proposer } from './propose/proposal.ts'
import { readRows } from './read-rows.ts'
import type { RowCache } from './row-cache.ts'

/** The rows of candidates, with the changes since the proposal. */
export type RowsRead =
  | {
      state: 'read'
      /** By key: readable candidates in scope that still exist, and all chunks of changed items in scope. */
      rows: ReadonlyMap<string, ChunkRow>
      changedItemIds: ReadonlySet<string>
      removedSourceIds: readonly string[]
    }
  /** Too much changed since the proposal, which must be repeated. */
  | { state: 'outdated' }
  | Exclude<Nearest, { state: 'found' }>

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
) => Promise<RowsRead>

const NONE: ReadonlySet<string> = new Set()

export function createReadCandidates({ db, cache }: { db: Db; cache: RowCache }): ReadCandidates {
  return async (proposer, query, { proposal, candidates, nearest }) => {
    const rows = new Map<string, ChunkRow>()
    const missing: Candidate[] = []
    for (const candidate of candidates) {
      const row = proposer.cachesRows ? cache.get(candidate) : undefined
      if (row) rows.set(keyText(candidate), row)
      else missing.push(candidate)
    }
    const matches = createRowTest(query)
    for (const [key, row] of rows) if (!matches(row)) rows.delete(key)
    if (missing.length === 0 && proposal.isCurrent)
      return { state: 'read', rows, changedItemIds: NONE, removedSourceIds: [] }
    if (missing.length > 0) proposer.missedRows()
    const isNarrowed = nearest !== undefined && !proposer.cachesRows
    const read = await readRows(db, query, {
      keys: missing,
      since: proposal.revision,
      narrowing: isNarrowed ? { vector: query.vector, limit: nearest } : undefined,
    })
    const { standing, changedItemIds } = read
    if (standing.model === null) return { state: 'nothing_stored' }
    if (standing.model.id !== query.model.id) return { state: 'other_model', model: standing.model }
    if (changedItemIds === null) return { state: 'outdated' }
    proposer.confirm(proposal, standing)
    for (const [key, { key: of }] of rows) if (changedItemIds.has(of.itemId)) rows.delete(key)
    for (const row of read.rows) if (query.readable.has(row.policyId)) rows.set(keyText(row.key), row)
    if (proposer.cachesRows && standing.revision === proposal.revision)
      for (const candidate of missing) {
        const row = rows.get(keyText(candidate))
        if (row) cache.set(candidate, row)
      }
    return { state: 'read', rows, changedItemIds, removedSourceIds: standing.removedSourceIds }
  }
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
