import type { SnapshotOf } from './read-rows.ts'
import type { VectorSnapshot } from './vector-snapshot.ts'

/** An organization's snapshot. */
export interface Entry extends SnapshotOf {
  snapshot: VectorSnapshot
  /** Settles when it has been made, or could not be. */
  ready: Promise<void>
  isReady: boolean
  /** What takes in changes now. */
  following: Promise<void> | null
  /** Searches and background work that use its memory. */
  holders: number
  isDropped: boolean
  usedAt: number
}
