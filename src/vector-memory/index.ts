export { DIMENSIONS_MAX } from './block-layout.ts'
export { changeItems, changeOutOfTurn, type ItemChanges } from './item-changes.ts'
export type { ItemScope } from './item-facts.ts'
export { itemTurnsOf } from './item-turns.ts'
export { readChanges } from './read-rows.ts'
export { createSavedCopies } from './saved-copies.ts'
export {
  type Candidates,
  createVectorMemory,
  type HeldCopy,
  type Proposed,
  type VectorMemory,
  type WholeCopy,
} from './vector-memory.ts'
export { type Candidate, isChanging, type Stage } from './vector-copy.ts'
