import type { ChangePage, ItemFailure, JsonValue, ProviderItem, ProviderSession } from '../../adapter.ts'

export interface ReadItems {
  upserts: ProviderItem[]
  /** External ids of items that are gone or no longer hold anything to find. */
  deletions: string[]
  failures: ItemFailure[]
  /** Items that hold nothing to read. */
  skipped: ItemFailure[]
  /** Unanswered items, by their ids in the retry list; the next run retries them. */
  again: string[]
}

/** One step of a run. When it is yielded, the state has already advanced. */
export type SyncStep = ReadItems & { discovered: number }

export const nothingRead = (): ReadItems => ({
  upserts: [],
  deletions: [],
  failures: [],
  skipped: [],
  again: [],
})

export const emptyStep = (): SyncStep => ({ ...nothingRead(), discovered: 0 })

/** The page that stores a step, with the advanced state as its cursor. */
export function pageOf(
  state: JsonValue,
  { upserts, deletions, failures, skipped, discovered }: SyncStep,
  end: Pick<ChangePage, 'snapshot' | 'complete'>,
): ChangePage {
  // A copy: the state changes while the engine stores the page.
  return { upserts, deletions, failures, skipped, discovered, cursor: structuredClone(state), ...end }
}

/** A unique name for a full crawl: its start time plus a random suffix. */
export function newCrawlName({ clock, random }: ProviderSession): string {
  const mark = Math.floor(random() * 1e9).toString(36)
  return `${clock.now().toISOString()}-${mark}`
}
