import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { z } from 'zod'
import { createTask } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { deleteItems, dropClaims } from '../items/index.ts'
import type { Clock } from '../kernel/clock.ts'
import type { SourceRef } from '../kernel/source-ref.ts'
import { changeItems, type ItemChanges } from '../item-changes/index.ts'

export interface Removals {
  /** Marks a locked source as removed: on commit it is invisible, and its runs have lost their lease. */
  mark(tx: Tx, changes: ItemChanges, source: SourceRef): Promise<void>
  /** Deletes a marked source's items and then the source. Does not throw: failures are retried later. */
  finish(source: SourceRef): Promise<void>
  /** Resumes removals that another process left unfinished, now and every minute. */
  start(): void
  /** Leaves unfinished removals to the next process. */
  stop(): Promise<void>
}

const RESUME_INTERVAL_MS = 60_000
/** Per transaction, so that the embedded database can do other work. */
const ITEMS_AT_ONCE = 100

/** Deletes the items of removed sources in small batches. If the process dies, the next one continues. */
export function createRemovals(deps: {
  db: Db
  clock: Clock
  /** Ends the runs of a source, in the transaction that marks it. */
  endRuns: (tx: Tx, source: SourceRef) => Promise<void>
  onError: (error: unknown) => void
}): Removals {
  const { db, clock, onError } = deps
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()

  function finish(source: SourceRef): Promise<void> {
    const started = running.get(source.sourceId)
    if (started || stopping.signal.aborted) return started ?? Promise.resolve()
    const work = removeAll({ db, clock, signal: stopping.signal }, source)
      .catch((error: unknown) => {
        if (error !== stopping.signal.reason) onError(error)
      })
      .finally(() => running.delete(source.sourceId))
    running.set(source.sourceId, work)
    return work
  }

  /** One at a time: a removal may take longer than the interval. */
  async function resume(): Promise<void> {
    const marked = await db
      .selectFrom('sources')
      .select(['organization_id as organizationId', 'id as sourceId'])
      .where('removed_at', 'is not', null)
      // The removal of an organization deletes its sources itself, in fewer steps.
      .where(
        sql<boolean>`not exists (select from organizations o where o.id = organization_id and o.removed_at is not null)`,
      )
      .orderBy('removed_at')
      .execute()
    for (const source of marked) await finish(source)
  }
  const resuming = createTask({ act: resume, intervalMs: RESUME_INTERVAL_MS, onError })

  return {
    async mark(tx, changes, source) {
      await mark(tx, source, clock.now())
      // From now on no search finds its items.
      changes.addNone()
      await deps.endRuns(tx, source)
    },
    finish,
    start: resuming.start,
    async stop() {
      stopping.abort()
      await Promise.all([resuming.stop(), ...running.values()])
    },
  }
}

async function mark(tx: Tx, { organizationId, sourceId }: SourceRef, at: Date): Promise<void> {
  await tx
    .updateTable('sources')
    .set({ removed_at: at, status: 'disabled', push_since: null, updated_at: at })
    .where('organization_id', '=', organizationId)
    .where('id', '=', sourceId)
    .execute()
  await deleteReaders(tx, { organizationId, sourceId })
}

/** A removed source has no members. */
async function deleteReaders(tx: Tx, { organizationId, sourceId }: SourceRef): Promise<void> {
  for (const table of ['permission_polls', 'principal_members'] as const)
    await tx
      .deleteFrom(table)
      .where('organization_id', '=', organizationId)
      .where('source_id', '=', sourceId)
      .execute()
}

interface Work {
  db: Db
  clock: Clock
  signal: AbortSignal
}

/** First hands over items that other sources also have; until then, these are invisible to them. */
async function removeAll(work: Work, source: SourceRef): Promise<void> {
  await removeClaims(work, source, 'of others too')
  do {
    await removeClaims(work, source, 'all')
    await removePushed(work, source)
  } while (!(await removeEmpty(work, source)))
}

/** Deletes an empty source. @returns false if a write in progress at the mark has added something */
async function removeEmpty({ db, signal }: Work, { organizationId, sourceId }: SourceRef): Promise<boolean> {
  signal.throwIfAborted()
  return await transact(db, async (tx) => {
    // Waits for running writes; since the mark no new ones begin.
    const source = await tx
      .selectFrom('sources')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('id', '=', sourceId)
      .where('removed_at', 'is not', null)
      .forUpdate()
      .executeTakeFirst()
    if (source === undefined) return true
    for (const table of ['source_items', 'synced_items'] as const) {
      const left = await tx
        .selectFrom(table)
        .select('source_id')
        .where('organization_id', '=', organizationId)
        .where('source_id', '=', sourceId)
        .limit(1)
        .executeTakeFirst()
      if (left !== undefined) return false
    }
    await deleteReaders(tx, { organizationId, sourceId })
    await tx
      .deleteFrom('sources')
      .where('organization_id', '=', organizationId)
      .where('id', '=', sourceId)
      .execute()
    return true
  })
}

/** Removes at most {@link ITEMS_AT_ONCE} items beyond `after`. @returns the last id, null when there are no more */
type RemoveBatch = (tx: Tx, changes: ItemChanges, after: string) => Promise<string | null>

/** Runs batches one after another and yields to other work in between. */
async function forEachBatch(
  { db, signal }: Work,
  { organizationId }: SourceRef,
  remove: RemoveBatch,
): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    await setImmediate()
    signal.throwIfAborted()
    const last: string = after
    after = await changeItems(db, organizationId, (tx, changes) => remove(tx, changes, last))
  }
}

const Claims = z.array(z.object({ external_id: z.string() }))

async function removeClaims(work: Work, source: SourceRef, which: 'of others too' | 'all'): Promise<void> {
  const { organizationId, sourceId } = source
  const isOthersToo = sql`and exists (select from synced_items o where o.organization_id = s.organization_id
    and o.source_item_id = s.source_item_id and o.source_id <> s.source_id)`
  await forEachBatch(work, source, async (tx, changes, after) => {
    const { rows } = await sql`
      select s.external_id from synced_items s
      where s.organization_id = ${organizationId} and s.source_id = ${sourceId} and s.external_id > ${after}
        ${which === 'all' ? sql`` : isOthersToo}
      order by s.external_id limit ${ITEMS_AT_ONCE}`.execute(tx)
    const ids = Claims.parse(rows).map((row) => row.external_id)
    await dropClaims(tx, changes, source, ids, work.clock.now())
    return ids.length < ITEMS_AT_ONCE ? null : (ids.at(-1) ?? null)
  })
}

/** Items without any claim. */
async function removePushed(work: Work, source: SourceRef): Promise<void> {
  const { organizationId, sourceId } = source
  await forEachBatch(work, source, async (tx, changes) => {
    const rows = await tx
      .selectFrom('source_items')
      .select('id')
      .where('organization_id', '=', organizationId)
      .where('source_id', '=', sourceId)
      .limit(ITEMS_AT_ONCE)
      .execute()
    await deleteItems(
      tx,
      changes,
      organizationId,
      rows.map((row) => row.id),
    )
    return rows.length < ITEMS_AT_ONCE ? null : ''
  })
}
