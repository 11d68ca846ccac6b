import type { SnapshotOf } from './read-rows.ts'
import type { VectorSnapshot } from './vector-snapshot.ts'

export interface Entry extends SnapshotOf {
  snapshot: VectorSnapshot
  /** Settles when loading has succeeded or failed. */
  ready: Promise<void>
  isReady: boolean
  /** The catch-up that is running. */
  following: Promise<void> | null
  /** Searches and background tasks that use its memory. */
  holders: number
  isDropped: boolean
  usedAt: number
}
