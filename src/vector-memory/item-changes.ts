import { z } from 'zod'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import { itemTurnsOf } from './item-turns.ts'

/** Notes which items a transaction stores, changes or deletes. */
export interface ItemChanges {
  add(itemIds: Iterable<string>): void
  /** So much has changed that it is not worth naming. */
  addAll(): void
  /** Nothing of the items has changed, but which of them may be found. */
  addNone(): void
}

/** Older ones are forgotten: a snapshot that is further behind is made anew. */
const KEPT = 2_048
/** They are forgotten every so many. */
const SWEEP_EVERY = 256

/**
 * A transaction that stores, changes or deletes items of an organization, repeated where it lost against another one. Its last
 * act, before it commits, is to give what it changed the organization's next revision. The row that counts them is locked from
 * then on, so that revisions are committed in their order, and whoever reads one sees all that came before; and since it is
 * the last lock to be taken, nobody who has it waits for another. It waits for whoever holds the items (`ItemTurns`).
 * @throws what the last attempt threw
 */
export async function changeItems<Result>(
  db: Db,
  organizationId: string,
  act: ChangeOf<Result>,
): Promise<Result> {
  return await itemTurnsOf(db).share(organizationId, () => changeOutOfTurn(db, organizationId, act))
}

type ChangeOf<Result> = (tx: Tx, changes: ItemChanges) => Promise<Result>

/**
 * `changeItems` that waits for nobody: for whoever holds the items, and for what changes none of their documents.
 * @throws what the last attempt threw
 */
export async function changeOutOfTurn<Result>(
  db: Db,
  organizationId: string,
  act: ChangeOf<Result>,
): Promise<Result> {
  return await retryConflicts(() =>
    db.transaction().execute(async (tx) => {
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
    }),
  )
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
  if (revision % SWEEP_EVERY !== 0) return
  await tx
    .deleteFrom('item_changes')
    .where('organization_id', '=', organizationId)
    .where('revision', '<=', revision - KEPT)
    .execute()
}
