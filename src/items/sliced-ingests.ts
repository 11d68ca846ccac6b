import { randomUUID } from 'node:crypto'
import { createTask } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { ModelRegistry } from '../embeddings/index.ts'
import type { Clock } from '../kernel/clock.ts'
import { unavailable } from '../kernel/unavailable.ts'
import { changeOutOfTurn, type ItemChanges, itemTurnsOf } from '../vector-memory/index.ts'
import { endClaims, findClaimed } from './claims.ts'
import { confirmInTurns } from './confirm-items.ts'
import {
  decide,
  erase,
  findWritten,
  type IngestRef,
  type Part,
  readParts,
  writeParts,
} from './ingest-journal.ts'
import { type CleanItem, itemKey } from './item.ts'
import { findStored, inKeyOrder, type PreparedItems, prepareItems, type StoredItem } from './prepare-items.ts'
import { letOthersGoFirst } from './let-others-go-first.ts'
import { cutSlices, itemsOf, type Slice, storeSlice, storeSlices } from './slices.ts'
import {
  requireSameModels,
  StalePreparation,
  type StoreCounts,
  storeKnown,
  untilFresh,
} from './store-items.ts'
import { storePart } from './store-parts.ts'

/** Ingests on a database with one session, in transactions so short that others need not wait for them. */
export interface SlicedIngests {
  /**
   * Stores what was prepared, all or nothing, and ends all claims on it. What needs several transactions is written down first, and
   * decided by one that does `within` too: from then on it is stored to its end, after a crash at the next start, and nobody else in
   * this process changes items of the organization before that.
   * @throws StalePreparation, the reason of `signal`, what `within` throws: nothing is stored. What else the database or a model
   * throws: the ingest may be decided, and is tried again then.
   */
  store(
    prepared: PreparedItems,
    within: (tx: Tx, counts: StoreCounts) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<StoreCounts>
  /** Whether somebody waits for the session, asked by who has it. */
  isAwaited(): boolean
  /** Stores what a process that is gone has left. What cannot be stored now is tried again, and keeps others from the items. */
  start(): Promise<void>
  stop(): Promise<void>
}

export interface SlicedIngestsOptions {
  db: Db
  models: ModelRegistry
  clock: Clock
  /** See {@link SlicedIngests}. */
  isAwaited: () => boolean
  /** A decided ingest cannot be stored to its end yet. */
  onError: (error: unknown) => void
}

const RETRY_MS = 60_000
const RETRY_AFTER_SECONDS = 60

/** Sliced ingests of a database that no other process has. */
export function createSlicedIngests(options: SlicedIngestsOptions): SlicedIngests {
  const { db, onError } = options
  const turns = itemTurnsOf(db)
  const leave = (ingest: IngestRef, parts: number): void =>
    turns.leaveUnfinished(ingest.organizationId, () => finish(options, ingest, parts))
  const finishing = createTask({
    act: async () => {
      for (const organizationId of turns.unfinished()) await turns.finish(organizationId).catch(onError)
    },
    intervalMs: RETRY_MS,
    onError,
    waitsFirst: true,
  })
  return {
    isAwaited: options.isAwaited,
    store: (prepared, within, signal) =>
      turns.hold(prepared.organizationId, async () => {
        const plan = await planOf(db, prepared)
        signal?.throwIfAborted()
        await storePlan(options, plan, within, leave)
        const { organizationId, confirmed: ids } = plan
        await confirmInTurns(db, { organizationId, ids, at: options.clock.now() })
        return plan.counts
      }),
    async start() {
      for (const { isDecided, parts, ...ingest } of await findWritten(db)) {
        if (isDecided) leave(ingest, parts)
        else await erase(db, ingest, parts)
      }
      await finishing.ask()
      finishing.start()
    },
    stop: finishing.stop,
  }
}

/** What an ingest comes to, as long as nobody else changes the organization's items. */
interface Plan {
  organizationId: string
  counts: StoreCounts
  /** Those that there is something to do for. */
  items: readonly CleanItem[]
  slices: readonly Slice[]
  stored: ReadonlyMap<string, StoredItem>
  /** The ids of the items that have claims. */
  claimed: ReadonlySet<string>
  /** The ids of the items that are stored already as they come. */
  confirmed: readonly string[]
}

/** @throws StalePreparation where what did not have to be embedded has changed since */
async function planOf(db: Db, prepared: PreparedItems): Promise<Plan> {
  const { organizationId, unchanged, changed } = prepared
  const items = [...unchanged, ...changed]
  const stored = await findStored(db, organizationId, items)
  const isStored = (item: CleanItem): boolean => stored.get(itemKey(item))?.hash === item.hash
  if (!unchanged.every(isStored)) throw new StalePreparation()
  const claimed = await findClaimed(
    db,
    organizationId,
    [...stored.values()].map(({ id }) => id),
  )
  const isToBeStored = (item: CleanItem): boolean =>
    !isStored(item) || stored.get(itemKey(item))?.sourceId !== item.sourceId
  const isOfUse = (item: CleanItem): boolean =>
    isToBeStored(item) || claimed.has(stored.get(itemKey(item))?.id ?? '')
  const ingested = items.filter(isToBeStored).length
  const ofUse = { ...prepared, unchanged: unchanged.filter(isOfUse), changed: changed.filter(isOfUse) }
  return {
    organizationId,
    counts: { ingested, skipped: items.length - ingested },
    items: inKeyOrder(itemsOf(ofUse)),
    slices: await cutSlices(db, ofUse, stored, true),
    stored,
    claimed,
    confirmed: items.filter((item) => !isOfUse(item)).flatMap((item) => stored.get(itemKey(item))?.id ?? []),
  }
}

type Within = (tx: Tx, counts: StoreCounts) => Promise<void>

/** @param leave is told of an ingest that is decided and not stored to its end, and of how many parts are written down */
async function storePlan(
  options: SlicedIngestsOptions,
  plan: Plan,
  within: Within,
  leave: (ingest: IngestRef, parts: number) => void,
): Promise<void> {
  const { db } = options
  const ingest = { organizationId: plan.organizationId, ingestId: randomUUID() }
  let parts = 0
  let rest = plan.slices
  try {
    const last = await writeParts(db, ingest, plan.items, () => (parts += 1))
    rest = await storeFirst(options, plan, { ingest, last, within })
    if (rest.length > 0) parts += 1
  } catch (error) {
    // What cannot be erased now is at the next start.
    await erase(db, ingest, parts).catch(() => {})
    throw error
  }
  try {
    while (rest.length > 0) {
      await letOthersGoFirst()
      rest = await storeNext(options, plan, rest)
    }
    await erase(db, ingest, parts)
  } catch (error) {
    leave(ingest, parts)
    throw error
  }
}

/**
 * Stores slices until somebody waits for the session, and decides the rest, in one transaction. A document's row, which has all of
 * its text, is not stored beside what belongs to the decision where somebody waits already.
 * @returns the rest
 */
async function storeFirst(
  options: SlicedIngestsOptions,
  plan: Plan,
  { ingest, last, within }: { ingest: IngestRef; last: Part; within: Within },
): Promise<readonly Slice[]> {
  return await changeOutOfTurn(options.db, plan.organizationId, async (tx, changes) => {
    const isRest = plan.slices[0]?.part != null && options.isAwaited()
    const rest = isRest ? plan.slices : await storeSome(options, plan, plan.slices, { tx, changes })
    await within(tx, plan.counts)
    if (rest.length > 0) await decide(tx, ingest, last)
    return rest
  })
}

/** Nothing is lost with it: what a crash takes is stored again, as it was decided by a commit that was flushed. */
const commitUnflushed = prepare(`select set_config('synchronous_commit', 'off', true)`)

/** Stores slices until somebody waits for the session. @returns the others */
async function storeNext(
  options: SlicedIngestsOptions,
  plan: Plan,
  slices: readonly Slice[],
): Promise<readonly Slice[]> {
  const { db } = options
  try {
    return await changeOutOfTurn(db, plan.organizationId, async (tx, changes) => {
      await commitUnflushed(tx, [])
      return await storeSome(options, plan, slices, { tx, changes })
    })
  } catch (error) {
    if (!(error instanceof StalePreparation)) throw error
    const items = new Set(slices.slice(0, 1).flatMap(itemsOf))
    await storeAnew(options, plan.organizationId, [...items])
    // Other parts of the same item are stored with it.
    return slices.filter((slice) => !itemsOf(slice).some((item) => items.has(item)))
  }
}

async function storeSome(
  { clock, isAwaited }: SlicedIngestsOptions,
  plan: Plan,
  slices: readonly Slice[],
  { tx, changes }: { tx: Tx; changes: ItemChanges },
): Promise<readonly Slice[]> {
  if (slices[0]) await requireSameModels(tx, slices[0])
  const { stored } = await storeSlices(slices, isAwaited, async (slice) => {
    await endClaimsOf(tx, plan, slice)
    return slice.part === null
      ? await storeKnown(tx, changes, slice, plan.stored, clock.now())
      : await storePart(tx, changes, slice, slice.part, clock.now())
  })
  return slices.slice(stored.length)
}

async function endClaimsOf(tx: Tx, { organizationId, stored, claimed }: Plan, slice: Slice): Promise<void> {
  const items = itemsOf(slice).filter((item) => claimed.has(stored.get(itemKey(item))?.id ?? ''))
  if (items.length > 0) await endClaims(tx, organizationId, items)
}

/**
 * Stores a decided ingest from its beginning: what is there already is skipped. Of a source that is gone nothing is stored.
 * @throws AppError `overloaded`, with the reason as its cause
 */
async function finish(options: SlicedIngestsOptions, ingest: IngestRef, parts: number): Promise<void> {
  const { db } = options
  const { organizationId } = ingest
  try {
    for await (const items of readParts(db, ingest)) {
      if (items.length === 0) continue
      const sourceIds = await findSources(db, organizationId, items)
      await storeAnew(
        options,
        organizationId,
        items.filter((item) => sourceIds.has(item.sourceId)),
      )
    }
    await erase(db, ingest, parts)
  } catch (cause) {
    throw unavailable('overloaded', 'Earlier documents cannot be stored yet', RETRY_AFTER_SECONDS, cause)
  }
}

async function findSources(
  db: Db,
  organizationId: string,
  items: readonly CleanItem[],
): Promise<Set<string>> {
  const ids = [...new Set(items.map(({ sourceId }) => sourceId))]
  const rows = await db
    .selectFrom('sources')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Prepares items as the models are now, and stores them. For whoever holds the organization's items. */
async function storeAnew(
  { db, models, clock, isAwaited }: SlicedIngestsOptions,
  organizationId: string,
  items: readonly CleanItem[],
): Promise<void> {
  await untilFresh(async () => {
    const prepared = await prepareItems(db, models, { organizationId, items })
    for (let slices = await cutSlices(db, prepared, prepared.stored); slices.length > 0;) {
      const { stored } = await changeOutOfTurn(db, organizationId, (tx, changes) =>
        storeSlices(slices, isAwaited, async (slice) => {
          await endClaims(tx, organizationId, itemsOf(slice))
          return await storeSlice(tx, changes, slice, clock.now())
        }),
      )
      slices = slices.slice(stored.length)
      if (slices.length > 0) await letOthersGoFirst()
    }
  })
}
