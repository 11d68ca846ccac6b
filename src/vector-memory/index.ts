export { changeItems, type ItemChanges } from './item-changes.ts'
export type { ItemScope } from './item-facts.ts'
export { createSavedCopies } from './saved-copies.ts'
export { type Candidates, createVectorMemory, type HeldCopy, type VectorMemory } from './vector-memory.ts'
