/*
 * Every transaction that changes an organization's items goes through `changeItems`, which gives the changes
 * the organization's next revision and logs which items changed. Whoever holds derived data (the snapshots of
 * `src/vector-memory`) reads the log to catch up. `ItemTurns` lets a change of several transactions run alone.
 */
export { changeItems, changeOutOfTurn, type ItemChanges } from './item-changes.ts'
export { itemTurnsOf } from './item-turns.ts'
