import type { ChunkWords, Stage } from '../../vector-memory/index.ts'
import type { ChunkKey } from '../nearest-query.ts'
import type { Standing } from '../read-rows.ts'

/** What answered a search: a snapshot in memory, an approximate index, or a scan by the database. */
export type SearchPath = 'memory' | 'approximate' | 'database'

/** A chunk that may be among the nearest. */
export interface Candidate extends ChunkKey {
  /** An upper bound of its score. */
  atMost: number
  /** Identifies what a snapshot holds of the chunk; null: no snapshot holds it. */
  version: number | null
  /** Its row in the snapshot; null: no snapshot holds it. */
  row: number | null
}

/** A candidate of the hybrid order. */
export interface RankCandidate extends Candidate {
  /** The cosine of the quantized vectors: the same number on every path. */
  cosine: number
  /** The quantized product of the meaning parts; null: the model has none. */
  meaning: number | null
  /** The hashed words of title and content, when they are in memory. */
  words: ChunkWords | null
}

/** What may be nearest to a query. */
export interface Proposal<Of extends Candidate = Candidate> {
  /** Greatest upper bound first; for the hybrid order greatest cosine first. */
  candidates: Of[]
  /** Every chunk in scope that is not proposed has a lower score, or no greater quantized cosine, than this; 0: none is left. */
  floor: number
  /** The revision of the items that this was made of. */
  revision: number
  /** Whether the organization still had this revision, model, and sources when the caller's key was read. */
  isCurrent: boolean
  /** The stage of the snapshot that proposed; null: none did. */
  stage: Stage | null
}

/** One way to find candidates. */
export interface Proposer {
  readonly path: SearchPath
  /** Whether proposals leave out sources that are being removed without being told which. */
  readonly knowsRemovedSources: boolean
  /** Whether the rows it proposes are worth caching: all of the organization's fit. */
  readonly cachesRows: boolean
  /** The chunks that may be among the `limit` nearest; null: this way cannot answer. */
  propose(limit: number, exceptSourceIds: readonly string[]): Promise<Proposal | null>
  /** The chunks among which the `limit` with the greatest quantized cosines are; null: this way cannot answer. */
  proposeForRank(limit: number, exceptSourceIds: readonly string[]): Promise<Proposal<RankCandidate> | null>
  /** A later statement found the organization like this. */
  confirm(proposal: Proposal, standing: Standing): void
  /** Catches up after too many changes. @returns false when that is impossible or takes too long */
  catchUp(): Promise<boolean>
  /** How many chunks are in scope, when that is known without asking the database. */
  count(exceptSourceIds: readonly string[]): number | null
  /** Keeps the words of a chunk that were read at the proposal's revision. */
  keepWords(proposal: Proposal, candidate: Candidate, words: ChunkWords): void
  /** A search had to ask the database for rows, or words, that could be in memory. */
  missedRows(): void
  missedWords(): void
}
