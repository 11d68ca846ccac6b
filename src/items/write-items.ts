import type { Db, Tx } from '../database/database.ts'
import type { ModelRegistry } from '../embeddings/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { changeItems, type ItemChanges } from '../vector-memory/index.ts'
import { endClaims } from './claims.ts'
import { type CleanItem, itemKey } from './item.ts'
import { prepareItems } from './prepare-items.ts'
import type { SlicedIngests } from './sliced-ingests.ts'
import { letOthersGoFirst } from './let-others-go-first.ts'
import { cutSlices, itemsOf, type Slice, storeSlice, storeSlices } from './slices.ts'
import { StalePreparation, type StoreCounts, storeItems, untilFresh } from './store-items.ts'
import { asUnfinished } from './store-parts.ts'

interface Dependencies {
  db: Db
  models: ModelRegistry
  clock: Clock
  /** Given where transactions have to be short. */
  sliced: SlicedIngests | null
}

/** What one transaction has stored of what is written. */
export interface StoredPart {
  /** Those with the same content too. */
  items: readonly CleanItem[]
  counts: StoreCounts
  /** Nothing comes after it. */
  isLast: boolean
}

/** What else belongs to the act of writing items, in each of its transactions. */
export type WithinWrite = (tx: Tx, part: StoredPart, changes: ItemChanges) => Promise<void>

/** Prepares items and stores them: in one transaction, or in short ones that each store a part. */
export async function writeItems(
  { db, models, clock, sliced }: Dependencies,
  {
    organizationId,
    items,
    within,
    anewSince,
  }: {
    organizationId: string
    items: readonly CleanItem[]
    within: WithinWrite
    anewSince?: Date | undefined
  },
  signal?: AbortSignal,
): Promise<StoreCounts> {
  const written: StoreCounts = { ingested: 0, skipped: 0 }
  let rest = items
  await untilFresh(async () => {
    const prepared = await prepareItems(db, models, { organizationId, items: rest, anewSince }, signal)
    let slices: readonly Slice[] = sliced
      ? await cutSlices(db, prepared, prepared.stored)
      : [{ ...prepared, part: null }]
    const storeNext = async (): Promise<StoredPart & { slices: number }> => {
      signal?.throwIfAborted()
      return await changeItems(db, organizationId, async (tx, changes) => {
        const { stored, counts } = await storeSlices(slices, sliced?.isAwaited, (slice) =>
          storeSlice(tx, changes, slice, clock.now()),
        )
        const isLast = stored.length === slices.length
        const whole = { items: [...new Set(stored.flatMap(itemsOf))], counts, isLast }
        await within(tx, whole, changes)
        return { ...whole, slices: stored.length }
      })
    }
    while (slices.length > 0) {
      const part = await storeNext().catch(async (error: unknown) => {
        if (!(error instanceof StalePreparation)) await storeBegun({ db, clock }, organizationId, slices)
        throw error
      })
      written.ingested += part.counts.ingested
      written.skipped += part.counts.skipped
      slices = slices.slice(part.slices)
      const unfinished = slices[0]?.part?.item
      const done = new Set(part.items.filter((item) => item !== unfinished).map(itemKey))
      rest = rest.filter((item) => !done.has(itemKey(item)))
      if (slices.length > 0) await letOthersGoFirst()
    }
  })
  return written
}

/**
 * Stores what an item lacks of which some parts are stored, so that who is stopped between them (a pause, a stop) leaves none that
 * is half of what was and half of what is. It never makes an item that is gone, and does not mark it as stored: when it comes again,
 * it is stored anew, and counts then. Where storing fails, the item stays as a crash would leave it.
 */
async function storeBegun(
  { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
  organizationId: string,
  slices: readonly Slice[],
): Promise<void> {
  const begun = slices[0]?.part
  if (!begun || begun.hashBefore === null) return
  try {
    for (const slice of slices) {
      if (slice.part?.item !== begun.item) break
      const part = asUnfinished(slice.part)
      await changeItems(db, organizationId, (tx, changes) =>
        storeSlice(tx, changes, { ...slice, part }, clock.now()),
      )
      await letOthersGoFirst()
    }
  } catch {
    // What stopped it in the first place is what its caller is told.
  }
}

/** Prepares what a caller gives and stores it, all or nothing, as the caller's own. */
export async function ingestItems(
  { db, models, clock, sliced }: Dependencies,
  {
    organizationId,
    items,
    record,
  }: {
    organizationId: string
    items: readonly CleanItem[]
    /** Within the transaction that decides it. */
    record: (tx: Tx, counts: StoreCounts) => Promise<void>
  },
  signal?: AbortSignal,
): Promise<StoreCounts> {
  return await untilFresh(async () => {
    const prepared = await prepareItems(db, models, { organizationId, items }, signal)
    if (sliced && (await cutSlices(db, prepared, prepared.stored)).length > 1)
      return await sliced.store(prepared, record, signal)
    return await changeItems(db, organizationId, async (tx, changes) => {
      const counts = await storeItems(tx, changes, prepared, clock.now())
      await endClaims(tx, organizationId, items)
      await record(tx, counts)
      return counts
    })
  })
}
