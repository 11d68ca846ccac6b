/*
 * Every organization that searches has a snapshot (`vector-snapshot.ts`): its vectors, quantized to bytes in
 * memory that WebAssembly scans (`row-table.ts`), the filterable fields of its items (`item-facts.ts`), and
 * the revision of both. A search takes the snapshot (`vector-memory.ts`), encodes its query (`question.ts`)
 * and scans the rows (`scan.ts`, on threads if there are many): it gets every row that may be among the
 * nearest. Every change of items adds a revision to a log (`src/item-changes`). `snapshots.ts` loads a
 * snapshot at the first search, applies the logged changes, and evicts the least recently used one. A stop
 * saves snapshots to files (`snapshot-saving.ts`).
 */
export { type Candidate, compareVectors } from './candidates.ts'
export type { ItemScope } from './item-facts.ts'
export { createSavedSnapshots } from './saved-snapshots.ts'
export { createVectorMemory, type HeldSnapshot, type Proposal, type VectorMemory } from './vector-memory.ts'
export type { SnapshotRow, VectorSnapshot } from './vector-snapshot.ts'
