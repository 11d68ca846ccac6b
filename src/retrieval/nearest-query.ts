import type { StoredModel } from '../models/index.ts'
import type { MeaningPart } from '../inference/embedding-model.ts'
import type { ProviderId } from '../kernel/providers.ts'
import type { Readable } from '../kernel/reader.ts'
import type { SearchFilter } from './search-schema.ts'
import type { ShownItem } from './shown-item.ts'

export interface NearestQuery {
  organizationId: string
  /** The model that `vector` belongs to. */
  model: StoredModel
  vector: Float32Array
  /** How many chunks are wanted; in hybrid order how many candidates are ranked. */
  limit: number
  /** Which dimensions of the vectors carry meaning; null when the model does not separate it. */
  meaning: MeaningPart | null
  /** null: every provider. */
  providers: readonly ProviderId[] | null
  /** Only items of these policies. */
  readable: Readable
  filter: SearchFilter
  /** The ids of the filter's entity; null when the filter names none. */
  entityIds: readonly string[] | null
  /** The revision of the items read with the caller's key; null: it was not read. */
  seenRevision: number | null
}

/** Identifies a chunk within its organization. */
export interface ChunkKey {
  itemId: string
  position: number
}

/** The fields of a chunk that a hit shows. */
export type ShownChunk = ShownItem & { content: string }

/** A stored chunk: its vector and what a hit shows of it. */
export interface ChunkRow {
  key: ChunkKey
  values: Float16Array
  /** The vector's Euclidean length. */
  length: number
  /** The access policy of its item. */
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
  /** The organization answers with another model: embed the query with that one. */
  | { state: 'other_model'; model: StoredModel }
  /** The organization has stored nothing yet. */
  | { state: 'nothing_stored' }

/** A key as one string, for maps. */
export function keyText({ itemId, position }: ChunkKey): string {
  return `${itemId}:${position}`
}

/** Orders equal values by item and position, as every path does. */
export function byKey(a: ChunkKey, b: ChunkKey): number {
  if (a.itemId !== b.itemId) return a.itemId < b.itemId ? -1 : 1
  return a.position - b.position
}
