import type { ChunkWords, Stage } from '../../vector-memory/index.ts'
import type { ChunkKey } from '../nearest-query.ts'
import type { Standing } from '../read-rows.ts'

/** What answered a search: a snapshot in memory, an approximate index, or a database scan. */
export type SearchPath = 'memory' | 'approximate' | 'database'

export interface Candidate extends ChunkKey {
  atMost: number
  /** Identifies the snapshot's version of the chunk; null: in no snapshot. */
  version: number | null
  /** Its row in the snapshot; null: in no snapshot. */
  row: number | null
}

export interface RankCandidate extends Candidate {
  /** Cosine of the quantized vectors: the same number on every path. */
  cosine: number
  /** Quantized product of the meaning parts; null: the model has none. */
  meaning: number | null
  /** The hashed words of title and content, if in memory. */
  words: ChunkWords | null
}

export interface Proposal<Of extends Candidate = Candidate> {
  /** In any order; for the hybrid order, greatest cosine first. */
  candidates: Of[]
  /** Upper bound for the score (or quantized cosine) of every other chunk in scope; 0: no others. */
  floor: number
  /** The items' revision that this is based on. */
  revision: number
  /** Whether the organization still had this revision, model and sources when the caller's key was read. */
  isCurrent: boolean
  /** The stage of the proposing snapshot; null: no snapshot. */
  stage: Stage | null
}

export interface Proposer {
  readonly path: SearchPath
  /** Whether proposals already exclude sources that are being removed. */
  readonly knowsRemovedSources: boolean
  /** Whether the proposed rows are worth caching: all of the organization's fit. */
  readonly cachesRows: boolean
  /** The chunks that may be among the `limit` nearest; null: this way cannot answer. */
  propose(limit: number, exceptSourceIds: readonly string[]): Promise<Proposal | null>
  /** Chunks that include the `limit` greatest quantized cosines; null: this way cannot answer. */
  proposeForRank(limit: number, exceptSourceIds: readonly string[]): Promise<Proposal<RankCandidate> | null>
  /** Reports how a later statement found the organization. */
  confirm(proposal: Proposal, standing: Standing): void
  /**
   * Catches up after too many changes.
   * @returns false if that is impossible or too slow
   */
  catchUp(): Promise<boolean>
  /** How many chunks are in scope; null: only the database knows. */
  count(exceptSourceIds: readonly string[]): number | null
  /** Caches a chunk's words read at the proposal's revision. */
  keepWords(proposal: Proposal, candidate: Candidate, words: ChunkWords): void
  /** Reports that a search read rows, or words, from the database that could be in memory. */
  missedRows(): void
  missedWords(): void
}
