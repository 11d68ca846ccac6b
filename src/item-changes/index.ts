/*
 * Every transaction that changes an organization's items goes through `changeItems`, which gives the changes
 * the organization's next revision and logs which items changed. Whoever holds derived data (the snapshots of
 * `src/vector-memory`) reads the log to catch up. `ItemLock` lets a change of several transactions run alone.
 */
export { changeItems, changeWithoutLock, type ItemChanges } from './item-changes.ts'
export { itemLockOf } from './item-lock.ts'
