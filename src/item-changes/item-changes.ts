import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { prepare } from '../database/prepared.ts'
import { itemLockOf } from './item-lock.ts'

/** Records which items a transaction stores, changes or deletes. */
export interface ItemChanges {
  add(itemIds: Iterable<string>): void
  /** Too many items changed to name them. */
  addAll(): void
  /** No item changed, but which ones a search may return did. */
  addNone(): void
}

/** Older changes are deleted: a snapshot further behind is rebuilt. */
const KEPT = 2_048
/** Old changes are deleted once every this many revisions. */
const DELETE_EVERY = 256

/**
 * A transaction that stores, changes or deletes items of an organization; it is retried on conflict. Its last
 * act is to give the changes the organization's next revision. That locks the row that counts revisions until
 * the commit, so revisions commit in order and a reader of one sees everything before it. Because this lock
 * is taken last, its owner never waits for another. The transaction first waits for callers that hold the
 * items (`ItemLock`).
 * @throws what the last attempt threw
 */
export async function changeItems<Result>(
  db: Db,
  organizationId: string,
  act: ChangeOf<Result>,
): Promise<Result> {
  return await itemLockOf(db).shared(organizationId, () => changeWithoutLock(db, organizationId, act))
}

type ChangeOf<Result> = (tx: Tx, changes: ItemChanges) => Promise<Result>

/** `changeItems` for a caller that already holds the items (`ItemLock`), or that changes no documents. */
export async function changeWithoutLock<Result>(
  db: Db,
  organizationId: string,
  act: ChangeOf<Result>,
): Promise<Result> {
  return await transact(db, async (tx) => {
    const changed = new Set<string>()
    let isAll = false
    let isAnother = false
    const result = await act(tx, {
      add: (itemIds) => {
        for (const id of itemIds) changed.add(id)
      },
      addAll: () => void (isAll = true),
      addNone: () => void (isAnother = true),
    })
    if (isAll || isAnother || changed.size > 0)
      await nextRevision(tx, organizationId, isAll ? null : [...changed])
    return result
  })
}

const Revisions = z.tuple([z.object({ revision: z.number() })])

const insertRevision = prepare(`
  insert into item_revisions as r (organization_id, revision) values ($1, 1)
  on conflict (organization_id) do update set revision = r.revision + 1
  returning r.revision::float8 as revision`)

const insertChanges = prepare(`
  insert into item_changes (organization_id, revision, item_ids) values ($1, $2, $3)`)

async function nextRevision(
  tx: Tx,
  organizationId: string,
  itemIds: readonly string[] | null,
): Promise<void> {
  const { rows } = await insertRevision(tx, [organizationId])
  const [{ revision }] = Revisions.parse(rows)
  await insertChanges(tx, [organizationId, revision, itemIds === null ? null : JSON.stringify(itemIds)])
  if (revision % DELETE_EVERY !== 0) return
  await tx
    .deleteFrom('item_changes')
    .where('organization_id', '=', organizationId)
    .where('revision', '<=', revision - KEPT)
    .execute()
}
