import type { Db, Tx } from '../database/database.ts'
import type { ItemChanges } from '../vector-memory/index.ts'
import { type CleanItem, itemKey } from './item.ts'
import { type EmbeddedItem, inKeyOrder, type PreparedItems, type StoredItem } from './prepare-items.ts'
import { countPositions } from './store-chunks.ts'
import { requireSameModels, type StoreCounts, storeItems } from './store-items.ts'
import { type ItemPart, partsOf, storePart } from './store-parts.ts'

/** Prepared items that are stored together; with `part` a part of the only one. */
export interface Slice extends PreparedItems {
  part: ItemPart | null
}

/** What a slice costs at most, in chunks: it takes the embedded database four milliseconds or so. */
const SLICE_COST_MAX = 48
/** What an item's own row costs. */
const ITEM_COST = 1
/** And one that is stored as it is. */
const UNCHANGED_COST = 0.25
/** A chunk that is replaced. */
const REPLACED_COST = 0.5
/** So many characters of body and metadata cost as much as a chunk. */
const CHARACTERS_A_CHUNK = 4_000

/**
 * Cuts prepared items, in the order of their keys, into slices that are quickly stored. An item that has more chunks than a slice
 * may cost is cut into parts, each a slice.
 * @param stored those of the items that are stored
 * @param isHeld nobody else changes any of them before all slices are stored, so that a new one may be told when it is whole
 * @returns at least one, which is empty where there are no items
 */
export async function cutSlices(
  db: Db,
  prepared: PreparedItems,
  stored: ReadonlyMap<string, StoredItem>,
  isHeld = false,
): Promise<Slice[]> {
  const replaced = await countReplaced(db, prepared, stored)
  const slices: Slice[] = []
  let items: CleanItem[] = []
  let cost = 0
  const endSlice = (): void => {
    slices.push(sliceOf(prepared, items))
    items = []
    cost = 0
  }
  for (const item of inKeyOrder(itemsOf(prepared))) {
    const before = replaced.get(itemKey(item)) ?? 0
    const itemCost = costOf(item, before)
    if (items.length > 0 && cost + itemCost > SLICE_COST_MAX) endSlice()
    const isStored = stored.get(itemKey(item))?.hash === item.hash
    const positions =
      isEmbedded(item) && (prepared.isAnew || !isStored) ? Math.max(item.chunks.length, before) : 0
    if (isEmbedded(item) && positions > SLICE_COST_MAX) {
      const isNew = isHeld && !stored.has(itemKey(item))
      for (const part of partsOf(item, { isNew, positions, size: SLICE_COST_MAX }))
        slices.push({ ...sliceOf(prepared, [item]), part })
    } else {
      items.push(item)
      cost += itemCost
    }
  }
  if (items.length > 0 || slices.length === 0) endSlice()
  return slices
}

/** How many positions have chunks of items that changed, by key. */
async function countReplaced(
  db: Db,
  { organizationId, changed }: PreparedItems,
  stored: ReadonlyMap<string, StoredItem>,
): Promise<Map<string, number>> {
  const ids = changed.flatMap((item) => stored.get(itemKey(item))?.id ?? [])
  const counts = await countPositions(db, organizationId, ids)
  return new Map(changed.map((item) => [itemKey(item), counts.get(stored.get(itemKey(item))?.id ?? '') ?? 0]))
}

function sliceOf(prepared: PreparedItems, items: readonly CleanItem[]): Slice {
  const unchanged = items.filter((item) => !isEmbedded(item))
  return { ...prepared, unchanged, changed: items.filter(isEmbedded), part: null }
}

/** All items of a slice, or of any preparation. */
export function itemsOf({ unchanged, changed }: PreparedItems): CleanItem[] {
  return [...unchanged, ...changed]
}

function costOf(item: CleanItem, chunksBefore: number): number {
  if (!isEmbedded(item)) return UNCHANGED_COST
  const characters = item.body.length + item.metadataJson.length
  return ITEM_COST + item.chunks.length + characters / CHARACTERS_A_CHUNK + REPLACED_COST * chunksBefore
}

function isEmbedded(item: CleanItem): item is EmbeddedItem {
  return 'chunks' in item
}

/** Stores a slice. @throws StalePreparation: nothing of the transaction may be kept */
export async function storeSlice(tx: Tx, changes: ItemChanges, slice: Slice, at: Date): Promise<StoreCounts> {
  if (slice.part === null) return await storeItems(tx, changes, slice, at)
  await requireSameModels(tx, slice)
  return await storePart(tx, changes, slice, slice.part, at)
}

/**
 * Stores slices within a transaction: the first one, and the next ones for as long as nobody waits for the database.
 * @param isAwaited whether somebody does, where there is one session
 */
export async function storeSlices(
  slices: readonly Slice[],
  isAwaited: (() => boolean) | undefined,
  store: (slice: Slice) => Promise<StoreCounts>,
): Promise<{ stored: readonly Slice[]; counts: StoreCounts }> {
  const counts: StoreCounts = { ingested: 0, skipped: 0 }
  const stored: Slice[] = []
  for (const slice of slices) {
    if (stored.length > 0 && isAwaited?.()) break
    const { ingested, skipped } = await store(slice)
    counts.ingested += ingested
    counts.skipped += skipped
    stored.push(slice)
  }
  return { stored, counts }
}
