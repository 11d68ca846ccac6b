import type { Db } from '../database/database.ts'
import type { ModelRegistry } from '../models/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { changeItems, itemLockOf } from '../item-changes/index.ts'
import { endClaims } from './claims.ts'
import { type CleanItem, itemKey, type PushedItem } from './item.ts'
import type { JournaledIngests, RecordIngest } from './journaled-ingests.ts'
import { type CheckStored, compareAgain, itemsOf, type PreparedItems, prepareItems } from './prepare-items.ts'
import { cutSteps, type OnStored, storeAllSteps, type StepStorage, type WithinWrite } from './store-steps.ts'
import { type StoreCounts, storeItems, untilFresh } from './store-items.ts'

interface Dependencies {
  db: Db
  models: ModelRegistry
  clock: Clock
  /** null: the database has several sessions, so one transaction stores everything. */
  journaled: JournaledIngests | null
}

/** Prepares items and stores them, in one transaction or in several short ones. */
export async function writeItems(
  { db, models, clock, journaled }: Dependencies,
  {
    organizationId,
    items,
    within,
    ...how
  }: {
    organizationId: string
    items: readonly CleanItem[]
    within: WithinWrite
    anewSince?: Date | undefined
    check?: CheckStored | undefined
  },
  signal?: AbortSignal,
): Promise<StoreCounts> {
  const written: StoreCounts = { ingested: 0, skipped: 0 }
  let left = items
  await untilFresh(async () => {
    const prepared = await prepareItems(
      db,
      models,
      { organizationId, items: left, by: 'sync', ...how },
      signal,
    )
    signal?.throwIfAborted()
    const storage = journaled && { ...journaled.storage, clock }
    if (storage && (await isLarge(storage, prepared))) {
      await storeInParts(storage, prepared, {
        within,
        onStored({ counts }, rest) {
          written.ingested += counts.ingested
          written.skipped += counts.skipped
          const unstored = new Set(rest.flatMap(({ items: some }) => some.map(itemKey)))
          left = left.filter((item) => unstored.has(itemKey(item)))
        },
        signal,
      })
      return
    }
    const counts = await changeItems(db, organizationId, async (tx, changes) => {
      const stored = await storeItems(tx, changes, prepared, clock.now())
      await within(tx, { items: itemsOf(prepared), counts: stored, isLast: true }, changes)
      return stored
    })
    written.ingested += counts.ingested
    written.skipped += counts.skipped
  })
  return written
}

/** Whether items would occupy the only session for a noticeable time. */
async function isLarge(storage: StepStorage, prepared: PreparedItems): Promise<boolean> {
  const steps = await cutSteps(storage, prepared)
  return steps.length > 1
}

/** Holds the item lock, so that nothing else changes the items between the parts. */
async function storeInParts(
  storage: StepStorage,
  prepared: PreparedItems,
  storing: { within: WithinWrite; onStored: OnStored; signal: AbortSignal | undefined },
): Promise<void> {
  await itemLockOf(storage.db).exclusive(prepared.organizationId, async () => {
    const fresh = await compareAgain(storage.db, prepared)
    await storeAllSteps(storage, fresh, await cutSteps(storage, fresh), storing)
  })
}

/** Prepares a caller's items and stores them atomically as the caller's own. */
export async function ingestItems(
  { db, models, clock, journaled }: Dependencies,
  {
    organizationId,
    items,
    record,
  }: { organizationId: string; items: readonly PushedItem[]; record: RecordIngest },
  signal?: AbortSignal,
): Promise<StoreCounts> {
  return await untilFresh(async () => {
    const prepared = await prepareItems(db, models, { organizationId, items, by: 'push' }, signal)
    if (journaled && (await isLarge(journaled.storage, prepared)))
      return await journaled.store(prepared, record, signal)
    return await changeItems(db, organizationId, async (tx, changes) => {
      const counts = await storeItems(tx, changes, prepared, clock.now())
      await endClaims(tx, organizationId, items)
      await record(tx, counts)
      return counts
    })
  })
}
