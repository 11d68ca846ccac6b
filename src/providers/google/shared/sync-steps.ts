import type { ChangePage, ItemFailure, JsonValue, ProviderItem, ProviderSession } from '../../provider.ts'

/** What became of a batch of items. */
export interface ReadItems {
  upserts: ProviderItem[]
  /** External ids of what is gone, or holds nothing to find any more. */
  deletions: string[]
  failures: ItemFailure[]
  /** What got no answer, by the ids of the retry list: the next run tries it again. */
  again: string[]
}

/** What a run hands over at once; its state has moved on when a step is taken. */
export type SyncStep = ReadItems & { discovered: number }

export const nothingRead = (): ReadItems => ({ upserts: [], deletions: [], failures: [], again: [] })

export const emptyStep = (): SyncStep => ({ ...nothingRead(), discovered: 0 })

/** The page that stores a step, with the state it has left as the cursor. */
export function pageOf(
  state: JsonValue,
  { upserts, deletions, failures, discovered }: SyncStep,
  end: Pick<ChangePage, 'snapshot' | 'complete'>,
): ChangePage {
  // A copy: the state goes on changing while the page is being stored.
  return { upserts, deletions, failures, discovered, cursor: structuredClone(state), ...end }
}

/** A name for a full crawl that no other has: when it began, and a mark for those that begin at the same time. */
export function newCrawlName({ clock, random }: ProviderSession): string {
  const mark = Math.floor(random() * 1e9).toString(36)
  return `${clock.now().toISOString()}-${mark}`
}
