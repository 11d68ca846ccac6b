import { setTimeout as sleep } from 'node:timers/promises'
import type { CleanItem } from './item.ts'
import type { StoreCounts } from './store-items.ts'
import { type EmbeddedItem, inKeyOrder, type PreparedItems } from './prepare-items.ts'

/** What a slice costs at most, in chunks: it takes the embedded database four milliseconds or so. */
const SLICE_COST_MAX = 48
/** Whoever was waited for may ask for more: a request has two or three statements. */
const GRACE_MS = 3
/** What an item's own row costs. */
const ITEM_COST = 1
/** And one that is stored as it is. */
const UNCHANGED_COST = 0.25
/** So many characters of body and metadata cost as much as a chunk. */
const CHARACTERS_A_CHUNK = 4_000

/**
 * Cuts prepared items, in the order of their keys, into slices that are quickly stored. No item is cut, so that one with very many
 * chunks is a slice of its own.
 * @returns at least one, which is empty where there are no items
 */
export function cutSlices(prepared: PreparedItems): PreparedItems[] {
  const slices: CleanItem[][] = []
  let slice: CleanItem[] = []
  let cost = 0
  for (const item of inKeyOrder(itemsOf(prepared))) {
    const itemCost = costOf(item)
    if (slice.length > 0 && cost + itemCost > SLICE_COST_MAX) {
      slices.push(slice)
      slice = []
      cost = 0
    }
    slice.push(item)
    cost += itemCost
  }
  slices.push(slice)
  return slices.map((items) => sliceOf(prepared, items))
}

function sliceOf(prepared: PreparedItems, items: readonly CleanItem[]): PreparedItems {
  const unchanged = items.filter((item) => !isEmbedded(item))
  return { ...prepared, unchanged, changed: items.filter(isEmbedded) }
}

/** All items of a slice, or of any preparation. */
export function itemsOf({ unchanged, changed }: PreparedItems): CleanItem[] {
  return [...unchanged, ...changed]
}

function costOf(item: CleanItem): number {
  if (!isEmbedded(item)) return UNCHANGED_COST
  const characters = item.body.length + item.metadataJson.length
  return ITEM_COST + item.chunks.length + characters / CHARACTERS_A_CHUNK
}

function isEmbedded(item: CleanItem): item is EmbeddedItem {
  return 'chunks' in item
}

/** Between two transactions of one ingest: somebody waits. */
export async function letOthersGoFirst(): Promise<void> {
  await sleep(GRACE_MS)
}

/**
 * Stores slices within a transaction: the first one, and the next ones for as long as nobody waits for the database.
 * @param isAwaited whether somebody does, where there is one session
 */
export async function storeSlices(
  slices: readonly PreparedItems[],
  isAwaited: (() => boolean) | undefined,
  store: (slice: PreparedItems) => Promise<StoreCounts>,
): Promise<{ stored: readonly PreparedItems[]; counts: StoreCounts }> {
  const counts: StoreCounts = { ingested: 0, skipped: 0 }
  const stored: PreparedItems[] = []
  for (const slice of slices) {
    if (stored.length > 0 && isAwaited?.()) break
    const { ingested, skipped } = await store(slice)
    counts.ingested += ingested
    counts.skipped += skipped
    stored.push(slice)
  }
  return { stored, counts }
}
