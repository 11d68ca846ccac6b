import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Tx } from '../database/database.ts'
import { prepare } from '../database/prepared.ts'
import type { Clock } from '../kernel/clock.ts'
import { changeWithoutLock, type ItemChanges } from '../item-changes/index.ts'
import { NOBODY_ID } from '../permissions/index.ts'
import { type CleanItem, itemKey } from './item.ts'
import {
  type EmbeddedItem,
  inKeyOrder,
  isEmbedded,
  isStoredAs,
  itemsOf,
  policyOf,
  type PreparedItems,
} from './prepare-items.ts'
import { countPositions, deleteChunksBetween, insertChunks } from './store-chunks.ts'
import {
  requireSameModels,
  type StoreCounts,
  storeKnown,
  upsertItems,
  type WrittenRow,
} from './store-items.ts'

/** A part of storing prepared items that takes the embedded database a few milliseconds. */
export interface Step {
  /** The items whose rows it writes; empty for chunks of a document whose row an earlier step wrote. */
  items: readonly CleanItem[]
  /** Whether it writes the row of a large document with all its text. */
  isLargeRow: boolean
  store(tx: Tx, changes: ItemChanges): Promise<StoreCounts>
}

export interface StoredPart {
  /** Including unchanged ones. */
  items: readonly CleanItem[]
  counts: StoreCounts
  /** No further transaction follows. */
  isLast: boolean
}

/** Further work in each transaction of a write. */
export type WithinWrite = (tx: Tx, part: StoredPart, changes: ItemChanges) => Promise<void>

/** Called after each part's commit with the remaining steps. */
export type OnStored = (part: StoredPart, rest: readonly Step[]) => void

export interface StepStorage {
  db: Db
  clock: Clock
  /** Whether another request waits for the only session. */
  isAwaited: () => boolean
}

/** Cost limit of a step, in chunks: about four milliseconds. */
const STEP_COST_MAX = 48
/** Pause between two transactions. A request that waited for the session often has two more statements. */
const PAUSE_MS = 10
const ITEM_COST = 1
const UNCHANGED_COST = 0.25
const REPLACED_CHUNK_COST = 0.5
/** This much body and metadata costs as much as a chunk. */
const CHARACTERS_A_CHUNK = 4_000
/** Greater than any position. */
const BEYOND = 2 ** 31 - 1

/** Splits prepared items into steps, by key. The caller holds the items until all are stored (`prepared.stored`). */
export async function cutSteps({ db, clock }: StepStorage, prepared: PreparedItems): Promise<Step[]> {
  const replaced = await countReplaced(db, prepared)
  const steps: Step[] = []
  let batch: CleanItem[] = []
  let cost = 0
  const endBatch = (): void => {
    if (batch.length > 0) steps.push(batchStep(prepared, batch, clock))
    batch = []
    cost = 0
  }
  for (const item of inKeyOrder(itemsOf(prepared))) {
    const before = replaced.get(itemKey(item)) ?? 0
    const isWritten = isEmbedded(item) && (prepared.isAnew || !isStoredAs(prepared.stored, item))
    const positions = isWritten ? Math.max(item.chunks.length, before) : 0
    if (isWritten && positions > STEP_COST_MAX) {
      steps.push(...largeItemSteps(prepared, { item, positions }, clock))
      continue
    }
    const itemCost = costOf(item, before)
    if (cost + itemCost > STEP_COST_MAX) endBatch()
    batch.push(item)
    cost += itemCost
  }
  endBatch()
  return steps
}

function costOf(item: CleanItem, chunksBefore: number): number {
  if (!isEmbedded(item)) return UNCHANGED_COST
  const characters = item.body.length + item.metadataJson.length
  return ITEM_COST + item.chunks.length + characters / CHARACTERS_A_CHUNK + REPLACED_CHUNK_COST * chunksBefore
}

/** How many positions have chunks to replace, by item key. */
async function countReplaced(
  db: Db,
  { organizationId, changed, stored }: PreparedItems,
): Promise<Map<string, number>> {
  const ids = changed.flatMap((item) => stored.get(itemKey(item))?.id ?? [])
  const counts = await countPositions(db, organizationId, ids)
  return new Map(changed.map((item) => [itemKey(item), counts.get(stored.get(itemKey(item))?.id ?? '') ?? 0]))
}

function batchStep(prepared: PreparedItems, items: readonly CleanItem[], clock: Clock): Step {
  const unchanged = items.filter((item) => !isEmbedded(item))
  const batch = { ...prepared, unchanged, changed: items.filter(isEmbedded) }
  return {
    items,
    isLargeRow: false,
    store: (tx, changes) => storeKnown(tx, changes, batch, clock.now()),
  }
}

const NOTHING: StoreCounts = { ingested: 0, skipped: 0 }

