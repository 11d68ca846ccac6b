export { changeItems, changeOutOfTurn, type ItemChanges } from './item-changes.ts'
export type { ItemScope } from './item-facts.ts'
export { itemTurnsOf } from './item-turns.ts'
export { createSavedSnapshots } from './saved-snapshots.ts'
export {
  type Candidates,
  createVectorMemory,
  type HeldSnapshot,
  type Proposed,
  type VectorMemory,
  type Snapshot,
} from './vector-memory.ts'
export { createCoarse } from './coarse.ts'
export type { ChunkWords } from './row-words.ts'
export { type Candidate as SnapshotRow, isChanging, type Stage } from './vector-snapshot.ts'
