/*
 * Every organization that searches has a snapshot (`vector-snapshot.ts`): its vectors in a table of `src/vector-scan`,
 * what filters need of its items (`item-fields.ts`, `search-filter.ts`), and the revision of both. A search acquires the
 * snapshot and gets every row in scope that can be among the nearest (`vector-memory.ts`). Every change of items adds a
 * revision to a log (`src/item-changes`). `snapshots.ts` loads a snapshot at the first search, applies the logged
 * changes, and evicts the least recently used one. Shutdown saves snapshots to files (`saved-snapshots.ts`).
 */
export type { ItemScope } from './item-fields.ts'
export type { ChunkKey } from './read-snapshot.ts'
export { conditionsOf, SearchFilter } from './search-filter.ts'
export { SavedSnapshots } from './saved-snapshots.ts'
export {
  type Candidate,
  createVectorMemory,
  type HeldSnapshot,
  type CandidateSet,
  type VectorMemory,
} from './vector-memory.ts'
export type { SnapshotRow, VectorSnapshot } from './vector-snapshot.ts'