/** Steps of a large document: row, chunks, then hash and policy. Until then a random hash marks it as changed. */
function largeItemSteps(
  { organizationId, modelIds, isAnew, policies, stored }: PreparedItems,
  { item, positions }: { item: EmbeddedItem; positions: number },
  clock: Clock,
): Step[] {
  const policyId = policyOf({ policies }, item)
  const before = stored.get(itemKey(item))
  // While chunks of the former version remain, the policy must not widen: if it differs, no one may read the
  // item.
  const isSamePolicy = before === undefined || before.policyId === policyId
  const during = new Map([[itemKey(item), isSamePolicy ? policyId : NOBODY_ID]])
  let row: WrittenRow | undefined
  const rowOf = (): WrittenRow => {
    if (!row) throw new Error('the chunks of a document were stored before its row')
    return row
  }
  const count = Math.ceil(positions / STEP_COST_MAX)
  const width = Math.ceil(positions / count)
  const writeRow = async (tx: Tx, changes: ItemChanges): Promise<StoreCounts> => {
    const unfinished = { ...item, hash: randomUUID().replaceAll('-', '') }
    const written = await upsertItems(
      tx,
      { organizationId, isAnew, policies: during },
      [unfinished],
      clock.now(),
    )
    row = written.get(itemKey(item))
    if (rowOf().existed) changes.add([rowOf().id])
    return NOTHING
  }
  const writeChunks = async (tx: Tx, changes: ItemChanges, n: number): Promise<StoreCounts> => {
    const { id, existed } = rowOf()
    const isLast = n === count - 1
    const [from, to] = [n * width, isLast ? BEYOND : (n + 1) * width]
    await deleteChunksBetween(tx, organizationId, id, { from, to })
    const chunks = item.chunks
      .slice(from, to)
      .map((chunk) => ({ itemId: id, provider: item.provider, chunk }))
    await insertChunks(tx, { organizationId, modelIds }, chunks)
    // A new document is reported once, when complete: snapshots read it again for each report.
    if (existed || isLast) changes.add([id])
    return NOTHING
  }
  const writeHash = async (tx: Tx, changes: ItemChanges): Promise<StoreCounts> => {
    await setHash(tx, [organizationId, rowOf().id, item.hash, policyId])
    if (!isSamePolicy) changes.add([rowOf().id])
    return { ingested: 1, skipped: 0 }
  }
  return [
    { items: [item], isLargeRow: true, store: writeRow },
    ...Array.from({ length: count }, (_, n) => ({
      items: [],
      isLargeRow: false,
      store: (tx: Tx, changes: ItemChanges) => writeChunks(tx, changes, n),
    })),
    { items: [item], isLargeRow: false, store: writeHash },
  ]
}

// The canvas reads only the text, which is complete from the first step on.
const setHash = prepare(`
  update source_items set content_sha256 = decode($3, 'hex'), policy_id = $4,
    canvas_sha256 = case when canvas_sha256 = content_sha256 then decode($3, 'hex') else canvas_sha256 end
  where organization_id = $1 and id = $2`)

const commitUnflushed = prepare(`select set_config('synchronous_commit', 'off', true)`)

/**
 * Stores steps in one transaction until another request waits for the session.
 * @param isFlushed whether the commit is on disk on return; otherwise the next flushed commit covers it
 * @returns the stored part and the remaining steps
 * @throws StalePreparation, what `within` throws: nothing of the transaction is stored
 */
export async function storeSteps(
  { db, isAwaited }: StepStorage,
  prepared: PreparedItems,
  steps: readonly Step[],
  within: WithinWrite,
  isFlushed = true,
): Promise<StoredPart & { rest: readonly Step[] }> {
  return await changeWithoutLock(db, prepared.organizationId, async (tx, changes) => {
    await requireSameModels(tx, prepared)
    const counts: StoreCounts = { ingested: 0, skipped: 0 }
    let stored = 0
    for (const step of steps) {
      if (stored > 0 && (isAwaited() || endsDocument(steps, step))) break
      const { ingested, skipped } = await step.store(tx, changes)
      counts.ingested += ingested
      counts.skipped += skipped
      stored += 1
    }
    const items = [...new Set(steps.slice(0, stored).flatMap((step) => step.items))]
    const rest = steps.slice(stored)
    const part = { items, counts, isLast: rest.length === 0 }
    // A step with only chunks is neither counted nor claimed. `within` may stop the write only before or after all
    // chunks of a document.
    if (items.length > 0 || part.isLast) await within(tx, part, changes)
    if (!isFlushed) await commitUnflushed(tx, [])
    return { ...part, rest }
  })
}

/** A continuing transaction stores only chunks, so that an error of `within` cannot roll them back. */
function endsDocument(steps: readonly Step[], step: Step): boolean {
  return isWithinDocument(steps) && step.items.length > 0
}

function isWithinDocument([first]: readonly Step[]): boolean {
  return first?.items.length === 0
}

/** Stores all steps, in several transactions. @throws StalePreparation, what `within` throws, the signal's reason */
export async function storeAllSteps(
  storage: StepStorage,
  prepared: PreparedItems,
  steps: readonly Step[],
  {
    within,
    onStored,
    signal,
  }: {
    within?: WithinWrite
    onStored?: OnStored
    signal?: AbortSignal | undefined
  } = {},
): Promise<void> {
  for (let rest = steps; rest.length > 0;) {
    if (!isWithinDocument(rest)) signal?.throwIfAborted()
    const stored = await storeSteps(storage, prepared, rest, within ?? (async () => {}), within !== undefined)
    rest = stored.rest
    onStored?.(stored, rest)
    if (rest.length > 0) await pauseForOthers()
  }
}

/** Lets other requests use the session between two transactions of a write. */
export async function pauseForOthers(): Promise<void> {
  await sleep(PAUSE_MS)
}
