import type { StoredModel } from '../models/index.ts'
import type { MeaningPart } from '../inference/embedding-model.ts'
import type { ProviderId } from '../kernel/provider-id.ts'
import type { Readable } from '../kernel/viewer.ts'
import type { CandidateSet, ChunkKey, HeldSnapshot, SearchFilter } from '../vector-memory/index.ts'
import type { StoredVector } from '../vector-scan/index.ts'
import type { ShownChunk } from './hit-fields.ts'

export interface NearestQuery {
  organizationId: string
  /** The model that `vector` belongs to. */
  model: StoredModel
  vector: Float32Array
  /** The number of chunks to return; in hybrid order, the number of candidates to rank. */
  limit: number
  /** The dimensions of the meaning part; null: the model has none. */
  meaning: MeaningPart | null
  /** null: every provider. */
  providers: readonly ProviderId[] | null
  readable: Readable
  filter: SearchFilter
  /** The ids of the filter's entity; null: no entity in the filter. */
  entityIds: readonly string[] | null
  /** The revision of the items, read with the caller's key; null: not read. */
  seenRevision: number | null
}

/** A stored chunk: its vector and the fields of a hit. */
export interface ChunkRow extends StoredVector {
  key: ChunkKey
  /** Its item's access policy. */
  policyId: number | null
  shown: ShownChunk
}

export interface NearestChunk extends ShownChunk {
  sourceItemId: string
  position: number
  /** Cosine similarity, above 0 and at most 1. */
  score: number
}

export type Nearest<Chunk = NearestChunk> =
  | {
      state: 'found'
      /** Best first; ties by item and position. */
      chunks: Chunk[]
      /** The score of the nearest chunk in scope. */
      best: number | undefined
      /** How many chunks are in scope. */
      countCompared: () => Promise<number>
      /** Whether nearer chunks may be missing. */
      isApproximate: boolean
    }
  /** The organization has switched models: embed the query with the new one. */
  | { state: 'other_model'; model: StoredModel }
  /** The organization has no stored items yet. */
  | { state: 'nothing_stored' }

/** The path of a search: a snapshot in memory, an approximate index, or a database scan. */
export type SearchPath = 'memory' | 'approximate' | 'database'

/** Finds the chunks that can be among the nearest. */
export interface CandidateSource {
  readonly path: SearchPath
  /** The snapshot that it searches; null: it searches the database. */
  readonly held: HeldSnapshot | null
  /** The candidates for the `limit` nearest; null: this source has no result. */
  findCandidates(limit: number): Promise<CandidateSet | null>
}

export type Outcome<Chunk = NearestChunk> =
  | Nearest<Chunk>
  /** Too much changed since the candidates were found. */
  | { state: 'outdated' }
  /** Chunks that are no candidates may belong to the result. */
  | { state: 'too_few' }

export function keyText({ itemId, position }: ChunkKey): string {
  return `${itemId}:${position}`
}

/** Orders ties by item and position, which every search path does. */
export function byKey(a: ChunkKey, b: ChunkKey): number {
  if (a.itemId !== b.itemId) return a.itemId < b.itemId ? -1 : 1
  return a.position - b.position
}
